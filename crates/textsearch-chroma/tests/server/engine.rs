//! A server that a test can kill and restart.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use textsearch_chroma::{ChromaConfig, ChromaStore, http::HttpSettings};
use textsearch_conformance::core::vector::VectorStore as _;

/// The server's program.
const CHROMA_PROGRAM: &str = "CHROMA_PROGRAM";

/// Dropping this stops the server and deletes its folder.
pub(crate) struct Engine {
    process: Child,
    folder: PathBuf,
    port: u16,
}

impl Engine {
    pub(crate) fn start(name: &str) -> Self {
        let folder = format!("textsearch-chroma-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { process: spawn(&folder, port), folder, port }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Waits until the server answers. Requests through the store are sent once.
    pub(crate) async fn store(&self) -> ChromaStore {
        let store =
            ChromaStore::new(ChromaConfig::new(self.url()).with_http_settings(once())).unwrap();
        for _ in 0..300 {
            if store.collection_names().await.is_ok() {
                return store;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("no answer within 30 seconds: see {}", self.folder.join("log").display());
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        self.process = spawn(&self.folder, self.port);
    }
}

/// Settings without retries.
pub(crate) fn once() -> HttpSettings {
    HttpSettings::default().with_max_attempts(1).with_max_body_bytes(1 << 28)
}

fn spawn(folder: &Path, port: u16) -> Child {
    let program = std::env::var_os(CHROMA_PROGRAM);
    let program = program.expect("CHROMA_PROGRAM names the program `chroma`");
    let log = fs::OpenOptions::new().create(true).append(true).open(folder.join("log")).unwrap();
    let mut command = Command::new(program);
    command.args(["run", "--host", "127.0.0.1", "--port", &port.to_string(), "--path"]);
    command.arg(folder.join("data")).stdout(log).stderr(Stdio::null()).spawn().unwrap()
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
