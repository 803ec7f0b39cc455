//! Tests the connector for Postgres on a database or, without one, on a server that it installs.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use super::fields;
use crate::{python::PythonEnvironment, retrieval, shell};

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
    let environment = PythonEnvironment::with_package(PYPI)?;
    let server = Server::start(environment.python())?;
    let mut tests = shell::cargo(TESTS);
    shell::run(tests.env(POSTGRES_URL, &server.url).env(PGSERVER_PYTHON, environment.python()))?;
    let program = retrieval::build_with("--features textsearch-cli/pgvector")?;
    let store = |collection: &str| format!("{}&collection={collection}", server.url);
    retrieval::compare_with(&program, &store("textsearch-retrieval"))?;
    fields::change(&program, &store("textsearch-fields"))
}

/// Dropping it ends the process and deletes its data.
struct Server {
    process: Child,
    url: String,
    folder: TempDir,
}

impl Server {
    fn start(python: PathBuf) -> Result<Self> {
        let folder = TempDir::new()?;
        let script = shell::root().join("xtask/integration/pgvector/server.py");
        let mut command = Command::new(python);
        command.arg(script).arg(folder.path()).arg("0").stdout(Stdio::piped());
        let mut process = command.spawn().context("the server did not start")?;
        let output = process.stdout.take().context("the server has no output")?;
        let mut server = Self { process, url: String::new(), folder };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let (_, url) = line.trim().split_once('=').context("the server said no address")?;
        server.url = url.to_owned();
        server.wait()?;
        Ok(server)
    }

    /// Waits until the server listens.
    fn wait(&mut self) -> Result<()> {
        let (_, address) = self.url.split_once('@').context("the address has no user")?;
        let address = address.split('/').next().unwrap_or_default();
        for _ in 0..300 {
            if TcpStream::connect(address).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                bail!("the server ended with {status}: {}", log.unwrap_or_default());
            }
            thread::sleep(Duration::from_millis(100));
        }
        bail!("the server does not listen on {address} after 30 seconds")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended, and then its missing answer fails the check.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
