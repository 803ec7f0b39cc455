//! Drives `textsearch serve` with a real browser, a generated client and schemathesis.

use std::{path::PathBuf, process::Command};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use super::{
    scripted_model,
    server::{Server, free_address},
};
use crate::{program::Program, python::PythonEnvironment, shell};

/// Program of Chromium, or of a browser made from it.
const BROWSER: &str = "TEXTSEARCH_BROWSER";

const BROWSERS: [&str; 2] = ["/usr/bin/chromium", "/usr/bin/google-chrome"];

/// If set, the pictures of the guide are taken again.
const SCREENSHOTS: &str = "TEXTSEARCH_SCREENSHOTS";

const DOCUMENTS: [&str; 4] =
    ["--from", "docs/guide", "--from", "xtask/integration/serve/hostile.jsonl"];

const TOKEN: (&str, &str) = ("TEXTSEARCH_TOKEN", "a-token-of-the-check");

const MODEL: (&str, &str) = ("OPENAI_MODEL", "none");

const NO_MODEL: (&str, &str) = ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");

pub(super) fn run() -> Result<()> {
    let browser = browser()?;
    let scripts = install()?;
    let program = Program::build("")?;
    let open = start(&program, &DOCUMENTS, &[])?;
    let closed = start(&program, &DOCUMENTS, &[TOKEN])?;
    let store = scripts.path().join("store.index").display().to_string();
    // The model is described, but never asked.
    let full = start(&program, &["--store", &store, "--writable"], &[TOKEN, MODEL, NO_MODEL])?;
    let model = scripted_model()?;
    let answering = start(&program, &DOCUMENTS, &[MODEL, (NO_MODEL.0, &model.url)])?;
    let mut check = Command::new("node");
    check.current_dir(scripts.path()).arg("check.mjs");
    check.args([&open.url, &closed.url, &full.url, &answering.url, TOKEN.1]).arg(browser);
    if std::env::var_os(SCREENSHOTS).is_some() {
        check.arg(shell::root().join("docs/images"));
    }
    shell::run(&mut check)?;
    check_descriptions([(&open, None), (&full, Some(TOKEN.1))])
}

/// Sends what each description allows, and what it doesn't.
fn check_descriptions(servers: [(&Server, Option<&str>); 2]) -> Result<()> {
    let environment = PythonEnvironment::with_packages(&["schemathesis==4.32.5"])?;
    let settings = shell::root().join("xtask/integration/serve/schemathesis.toml");
    servers.into_iter().try_for_each(|(server, token)| {
        let mut command = Command::new(environment.program("schemathesis"));
        command.current_dir(environment.folder()).env("NO_PROXY", "127.0.0.1");
        command.arg("--config-file").arg(&settings).arg("run");
        command.arg(format!("{}/openapi.json", server.url));
        if let Some(token) = token {
            command.args(["--header", &format!("Authorization: Bearer {token}")]);
        }
        shell::run(&mut command)
    })
}

fn browser() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(BROWSER) {
        return Ok(named.into());
    }
    let browser = BROWSERS.iter().map(PathBuf::from).find(|path| path.is_file());
    browser.with_context(|| {
        format!("this needs Chromium: try `apt-get install chromium`, or its path in {BROWSER}")
    })
}

/// Returns a folder with the scripts and their packages.
fn install() -> Result<TempDir> {
    let folder = TempDir::new()?;
    let source = shell::root().join("xtask/integration/serve");
    let files = source.read_dir().with_context(|| format!("no folder {}", source.display()))?;
    for file in files {
        let file = file?;
        std::fs::copy(file.path(), folder.path().join(file.file_name()))?;
    }
    let mut npm = Command::new("npm");
    npm.current_dir(folder.path()).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    shell::run(npm.arg("--silent")).context("this needs Node.js 20, npm and a registry of it")?;
    Ok(folder)
}

fn start(program: &Program, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Server> {
    let address = free_address()?;
    Server::start_at(format!("http://{address}"), |_| {
        let mut command = program.command("serve");
        command.args(["--listen", &address.to_string()]).args(arguments);
        command.env_remove("OPENAI_MODEL").env_remove(TOKEN.0).envs(variables.iter().copied());
        command
    })
}
