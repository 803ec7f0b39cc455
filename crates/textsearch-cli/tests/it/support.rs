//! A working folder, and the program run in it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    pin::pin,
    process::Output,
    task::{Context, Poll, Waker},
};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;
use textsearch_core::vector::{RecordDefinition, ScanOptions, StoredRecord, VectorStore as _};
use textsearch_vector_inmemory::DiskVectorStore;

/// A working folder, deleted after the test.
pub(crate) struct Workplace {
    folder: TempDir,
}

/// The records of a store by collection, one per chunk, as its library reads them.
pub(crate) type StoredDocuments = Vec<(String, Vec<StoredRecord>)>;

pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workplace {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let workplace = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            workplace.write(path, text);
        }
        workplace
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    /// Sorted.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn stored(&self, path: &str) -> StoredDocuments {
        let store = DiskVectorStore::open_read_only(self.path(path)).unwrap();
        let names = now(store.collection_names()).unwrap();
        let records = |name: &String| {
            let collection = store.stored_collection(name, RecordDefinition::new("id")).unwrap();
            now(now(collection.scan(&ScanOptions::default())).unwrap().into_vec()).unwrap()
        };
        names.iter().map(|name| (name.clone(), records(name))).collect()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command_in(self.folder.path(), arguments)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs the program, which must succeed and print JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    }

    /// Indexes, and returns the numbers of added, changed, unchanged and removed documents.
    pub(crate) fn index(&self, arguments: &[&str]) -> [u64; 4] {
        let arguments = [&["index", "--output", "json"], arguments].concat();
        let summary = self.json(&arguments);
        ["added", "changed", "unchanged", "removed"].map(|field| summary[field].as_u64().unwrap())
    }

    /// Searches, and returns the links, best first.
    pub(crate) fn links(&self, arguments: &[&str]) -> Vec<String> {
        let arguments = [&["search", "--output", "json", "--top", "50"], arguments].concat();
        let answer = self.json(&arguments);
        let results = answer["results"].as_array().unwrap();
        results
            .iter()
            .map(|result| result["Link"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

/// Reads of stores in this process never wait, so `future` must be ready.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the store waits"),
    }
}

/// The program in `folder`, without settings of models, connectors and proxies in the environment.
pub(crate) fn command_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("textsearch").unwrap();
    let is_setting = |name: &str| {
        let name = name.to_ascii_uppercase();
        let connectors = [
            "ANTHROPIC_",
            "OPENAI_",
            "AZURE_OPENAI_",
            "QDRANT_",
            "RERANK_",
            "SEARXNG_",
            "BRAVE_",
            "TAVILY_",
            "PERPLEXITY_",
            "EXA_",
            "WEBIQ_",
            "LINKUP_",
            "SERPER_",
            "BING_",
            "GOOGLE_",
            "TEXTSEARCH_",
        ];
        name == "RUST_LOG"
            || name.ends_with("_PROXY")
            || connectors.iter().any(|start| name.starts_with(start))
    };
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_setting)) {
        command.env_remove(name);
    }
    // Without the settings of whoever runs the tests.
    command.env("XDG_CONFIG_HOME", folder.join(".config"));
    command.env("XDG_STATE_HOME", folder.join(".state"));
    command.current_dir(folder).args(arguments);
    command
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
