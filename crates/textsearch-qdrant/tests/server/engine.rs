//! A server that a test can kill and restart. The tests of other connectors include this file.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use textsearch_conformance::core::vector::VectorStore;

use crate::engine_store;

/// A program and its first arguments, separated as in `PATH`. A folder and a port follow them.
const STORE_ENGINE: &str = "STORE_ENGINE";

/// Dropping this stops the server and deletes its folder.
pub(crate) struct Engine {
    process: Child,
    folder: PathBuf,
    pub(crate) url: String,
}

impl Engine {
    pub(crate) fn start(name: &str) -> Self {
        let folder = format!("{}-{name}-{}", env!("CARGO_PKG_NAME"), std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        let (process, url) = spawn(&folder, "0");
        Self { process, folder, url }
    }

    /// Returns a store that doesn't retry, once the server answers.
    pub(crate) async fn store(&self) -> impl VectorStore + use<> {
        for _ in 0..300 {
            if let Ok(store) = engine_store(&self.url).await
                && store.collection_names().await.is_ok()
            {
                return store;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("no answer within 30 seconds: see {}", self.folder.join("log").display());
    }

    /// Kills the server with the processes that serve its connections, which would outlive it.
    pub(crate) fn kill(&mut self) {
        let children = children(self.process.id());
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        for child in &children {
            let _ = Command::new("kill").args(["-9", child]).stderr(Stdio::null()).status();
        }
        // They keep the shared memory of Postgres, and the next server can't start before.
        while children.iter().any(|child| is_running(child)) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn restart(&mut self) {
        let port = self.url.rsplit(':').next().unwrap().split('/').next().unwrap().to_owned();
        (self.process, self.url) = spawn(&self.folder, &port);
    }
}

/// Returns the command of the server, without its folder and port.
pub(crate) fn command() -> Command {
    let engine = std::env::var_os(STORE_ENGINE);
    let engine = engine.expect("STORE_ENGINE names a server: run `cargo xtask integration`");
    let mut parts = std::env::split_paths(&engine);
    let mut command = Command::new(parts.next().unwrap());
    command.args(parts);
    command
}

fn spawn(folder: &Path, port: &str) -> (Child, String) {
    let mut command = command();
    let mut process = command.arg(folder).arg(port).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("url=").expect("the server says where it listens");
    (process, url.to_owned())
}

/// As Linux lists them; empty elsewhere.
fn children(parent: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let id = entry.ok()?.file_name().into_string().ok()?;
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, in parentheses, may contain spaces.
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        Some((id, parent))
    });
    processes.filter(|(_, id)| *id == parent).map(|(child, _)| child).collect()
}

fn is_running(id: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"));
    // A zombie has no memory any more.
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
