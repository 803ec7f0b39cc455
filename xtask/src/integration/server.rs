//! Servers that checks start.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

const LONGEST_START: Duration = Duration::from_secs(60);

/// A server of a check. Dropping it ends the process and deletes its data.
pub(super) struct Server {
    process: Child,
    pub(super) url: String,
    folder: TempDir,
}

impl Server {
    /// Starts a server that prints its address, as `NAME=URL`. `command` gets a folder for the data.
    pub(super) fn start(command: impl FnOnce(&Path) -> Command) -> Result<Self> {
        let folder = TempDir::new()?;
        let mut command = command(folder.path());
        let mut process =
            command.stdout(Stdio::piped()).spawn().context("the server did not start")?;
        let output = process.stdout.take().context("the server has no output")?;
        let mut server = Self { process, url: String::new(), folder };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let (_, url) = line.trim().split_once('=').context("the server printed no address")?;
        server.url = url.to_owned();
        server.wait()?;
        Ok(server)
    }

    /// Starts a server at an address that the caller chooses.
    pub(super) fn start_at(url: String, command: impl FnOnce(&Path) -> Command) -> Result<Self> {
        let folder = TempDir::new()?;
        let log = File::create(folder.path().join("log"))?;
        let mut command = command(folder.path());
        let process = command.stdout(log.try_clone()?).stderr(log).spawn();
        let mut server =
            Self { process: process.context("the server did not start")?, url, folder };
        server.wait()?;
        Ok(server)
    }

    /// Waits until the server listens.
    fn wait(&mut self) -> Result<()> {
        let address = address(&self.url).context("the address of the server has no scheme")?;
        let start = Instant::now();
        while start.elapsed() < LONGEST_START {
            if TcpStream::connect(address).is_ok() {
                return Ok(());
            }
            if let Some(status) = self.process.try_wait()? {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                bail!("the server ended with {status}: {}", log.unwrap_or_default());
            }
            thread::sleep(Duration::from_millis(100));
        }
        bail!("the server does not listen on {address} after {LONGEST_START:?}")
    }
}

/// Returns an address of this machine at which nothing listens.
pub(super) fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Returns host and port of a URL.
fn address(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    authority.rsplit('@').next()
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended, and then its missing answer fails the check.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_host_and_port() {
        for (url, expected) in [
            ("http://127.0.0.1:8000", "127.0.0.1:8000"),
            ("postgres://me@127.0.0.1:5432/docs?x=y", "127.0.0.1:5432"),
        ] {
            assert_eq!(address(url), Some(expected));
        }
    }
}
