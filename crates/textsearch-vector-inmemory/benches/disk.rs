//! Compares the stores on disk and in memory: time to open, memory, exact searches of rows with
//! texts, upserts a second, and memory while writing. Line `disk` of
//! `docs/performance.md`: a million rows; without `--many`, 100,000.
//!
//! Each part runs in a process of its own, so that its memory is its own.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark prints, and one that cannot run has nothing to say"
)]

#[expect(dead_code, reason = "not all of it is wanted here")]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{
    env,
    num::NonZero,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use report::Report;
use serde_json::{Map, json};
use textsearch_core::vector::{
    DataField, RecordDefinition, SearchInput, StoredRecord, VectorCollection, VectorField,
    VectorSearchOptions, VectorStore,
};
use textsearch_vector_inmemory::{DiskVectorStore, InMemoryVectorStore};

const DIMENSIONS: usize = 384;
const BATCH: usize = 1000;
const QUERIES: usize = 30;
const WORDS: usize = 60;
const REPLICAS: usize = 3;
const WARM_UP: Duration = Duration::from_secs(5);
const COUNTED: Duration = Duration::from_secs(10);

const PART: &str = "TEXTSEARCH_BENCH_PART";
const FOLDER: &str = "TEXTSEARCH_BENCH_FOLDER";
const ROWS: &str = "TEXTSEARCH_BENCH_ROWS";

fn main() {
    if let Ok(part) = env::var(PART) {
        return run_part(&part);
    }
    let report = Report::from_arguments();
    let many = env::args().any(|argument| argument == "--many");
    let rows = match (report.quick, many) {
        (true, _) => 2000,
        (false, true) => 1_000_000,
        (false, false) => 100_000,
    };
    let folder = tempfile::tempdir().expect("there is room");
    for part in ["write", "read", "memory"] {
        let program = env::current_exe().expect("it runs");
        let mut command = Command::new(program);
        command.env(PART, part).env(FOLDER, folder.path()).env(ROWS, rows.to_string());
        let output = command.stderr(Stdio::inherit()).output().expect("it starts");
        assert!(output.status.success(), "{part} failed");
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut fields = line.split('\t');
            let mut next = || fields.next().expect("a line has three fields");
            let (name, value, unit) = (next(), next(), next());
            let value: f64 = value.parse().expect("it is a number");
            report.print(&format!("disk, {name}"), value, unit, format_args!("{value:.6} {unit}"));
        }
    }
    // Last, since the parts above measure alone.
    let (rate, memory) = replicas(folder.path());
    let name = format!("disk, {REPLICAS} processes read");
    report.print(&format!("{name}, memory"), memory, "B", format_args!("{memory:.0} B"));
    report.print(&name, 1.0 / rate, "s", format_args!("{rate:.1} searches/s"));
}

