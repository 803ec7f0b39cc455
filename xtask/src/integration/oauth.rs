//! Logins of MCP's official SDKs at a certified identity provider, before `textsearch serve`.

use std::{net::SocketAddr, path::Path, process::Command};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use super::server::{Server, free_address};
use crate::{python::PythonEnvironment, shell};

/// The SDK as `cargo xtask integration mcp` has it.
const SDK: &str = "mcp==2.3.0";

const FILES: [&str; 3] = ["package.json", "provider.mjs", "check.mjs"];

/// Formats of tokens. The provider must be asked about opaque ones, as this client.
const FORMATS: [(&str, &[(&str, &str)]); 2] = [
    ("jwt", &[]),
    (
        "opaque",
        &[("TEXTSEARCH_OAUTH_CLIENT_ID", "search"), ("TEXTSEARCH_OAUTH_CLIENT_SECRET", "a secret")],
    ),
];

const TENANTS: [&str; 4] = ["--tenant-claim", "org", "--tenant-filter", "tenant = \"{org}\""];

pub(super) fn run() -> Result<()> {
    let folder = shell::root().join("xtask/integration/oauth");
    shell::run(&mut shell::cargo("build --quiet -p textsearch-cli"))?;
    let packages = install(&folder)?;
    let node = || {
        // The provider needs Node.js 22, which may not be the machine's.
        let mut command = Command::new(packages.path().join("node_modules/.bin/node"));
        command.current_dir(packages.path()).env("NO_PROXY", "127.0.0.1");
        command
    };
    let environment = PythonEnvironment::with_packages(&[SDK])?;
    for (format, client) in FORMATS {
        let provider = Server::start(|_| {
            let mut command = node();
            command.args(["provider.mjs", format]);
            command
        })?;
        let server = start(&folder, free_address()?, &provider.url, client)?;
        let mut check = Command::new(environment.python());
        check.arg(folder.join("check_sdk.py")).args([&server.url, "globex"]);
        shell::run(check.env("NO_PROXY", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1"))?;
        shell::run(node().arg("check.mjs").args([&server.url, &provider.url, format]))?;
    }
    Ok(())
}

fn install(folder: &Path) -> Result<TempDir> {
    let packages = TempDir::new()?;
    for file in FILES {
        std::fs::copy(folder.join(file), packages.path().join(file))?;
    }
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund"]).current_dir(packages.path());
    shell::run(&mut install).context("this needs npm and its registry")?;
    Ok(packages)
}

fn start(
    folder: &Path,
    address: SocketAddr,
    issuer: &str,
    client: &[(&str, &str)],
) -> Result<Server> {
    let url = format!("http://{address}");
    Server::start_at(format!("{url}/mcp"), |_| {
        let mut command = Command::new(shell::root().join("target/debug/textsearch"));
        command.args(["serve", "--listen", &address.to_string(), "--from"]);
        command.arg(folder.join("notes.jsonl"));
        command.args(["--public-url", &url, "--oauth-issuer", issuer]).args(TENANTS);
        command.env_remove("TEXTSEARCH_TOKEN").env_remove("OPENAI_MODEL");
        command.envs(client.iter().copied());
        command
    })
}
