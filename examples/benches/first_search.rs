//! Measures time and memory from process start to the first search over a snapshot: line `start` of
//! `docs/performance.md`.
//!
//! The program starts itself in turns: as a process that searches and, for comparison, as an idle
//! one.

#[path = "../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Instant,
};

use report::{Report, median, memory};
use serde_json::json;
use textsearch_core::{
    SearchOptions, TextSearch,
    vector::{
        DataField, RecordDefinition, StoredRecord, VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// As many as a folder of documents has chunks.
const RECORDS: usize = 500;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["search", path] => print!("{}", search(Path::new(path))),
        ["nothing"] => print!("{}", memory("VmHWM")),
        _ => measure(&Report::from_arguments()),
    }
}

fn measure(report: &Report) {
    let snapshot = Snapshot::write();
    let path = snapshot.0.to_str().expect("a path in letters");
    let runs = if report.quick { 3 } else { 40 };
    let mut searches = Vec::new();
    let mut nothings = Vec::new();
    for _ in 0..runs {
        searches.push(start(&["search", path]));
        nothings.push(start(&["nothing"]));
    }
    for (name, figures) in [("first search", searches), ("nothing", nothings)] {
        let (mut seconds, mut bytes): (Vec<f64>, Vec<f64>) = figures.into_iter().unzip();
        report.seconds(name, median(&mut seconds));
        report.bytes(&format!("{name}, memory"), median(&mut bytes));
    }
}

/// Returns seconds and peak memory in bytes.
fn start(arguments: &[&str]) -> (f64, f64) {
    let program = std::env::current_exe().expect("this program is a file");
    let begin = Instant::now();
    let output = Command::new(program).args(arguments).output().expect("it starts");
    let seconds = begin.elapsed().as_secs_f64();
    assert!(output.status.success(), "{output:?}");
    let bytes = String::from_utf8(output.stdout).expect("a number");
    (seconds, bytes.parse().expect("a number"))
}

fn search(path: &Path) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let store = InMemoryVectorStore::open_file(path).expect("a snapshot");
    let notes = store.dynamic_collection("notes", definition()).expect("the same definition");
    let search: Arc<dyn TextSearch> = Arc::new(VectorStoreTextSearch::new(notes));
    let results = runtime.block_on(async {
        let results = search.text_search_results("word7 word42", &SearchOptions::top(10)).await;
        results.expect("results").into_vec().await.expect("results")
    });
    assert_eq!(results.len(), 10);
    memory("VmHWM")
}

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text_in("en"))
        .with_value_field("text")
}

/// Dropping it deletes the file.
struct Snapshot(PathBuf);

impl Snapshot {
    fn write() -> Self {
        let name = format!("textsearch-first-search-{}.tsvs", std::process::id());
        let path = std::env::temp_dir().join(name);
        let store = InMemoryVectorStore::new();
        let notes = store.dynamic_collection("notes", definition()).expect("a collection");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            notes.ensure_exists().await.expect("it is new");
            notes.upsert((0..RECORDS).map(record).collect()).await.expect("they fit");
        });
        store.save_to_file(&path).expect("a file");
        Self(path)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // The operating system cleans up temporary files.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A hundred words, which records partly share.
fn record(number: usize) -> StoredRecord {
    let words: Vec<String> =
        (0..100).map(|place| format!("word{}", (number * 31 + place * 7) % 1_000)).collect();
    let data = json!({ "id": number.to_string(), "text": words.join(" ") });
    let data = data.as_object().expect("an object").clone();
    StoredRecord::new(data, &definition()).expect("the key is a text")
}
