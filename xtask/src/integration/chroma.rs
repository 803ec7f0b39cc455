//! Tests the connector for Chroma on a server or, without one, on a server that it installs.

use std::process::Command;

use anyhow::Result;

use super::{
    embed_for, fields, same_program, scripted_model,
    server::{Server, free_address},
};
use crate::{program::Program, python::PythonEnvironment, retrieval, shell};

/// Address of a server.
const CHROMA_URL: &str = "CHROMA_URL";

/// The server's program, for servers that the tests may kill and restart.
const CHROMA_PROGRAM: &str = "CHROMA_PROGRAM";

const PYPI: &str = "chromadb==1.5.9";

const TESTS: &str = "test --quiet -p textsearch-chroma --test server -- --show-output";

/// MLIndex files, opened by the command line.
const FILES: &str =
    "test --quiet -p textsearch-cli --features local-embeddings,stores --test mlindex chroma";

pub(super) fn run() -> Result<()> {
    if std::env::var_os(CHROMA_URL).is_some() {
        println!("     on the server at {CHROMA_URL}; it is not ended, so no faults are tested");
        shell::run(&mut shell::cargo(&format!("{TESTS} --skip faults::")))?;
        return shell::run(&mut shell::cargo(FILES));
    }
    println!("     on {PYPI}, since {CHROMA_URL} names no server");
    let environment = install()?;
    let server = start(&environment)?;
    let mut tests = shell::cargo(TESTS);
    shell::run(
        tests.env(CHROMA_URL, &server.url).env(CHROMA_PROGRAM, environment.program("chroma")),
    )?;
    shell::run(shell::cargo(FILES).env(CHROMA_URL, &server.url))?;
    same_program("chroma", &[(CHROMA_URL, &server.url)])?;
    // Chroma searches no words, so a model has to embed them.
    let model = scripted_model()?;
    let program = embed_for(Program::build("--features textsearch-cli/stores")?, &model);
    let address = server.url.replacen("http", "chroma", 1);
    let store = |collection: &str| format!("{address}/{collection}");
    retrieval::compare_with(&program, &store("textsearch-retrieval"), retrieval::SIMILAR)?;
    fields::change(&program, &store("textsearch-fields"))
}

pub(super) fn install() -> Result<PythonEnvironment> {
    PythonEnvironment::with_package(PYPI)
}

pub(super) fn start(environment: &PythonEnvironment) -> Result<Server> {
    let address = free_address()?;
    Server::start_at(format!("http://{address}"), |folder| {
        let mut command = Command::new(environment.program("chroma"));
        let host = address.ip().to_string();
        let port = address.port().to_string();
        command.args(["run", "--host", &host, "--port", &port, "--path"]);
        command.arg(folder.join("data"));
        command
    })
}
