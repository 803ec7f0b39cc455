//! Memory of a document store relative to its text. The target is 3 times the text (line `index` in
//! `docs/performance.md`).
//!
//! A separate program: memory that other benchmarks freed would be reused unnoticed. With the
//! argument `index`, it indexes a few documents for a profiler.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints, and one that cannot run must stop"
)]

#[expect(dead_code, reason = "no time is measured here")]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;
mod support;

use futures_util::FutureExt as _;
use report::{Report, memory};
use support::{markdown, open};

/// 18.6 MB of text.
const DOCUMENTS: usize = 1000;

fn main() {
    let report = Report::from_arguments();
    let is_profiled = std::env::args().any(|argument| argument == "index");
    let documents = if report.quick || is_profiled { DOCUMENTS / 5 } else { DOCUMENTS };
    let before = memory("VmRSS");
    let store = open();
    let mut text = 0;
    let documents = markdown(documents).inspect(|document| text += document.text.len());
    store.upsert(documents).now_or_never().unwrap().unwrap();
    let taken = memory("VmRSS") - before;
    let ratio = taken / text as f64;
    let for_people = format_args!("{ratio:.2}: {taken} bytes");
    report.print("memory, times the text", ratio, "1", for_people);
    drop(store);
}
