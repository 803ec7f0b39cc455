//! Our connector for services of Perplexity's shape, on a LiteLLM proxy.

use std::{path::Path, process::Command};

use anyhow::Result;

use super::server::{Server, free_address};
use crate::{python::PythonEnvironment, shell};

pub(super) const PYPI: &str = "litellm[proxy]==1.108.7";

/// LiteLLM demands 32 characters.
pub(super) const KEY: &str = "integration-0123456789abcdef0123456789abcdef";

const TESTS: &str = "test --quiet -p textsearch-perplexity --test it litellm -- --ignored";

pub(super) fn run() -> Result<()> {
    let folder = shell::root().join("xtask/integration/litellm");
    let environment = PythonEnvironment::with_packages(&[PYPI])?;
    let searxng = Server::start(|_| {
        let mut command = Command::new(environment.python());
        command.arg(folder.join("searxng.py"));
        command
    })?;
    let proxy = proxy(&environment, &folder.join("config.yaml"), |command| {
        command.env("SEARXNG_API_BASE", &searxng.url);
    })?;
    let mut tests = shell::cargo(TESTS);
    let endpoint = format!("{}/v1/search/web", proxy.url);
    tests.env("PERPLEXITY_API_KEY", KEY).env("PERPLEXITY_ENDPOINT", endpoint);
    shell::run(&mut tests)?;
    println!("     {PYPI}: 25 results of 45, none twice; errors, keys, rate limits");
    Ok(())
}

/// Starts the proxy with a configuration, in an environment that has its package.
pub(super) fn proxy(
    environment: &PythonEnvironment,
    config: &Path,
    change: impl FnOnce(&mut Command),
) -> Result<Server> {
    let address = free_address()?;
    Server::start_at(format!("http://{address}"), |_| {
        let mut command = Command::new(environment.program("litellm"));
        command.arg("--config").arg(config);
        command.args(["--host", "127.0.0.1", "--port", &address.port().to_string()]);
        // Otherwise it downloads a list of prices.
        command.env("LITELLM_MASTER_KEY", KEY).env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
        command.env("NO_PROXY", "127.0.0.1");
        change(&mut command);
        command
    })
}
