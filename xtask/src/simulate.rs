//! `cargo xtask simulate`: what a number of records needs, from measured constants.
//! `docs/guide/scaling.md` explains the table and checks it.

use anyhow::{Result, ensure};
use clap::Args;

use crate::table::table;

/// `docs/performance.md`, Memory: a record in memory, without its data and vector.
const RECORD: f64 = 112.0;

/// Bytes of memory for a record of the store on disk besides its codes: 409 MB for a million of
/// 384 dimensions, in `docs/decisions/0043-store-on-disk.md`.
const RECORD_ON_DISK: f64 = 24.0;

/// The store on disk searches a million vectors of 384 dimensions in 16 ms on one thread:
/// `docs/decisions/0043-store-on-disk.md`.
const SECONDS_PER_ELEMENT: f64 = 16e-3 / (1e6 * 384.0);

/// A search on disk takes as much longer than one in memory: from the same page.
const DISK_TIME: f64 = 1.25;

/// <https://qdrant.tech/documentation/guides/capacity-planning>, for vectors and for payloads.
const QDRANT_FACTOR: f64 = 1.5;

/// Bytes of a graph of 32 links: <https://milvus.io/ai-quick-reference/how-much-memory-overhead-is-typically-introduced-by-indexes-like-hnsw-or-ivf-for-a-given-number-of-vectors-and-how-can-this-overhead-be-managed-or-configured>
const MILVUS_GRAPH: f64 = 128.0;

#[derive(Debug, Args)]
pub(crate) struct Workload {
    /// Number of records, each with one vector
    #[arg(long)]
    records: u64,
    /// Length of a vector
    #[arg(long)]
    dimensions: u64,
    /// Copies of all records, each with one core for its searches
    #[arg(long, default_value_t = 1)]
    replicas: u64,
    /// Bytes of text in a record
    #[arg(long, default_value_t = 500)]
    text: u64,
    /// Memory of a node for records, in GB
    #[arg(long, value_name = "GB", default_value_t = 16)]
    node_memory: u64,
}

/// For one replica, in bytes; `rate` in searches a second.
struct Need {
    store: &'static str,
    memory: f64,
    disk: f64,
    /// Whether a replica may be spread over nodes.
    is_sharded: bool,
    rate: Option<f64>,
}

pub(crate) fn print(workload: &Workload) -> Result<()> {
    let numbers = [workload.records, workload.dimensions, workload.replicas, workload.node_memory];
    ensure!(!numbers.contains(&0), "simulate: a number is 0; give at least 1");
    println!("{}", report(workload));
    Ok(())
}

fn report(workload: &Workload) -> String {
    let headings = ["store", "memory", "disk", "nodes", "exact searches/s"].map(str::to_owned);
    let rows = needs(workload).into_iter().map(|need| row(&need, workload));
    let rows: Vec<_> = std::iter::once(headings).chain(rows).collect();
    let replicas = workload.replicas;
    format!(
        "{}\nAll numbers are for {replicas} replicas together. Searches: on one core for each replica.\n\
         Sources and a check: docs/guide/scaling.md. Measure a server's searches on the server.",
        table(&rows)
    )
}

#[expect(clippy::cast_precision_loss, reason = "estimates need two digits")]
fn needs(workload: &Workload) -> [Need; 4] {
    let records = workload.records as f64;
    let text = workload.text as f64;
    let floats = 4.0 * workload.dimensions as f64;
    let codes = workload.dimensions.next_multiple_of(64) as f64;
    let rate = 1.0 / (SECONDS_PER_ELEMENT * records * codes);
    // The words of a text take about as much as the text.
    let searchable = 2.0 * text;
    let need = |store, memory: f64, disk: f64, is_sharded, rate| Need {
        store,
        memory: records * memory,
        disk: records * disk,
        is_sharded,
        rate,
    };
    let in_memory = RECORD + 5.0 * codes + searchable;
    let on_disk = RECORD_ON_DISK + codes;
    let in_milvus = floats + MILVUS_GRAPH + text;
    [
        need("in memory", in_memory, in_memory, false, Some(rate * DISK_TIME)),
        need("on disk", on_disk, on_disk + floats + searchable, false, Some(rate)),
        need("Qdrant", QDRANT_FACTOR * floats, QDRANT_FACTOR * (floats + text), true, None),
        need("Milvus", in_milvus, in_milvus, true, None),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "estimates need two digits")]
fn row(need: &Need, workload: &Workload) -> [String; 5] {
    let replicas = workload.replicas as f64;
    let nodes = (need.memory / (workload.node_memory as f64 * 1e9)).ceil();
    let nodes = match (need.is_sharded, nodes > 1.0) {
        (false, true) => "too small".to_owned(),
        _ => format!("{}", nodes * replicas),
    };
    let gigabytes = |bytes: f64| format!("{:.1} GB", replicas * bytes / 1e9);
    let rate = need.rate.map_or_else(|| "measure".to_owned(), |rate| short(rate * replicas));
    [need.store.to_owned(), gigabytes(need.memory), gigabytes(need.disk), nodes, rate]
}

fn short(rate: f64) -> String {
    let digits = usize::from(rate < 10.0);
    format!("{rate:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_replicas_of_a_million_records() {
        let (records, dimensions, replicas, text) = (1_000_000, 384, 3, 500);
        let workload = Workload { records, dimensions, replicas, text, node_memory: 16 };
        let report = report(&workload);
        let table: Vec<&str> = report.lines().take(5).collect();
        assert_eq!(
            table,
            [
                "store      memory  disk    nodes  exact searches/s",
                "in memory  9.1 GB  9.1 GB  3      234",
                "on disk    1.2 GB  8.8 GB  3      188",
                "Qdrant     6.9 GB  9.2 GB  3      measure",
                "Milvus     6.5 GB  6.5 GB  3      measure",
            ]
        );
    }
}