/// Returns the searches a second and the memory of several processes together, which search the
/// same store at the same time.
fn replicas(folder: &Path) -> (f64, f64) {
    let program = env::current_exe().expect("it runs");
    let start = || {
        let mut command = Command::new(&program);
        command.env(PART, "replica").env(FOLDER, folder).env(ROWS, "0");
        command.stdout(Stdio::piped()).spawn().expect("it starts")
    };
    let processes: Vec<_> = (0..REPLICAS).map(|_| start()).collect();
    let outputs = processes.into_iter().map(|process| process.wait_with_output().expect("it ends"));
    let mut sums = [0.0, 0.0];
    for output in outputs {
        assert!(output.status.success(), "a replica failed");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let values = text.lines().filter_map(|line| line.split('\t').nth(1)?.parse::<f64>().ok());
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sums.into()
}

fn run_part(part: &str) {
    let folder = env::var(FOLDER).expect("the parent sets it");
    let rows = env::var(ROWS).expect("the parent sets it").parse().expect("it is a number");
    match part {
        "write" => write(Path::new(&folder), rows),
        "read" => read(Path::new(&folder)),
        "replica" => replica(Path::new(&folder)),
        _ => in_memory(rows),
    }
}

fn tell(name: &str, value: f64, unit: &str) {
    println!("{name}\t{value}\t{unit}");
}

fn write(folder: &Path, rows: usize) {
    let store = DiskVectorStore::open(folder).expect("the folder is empty");
    let start = Instant::now();
    fill(&store, rows);
    drop(store);
    let seconds = start.elapsed().as_secs_f64();
    tell("upsert with texts, a record", seconds / rows as f64, "s");
    tell("written, peak of memory", report::memory("VmHWM"), "B");
}

fn read(folder: &Path) {
    let start = Instant::now();
    let store = DiskVectorStore::open_read_only(folder).expect("it was written");
    let store = store.with_threads(NonZero::<usize>::MIN);
    let docs = store.stored_collection("bench", definition()).expect("it fits");
    assert!(wait(docs.exists()).expect("it is read"), "the collection is missing");
    tell("opened", start.elapsed().as_secs_f64(), "s");
    search(&docs, "search");
    tell("searched, memory", report::memory("VmRSS"), "B");
    let options = VectorSearchOptions::top(10);
    let start = Instant::now();
    for number in 0..QUERIES {
        let words = format!("word{} word{}", number * 7, number * 311);
        let results = wait(docs.full_text_search(&words, &options)).expect("it fits");
        wait(results.into_vec()).expect("it is read");
    }
    tell("full text", start.elapsed().as_secs_f64() / QUERIES as f64, "s");
}

/// Counts searches while all replicas have read their codes.
fn replica(folder: &Path) {
    let started = Instant::now();
    let store = DiskVectorStore::open_read_only(folder).expect("it was written");
    let store = store.with_threads(NonZero::<usize>::MIN);
    let docs = store.stored_collection("bench", definition()).expect("it fits");
    let mut random = fastrand::Rng::with_seed(99);
    let mut searches = 0;
    while started.elapsed() < WARM_UP + COUNTED {
        let query = SearchInput::Vector(vector(&mut random));
        let results = wait(docs.search(&query, &VectorSearchOptions::top(10))).expect("it fits");
        assert_eq!(wait(results.into_vec()).expect("records are read").len(), 10);
        searches += usize::from(started.elapsed() > WARM_UP);
    }
    tell("searches", searches as f64 / COUNTED.as_secs_f64(), "/s");
    tell("memory", report::memory("VmRSS"), "B");
}

fn in_memory(rows: usize) {
    let store = InMemoryVectorStore::new().with_threads(NonZero::<usize>::MIN);
    fill(&store, rows);
    search(&store.stored_collection("bench", definition()).expect("it fits"), "search in memory");
    tell("searched in memory, memory", report::memory("VmRSS"), "B");
}

/// The first search reads codes; it is told apart.
fn search(docs: &Arc<dyn VectorCollection>, name: &str) {
    let options = VectorSearchOptions::top(10);
    let mut random = fastrand::Rng::with_seed(99);
    let mut times: Vec<f64> = (0..QUERIES)
        .map(|_| {
            let query = SearchInput::Vector(vector(&mut random));
            let start = Instant::now();
            let results = wait(docs.search(&query, &options)).expect("it fits");
            assert_eq!(wait(results.into_vec()).expect("records are read").len(), 10);
            start.elapsed().as_secs_f64()
        })
        .collect();
    tell(&format!("{name}, first"), times.remove(0), "s");
    times.sort_by(f64::total_cmp);
    tell(name, times.get(times.len() / 2).copied().unwrap_or_default(), "s");
}

fn fill(store: &impl VectorStore, rows: usize) {
    let docs = store.stored_collection("bench", definition()).expect("it fits");
    wait(docs.ensure_exists()).expect("it is new");
    let mut random = fastrand::Rng::with_seed(7);
    for first in (0..rows).step_by(BATCH) {
        let batch = (first..rows.min(first + BATCH)).map(|number| record(number, &mut random));
        wait(docs.upsert(batch.collect())).expect("they fit");
    }
}

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text())
        .with_vector(VectorField::new("embedding", DIMENSIONS))
}

fn record(number: usize, random: &mut fastrand::Rng) -> StoredRecord {
    // Some words are far more common than others.
    let word = |random: &mut fastrand::Rng| format!("word{}", 20_000_f64.powf(random.f64()) as u32);
    let text: Vec<String> = (0..WORDS).map(|_| word(random)).collect();
    let data = [("id", json!(format!("{number:08}"))), ("text", json!(text.join(" ")))];
    let data = Map::from_iter(data.map(|(name, value)| (name.to_owned(), value)));
    let record = StoredRecord::new(data, &RecordDefinition::new("id")).expect("the key is a text");
    record.with_vector("embedding", vector(random))
}

fn vector(random: &mut fastrand::Rng) -> Arc<[f32]> {
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

thread_local! {
    static RUNTIME: tokio::runtime::Runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("it can be built");
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.with(|runtime| runtime.block_on(future))
}
