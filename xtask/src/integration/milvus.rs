//! Tests the connector for Milvus on a server or, without one, on Milvus Lite, which it installs.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::{python::PythonEnvironment, shell};

/// Address of a server.
const MILVUS_URL: &str = "MILVUS_URL";

/// Python with Milvus Lite, for servers that the tests may kill and restart.
const MILVUS_PYTHON: &str = "MILVUS_PYTHON";

/// The server, and the package with the protocol that it serves.
const PYPI: [&str; 2] = ["milvus-lite==3.2.2", "pymilvus==3.0.2"];

const TESTS: &str = "test --quiet -p textsearch-milvus --test server --";

pub(super) fn run() -> Result<()> {
    if std::env::var_os(MILVUS_URL).is_some() {
        println!("     on the server at {MILVUS_URL}; it is not ended, so no faults are tested");
        return shell::run(&mut shell::cargo(&format!("{TESTS} --skip faults::")));
    }
    println!("     on {}, since {MILVUS_URL} names no server", PYPI.join(" and "));
    let environment = PythonEnvironment::create()?;
    environment.pip(&["install", PYPI[0], PYPI[1]])?;
    let server = Server::start(&environment)?;
    let mut tests = shell::cargo(TESTS);
    shell::run(tests.env(MILVUS_URL, &server.url).env(MILVUS_PYTHON, environment.python()))
}

/// Dropping it ends the process and deletes its data.
struct Server {
    process: Child,
    url: String,
    folder: TempDir,
}

impl Server {
    fn start(environment: &PythonEnvironment) -> Result<Self> {
        let folder = TempDir::new()?;
        let script = shell::root().join("xtask/integration/milvus/server.py");
        let mut command = Command::new(environment.python());
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
        let (_, address) = self.url.split_once("://").context("the address has no scheme")?;
        for _ in 0..600 {
            if TcpStream::connect(address).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                bail!("the server ended with {status}: {}", log.unwrap_or_default());
            }
            thread::sleep(Duration::from_millis(100));
        }
        bail!("the server does not listen on {address} after a minute")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended, and then its missing answer fails the check.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
