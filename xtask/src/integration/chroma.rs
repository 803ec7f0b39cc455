//! Tests the connector for Chroma on a server or, without one, on a server that it installs.

use std::{
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::{python::PythonEnvironment, shell};

/// Address of a server.
const CHROMA_URL: &str = "CHROMA_URL";

/// The server's program, for servers that the tests may kill and restart.
const CHROMA_PROGRAM: &str = "CHROMA_PROGRAM";

const PYPI: &str = "chromadb==1.5.9";

const TESTS: &str = "test --quiet -p textsearch-chroma --test server --";

pub(super) fn run() -> Result<()> {
    if std::env::var_os(CHROMA_URL).is_some() {
        println!("     on the server at {CHROMA_URL}; it is not ended, so no faults are tested");
        return shell::run(&mut shell::cargo(&format!("{TESTS} --skip faults::")));
    }
    println!("     on {PYPI}, since {CHROMA_URL} names no server");
    let environment = PythonEnvironment::with_package(PYPI)?;
    let server = Server::start(&environment)?;
    let mut tests = shell::cargo(TESTS);
    shell::run(
        tests.env(CHROMA_URL, &server.url).env(CHROMA_PROGRAM, environment.program("chroma")),
    )
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
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = std::fs::File::create(folder.path().join("log"))?;
        let mut command = Command::new(environment.program("chroma"));
        command.args(["run", "--host", "127.0.0.1", "--port", &port.to_string(), "--path"]);
        command.arg(folder.path().join("data")).stdout(log).stderr(Stdio::null());
        let process = command.spawn().context("the server did not start")?;
        let mut server = Self { process, url: format!("http://127.0.0.1:{port}"), folder };
        server.wait(port)?;
        Ok(server)
    }

    /// Waits until the server listens.
    fn wait(&mut self, port: u16) -> Result<()> {
        for _ in 0..300 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                bail!("the server ended with {status}: {}", log.unwrap_or_default());
            }
            thread::sleep(Duration::from_millis(100));
        }
        bail!("the server does not listen on {} after 30 seconds", self.url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended, and then its missing answer fails the check.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
