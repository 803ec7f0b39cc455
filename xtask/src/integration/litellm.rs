//! Our connector for services of Perplexity's shape, on a LiteLLM proxy.

use std::process::Command;

use anyhow::Result;

use super::server::{Server, free_address};
use crate::{python::PythonEnvironment, shell};

const PYPI: &str = "litellm[proxy]==1.108.7";

/// LiteLLM demands 32 characters.
const KEY: &str = "integration-0123456789abcdef0123456789abcdef";

const TESTS: &str = "test --quiet -p textsearch-perplexity --test it litellm -- --ignored";

pub(super) fn run() -> Result<()> {
    let folder = shell::root().join("xtask/integration/litellm");
    let environment = PythonEnvironment::with_package(PYPI)?;
    let searxng = Server::start(|_| {
        let mut command = Command::new(environment.python());
        command.arg(folder.join("searxng.py"));
        command
    })?;
    let address = free_address()?;
    let proxy = Server::start_at(format!("http://{address}/v1/search/web"), |_| {
        let mut command = Command::new(environment.program("litellm"));
        command.arg("--config").arg(folder.join("config.yaml"));
        command.args(["--host", "127.0.0.1", "--port", &address.port().to_string()]);
        command.env("LITELLM_MASTER_KEY", KEY).env("SEARXNG_API_BASE", &searxng.url);
        // Otherwise it downloads a list of prices.
        command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").env("NO_PROXY", "127.0.0.1");
        command
    })?;
    let mut tests = shell::cargo(TESTS);
    tests.env("PERPLEXITY_API_KEY", KEY).env("PERPLEXITY_ENDPOINT", &proxy.url);
    shell::run(&mut tests)?;
    println!("     {PYPI}: 25 results of 45, none twice; errors, keys, rate limits");
    Ok(())
}
