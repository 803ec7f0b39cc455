//! Tests the connector for Milvus on a server or, without one, on Milvus Lite, which it installs.

use std::process::Command;

use anyhow::Result;

use super::{fields, same_program, server::Server};
use crate::{program::Program, python::PythonEnvironment, retrieval, shell};

/// Address of a server.
const MILVUS_URL: &str = "MILVUS_URL";

/// Python with Milvus Lite, for servers that the tests may kill and restart.
const MILVUS_PYTHON: &str = "MILVUS_PYTHON";

/// The server, and the package with the protocol that it serves.
const PYPI: [&str; 2] = ["milvus-lite==3.2.2", "pymilvus==3.0.2"];

const TESTS: &str = "test --quiet -p textsearch-milvus --test server -- --show-output";

/// MLIndex files, opened by the command line.
const FILES: &str =
    "test --quiet -p textsearch-cli --features local-embeddings,stores --test mlindex milvus";

pub(super) fn run() -> Result<()> {
    if std::env::var_os(MILVUS_URL).is_some() {
        println!("     on the server at {MILVUS_URL}; no faults or Python clients are tested");
        shell::run(&mut shell::cargo(&format!("{TESTS} --skip faults:: --skip other_programs::")))?;
        return shell::run(&mut shell::cargo(FILES));
    }
    println!("     on {}, since {MILVUS_URL} names no server", PYPI.join(" and "));
    let environment = install()?;
    let server = start(&environment)?;
    let mut tests = shell::cargo(TESTS);
    shell::run(tests.env(MILVUS_URL, &server.url).env(MILVUS_PYTHON, environment.python()))?;
    shell::run(shell::cargo(FILES).env(MILVUS_URL, &server.url))?;
    same_program("milvus", &[(MILVUS_URL, &server.url)])?;
    let program = Program::build("--features textsearch-cli/stores")?;
    let address = server.url.replacen("http", "milvus", 1);
    retrieval::compare_stores(&program, &address)?;
    fields::change(&program, &format!("{address}/textsearch-fields"))
}

pub(super) fn install() -> Result<PythonEnvironment> {
    let environment = PythonEnvironment::create()?;
    environment.pip(&["install", PYPI[0], PYPI[1]])?;
    Ok(environment)
}

pub(super) fn start(environment: &PythonEnvironment) -> Result<Server> {
    Server::start(|folder| {
        let mut command = Command::new(environment.python());
        command.arg(shell::root().join("xtask/integration/milvus/server.py"));
        command.arg(folder).arg("0");
        command
    })
}
