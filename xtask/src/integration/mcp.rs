//! Our MCP server for clients that others wrote, and our client for a server that others wrote.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::{python::PythonEnvironment, shell};

const TOKEN: &str = "integration";

const CLIENT: &str = "test --quiet -p textsearch-mcp --all-features --test it -- --ignored";

pub(super) fn run() -> Result<()> {
    let folder = shell::root().join("xtask/integration/mcp");
    let docs = folder.join("docs");
    shell::run(&mut shell::cargo("build --quiet -p textsearch-cli"))?;
    let program = shell::root().join("target/debug/textsearch");
    let environment = PythonEnvironment::create()?;
    let requirements = folder.join("requirements.txt").display().to_string();
    environment.pip(&["install", "--requirement", &requirements])?;

    let server = Server::start(&program, &docs)?;
    for script in ["check_sdk.py", "check_fastmcp.py"] {
        let mut check = Command::new(environment.python());
        check.arg(folder.join(script)).arg(&program).arg(&docs).args([&server.url, TOKEN]);
        shell::run(check.env("NO_PROXY", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1"))?;
    }
    inspect(&folder, &program, &docs)?;

    let mut client = shell::cargo(CLIENT);
    client.env("TEXTSEARCH_MCP_PYTHON", environment.python());
    client.env("TEXTSEARCH_MCP_SERVER", folder.join("server.py"));
    shell::run(&mut client)?;
    println!("     our client with a FastMCP server: schemas, calls, errors, changes");
    Ok(())
}

/// The official inspector lists and calls the search.
fn inspect(folder: &Path, program: &Path, docs: &Path) -> Result<()> {
    let scratch = TempDir::new()?;
    std::fs::copy(folder.join("package.json"), scratch.path().join("package.json"))?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-audit", "--no-fund"]).current_dir(scratch.path());
    shell::run(&mut install).context("this needs npm and its registry")?;
    let inspect = |arguments: &[&str]| {
        let mut command = Command::new(scratch.path().join("node_modules/.bin/mcp-inspector"));
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

/// Killed when dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(program: &PathBuf, docs: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("mcp").args(["--http", "127.0.0.1:0", "--from"]).arg(docs);
        command.env("TEXTSEARCH_TOKEN", TOKEN).stderr(Stdio::piped());
        let mut process = command.spawn().context("the MCP server did not start")?;
        let output = process.stderr.take().context("the MCP server has no output")?;
        let mut server = Self { process, url: String::new() };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let url = line.split(' ').find_map(|word| word.strip_suffix(';'));
        server.url = url.with_context(|| format!("no URL in `{line}`"))?.to_owned();
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended, and then a check has failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
