//! A server that a test can kill and restart.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The path of the program.
const QDRANT_ENGINE: &str = "QDRANT_ENGINE";

/// Dropping this stops the engine and deletes its folder.
pub(crate) struct Engine {
    process: Child,
    folder: PathBuf,
    pub(crate) url: String,
}

impl Engine {
    pub(crate) fn start(name: &str) -> Self {
        let folder = format!("textsearch-qdrant-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = std::fs::remove_dir_all(&folder);
        let (process, url) = spawn(&folder, "0");
        Self { process, folder, url }
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        let port = self.url.rsplit(':').next().unwrap().to_owned();
        (self.process, self.url) = spawn(&self.folder, &port);
    }
}

fn spawn(folder: &Path, port: &str) -> (Child, String) {
    let program = std::env::var_os(QDRANT_ENGINE);
    let program = program.expect("QDRANT_ENGINE names a program that the test may end");
    let mut command = Command::new(program);
    let mut process = command.arg(folder).arg(port).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("url=").expect("the engine says where it listens");
    (process, url.to_owned())
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
