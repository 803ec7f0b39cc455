//! Our MCP server for clients that others wrote, and our client for a server that others wrote.

use std::{net::SocketAddr, path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use super::server::{Server, free_address};
use crate::{python::PythonEnvironment, shell};

const TOKEN: &str = "integration";

/// The tokens of `tenants/tokens.toml`.
const TENANTS: [&str; 2] = ["acme-acme-acme-acme", "globex-globex-globex"];

/// The program that the conformance suite drives as a client.
const CONFORMANCE_CLIENT: &str =
    "build --quiet -p textsearch-mcp --all-features --example conformance_client";

/// The revisions of the protocol that the conformance suite knows.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

const CLIENT: &str = "test --quiet -p textsearch-mcp --all-features --test it -- --ignored";

pub(super) fn run() -> Result<()> {
    let folder = shell::root().join("xtask/integration/mcp");
    let docs = folder.join("docs");
    shell::run(&mut shell::cargo("build --quiet -p textsearch-cli"))?;
    let program = shell::root().join("target/debug/textsearch");
    let environment = PythonEnvironment::with_requirements(&folder)?;

    let server = start(&program, &docs, free_address()?, &[], Some(TOKEN))?;
    for script in ["check_sdk.py", "check_fastmcp.py"] {
        let mut check = Command::new(environment.python());
        check.arg(folder.join(script)).arg(&program).arg(&docs).args([&server.url, TOKEN]);
        shell::run(check.env("NO_PROXY", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1"))?;
    }
    let tenants = start_tenants(&program, &folder.join("tenants"), free_address()?)?;
    let mut check = Command::new(environment.python());
    check.arg(folder.join("check_tenants.py")).arg(&tenants.url).args(TENANTS);
    shell::run(check.env("NO_PROXY", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1"))?;
    let packages = TempDir::new()?;
    install(&folder, packages.path())?;
    let mut check = Command::new("node");
    check.current_dir(packages.path()).arg("check_sdk.mjs").args([&server.url, TOKEN]);
    shell::run(check.env("NO_PROXY", "127.0.0.1"))?;
    inspect(packages.path(), &program, &docs)?;
    conform(packages.path(), &folder, &program)?;

    let mut client = shell::cargo(CLIENT);
    client.env("TEXTSEARCH_MCP_PYTHON", environment.python());
    client.env("TEXTSEARCH_MCP_SERVER", folder.join("server.py"));
    shell::run(&mut client)?;
    println!("     our client with a FastMCP server: schemas, calls, errors, changes");
    Ok(())
}

fn install(folder: &Path, packages: &Path) -> Result<()> {
    for name in ["package.json", "check_sdk.mjs"] {
        std::fs::copy(folder.join(name), packages.join(name))?;
    }
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund"]).current_dir(packages);
    shell::run(&mut install).context("this needs npm and its registry")
}

/// The official inspector lists and calls the search.
fn inspect(packages: &Path, program: &Path, docs: &Path) -> Result<()> {
    let inspect = |arguments: &[&str]| {
        let mut command = Command::new(packages.join("node_modules/.bin/mcp-inspector"));
        command.arg("--cli").arg(program).args(["mcp", "--from"]).arg(docs).args(arguments);
        shell::read(&mut command)
    };
    let tools = inspect(&["--method", "tools/list"])?;
    ensure!(tools.contains("\"SearchPlugin-GetSearchResults\""), "no search in {tools}");
    let call = ["--method", "tools/call", "--tool-name", "SearchPlugin-GetSearchResults"];
    let called = inspect(&[&call[..], &["--tool-arg", "query=apples"]].concat())?;
    ensure!(called.contains("Apples and pears are fruit."), "nothing found in {called}");
    println!("     the inspector: tools/list and tools/call");
    Ok(())
}

/// Runs MCP's conformance suite against our server and client. `conformance.yaml` lists the scenarios
/// that don't apply.
fn conform(packages: &Path, folder: &Path, program: &Path) -> Result<()> {
    shell::run(&mut shell::cargo(CONFORMANCE_CLIENT))?;
    let client = shell::root().join("target/debug/examples/conformance_client");
    let address = free_address()?;
    let [simple, arguments] = ["simple", "arguments"]
        .map(|name| folder.join(format!("prompts/{name}.yaml")).display().to_string());
    // The suite sends the server's own origin.
    let origin = format!("http://{address}");
    let options = ["--allow-origin", &origin, "--prompt", &simple, "--prompt", &arguments];
    let server = start(program, &folder.join("docs"), address, &options, None)?;
    for revision in REVISIONS {
        let suite = |arguments: &[&str]| {
            let bin = packages.join("node_modules/.bin");
            // The suite needs Node.js 22, which may not be the machine's.
            let mut command = Command::new(bin.join("node"));
            command.current_dir(packages).arg(bin.join("conformance")).args(arguments);
            command.args(["--suite", "all", "--spec-version", revision, "--expected-failures"]);
            shell::run(command.arg(folder.join("conformance.yaml")).env("NO_PROXY", "127.0.0.1"))
        };
        suite(&["server", "--url", &server.url])?;
        suite(&["client", "--command", &client.display().to_string()])?;
    }
    Ok(())
}

fn start_tenants(program: &Path, folder: &Path, address: SocketAddr) -> Result<Server> {
    Server::start_at(format!("http://{address}/mcp"), |_| {
        let mut command = Command::new(program);
        command.args(["serve", "--listen", &address.to_string(), "--from"]);
        command.arg(folder.join("notes.jsonl")).arg("--tokens").arg(folder.join("tokens.toml"));
        command.env_remove("TEXTSEARCH_TOKEN").env_remove("OPENAI_MODEL");
        command
    })
}

fn start(
    program: &Path,
    docs: &Path,
    address: SocketAddr,
    options: &[&str],
    token: Option<&str>,
) -> Result<Server> {
    Server::start_at(format!("http://{address}/mcp"), |_| {
        let mut command = Command::new(program);
        command.args(["mcp", "--http", &address.to_string(), "--from"]).arg(docs).args(options);
        command.env_remove("TEXTSEARCH_TOKEN");
        command.envs(token.map(|token| ("TEXTSEARCH_TOKEN", token)));
        command
    })
}
