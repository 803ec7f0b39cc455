//! A server that a test can kill and restart.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use textsearch_conformance::core::vector::VectorStore as _;
use textsearch_milvus::{MilvusConfig, MilvusStore};

/// Python with the packages milvus-lite and pymilvus.
const MILVUS_PYTHON: &str = "MILVUS_PYTHON";

const SCRIPT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/integration/milvus/server.py");

/// Dropping this stops the server and deletes its folder.
pub(crate) struct Engine {
    process: Child,
    folder: PathBuf,
    url: String,
}

impl Engine {
    pub(crate) fn start(name: &str) -> Self {
        let folder = format!("textsearch-milvus-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        let (process, url) = spawn(&folder, "0");
        Self { process, folder, url }
    }

    /// Returns a store that doesn't retry, once the server accepts connections.
    pub(crate) async fn store(&self) -> MilvusStore {
        let config = MilvusConfig::new(self.url.as_str()).with_max_attempts(1);
        let store = MilvusStore::new(config).unwrap();
        for _ in 0..300 {
            match store.collection_names().await {
                Ok(_) => return store,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        panic!("no connection within 30 seconds: see {}", self.folder.join("log").display());
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

pub(crate) fn python() -> Command {
    let python = std::env::var_os(MILVUS_PYTHON);
    let python = python.expect("MILVUS_PYTHON names a Python with milvus-lite and pymilvus");
    Command::new(python)
}

fn spawn(folder: &Path, port: &str) -> (Child, String) {
    let mut command = python();
    command.arg(SCRIPT).arg(folder).arg(port).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("url=").expect("the server says where it listens");
    (process, url.to_owned())
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
