//! Tests the connector for Postgres on a database or, without one, on a server that it installs.

use std::process::Command;

use anyhow::Result;

use super::{fields, same_program, server::Server};
use crate::{program::Program, python::PythonEnvironment, retrieval, shell};

/// Address of a database.
const POSTGRES_URL: &str = "POSTGRES_URL";

/// Python with pgserver, for servers that the tests may kill and restart.
const PGSERVER_PYTHON: &str = "PGSERVER_PYTHON";

/// Postgres 16.2 with pgvector 0.6.2.
const PYPI: &str = "pgserver==0.1.4";

const TESTS: &str = "test --quiet -p textsearch-pgvector --test server --";

pub(super) fn run() -> Result<()> {
    if std::env::var_os(POSTGRES_URL).is_some() {
        println!(
            "     on the database at {POSTGRES_URL}; it is not ended, so no faults are tested"
        );
        return shell::run(&mut shell::cargo(&format!("{TESTS} --skip faults::")));
    }
    println!("     on {PYPI}, since {POSTGRES_URL} names no database");
    let environment = install()?;
    let server = start(&environment)?;
    let mut tests = shell::cargo(TESTS);
    shell::run(tests.env(POSTGRES_URL, &server.url).env(PGSERVER_PYTHON, environment.python()))?;
    same_program("pgvector", &[(POSTGRES_URL, &server.url)])?;
    let program = Program::build("--features textsearch-cli/pgvector")?;
    let store = |collection: &str| format!("{}&collection={collection}", server.url);
    retrieval::compare_with(&program, &store("textsearch-retrieval"), retrieval::SAME)?;
    fields::change(&program, &store("textsearch-fields"))
}

pub(super) fn install() -> Result<PythonEnvironment> {
    PythonEnvironment::with_package(PYPI)
}

pub(super) fn start(environment: &PythonEnvironment) -> Result<Server> {
    Server::start(|folder| {
        let mut command = Command::new(environment.python());
        command.arg(shell::root().join("xtask/integration/pgvector/server.py"));
        command.arg(folder).arg("0");
        command
    })
}
