//! Load on `textsearch serve`: 64 clients meet no error while its memory stays bounded, and no
//! acknowledged write is lost when it is killed. A hostile tenant keeps no other waiting.
//!
//! `cargo xtask stress serve` sets `TEXTSEARCH_STRESS_SECONDS` and `TEXTSEARCH_STRESS_KILLS`.
#![expect(clippy::print_stdout, reason = "`cargo xtask stress serve` shows it")]

mod hostile_tenant;

use std::{
    env, fs,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{serve::Served, support::Workplace};

const SECONDS: u64 = 2;
const KILLS: u64 = 3;

/// The time after which memory is measured, if the first answers took no longer.
const WARM_UP: Duration = Duration::from_secs(1);

/// The maximum time to wait for the first answers.
const PATIENCE: Duration = Duration::from_secs(30);

const CLIENTS: usize = 64;
const WRITERS: usize = 8;

/// The documents of the store.
const DOCUMENTS: usize = 200;

/// How far the server's memory may grow after its first answers. The documents that MCP
/// clients found take 16 MiB of it at most, and the allocator keeps some.
const MAX_GROWTH: u64 = 64 << 20;

const ARGUMENTS: [&str; 5] = ["--store", "notes.index", "--tokens", "tokens.toml", "--writable"];

const TOKEN: &str = "writer-writer-writer";
const TOKENS: &str = r#"
[[tokens]]
name = "writer"
token = "writer-writer-writer"
rights = ["search", "prompt", "upsert", "metrics"]
filter = 'tenant = "acme"'
"#;

fn from_environment(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().unwrap())
}

fn document(id: &str) -> Value {
    let text = format!("The anvil {id} is made of iron. {}", "It weighs a lot. ".repeat(20));
    json!({ "id": id, "text": text, "metadata": { "author": "Ann" } })
}

/// The requests of a client, by turns.
fn request(client: usize, turn: usize) -> (&'static str, Value) {
    match (client + turn) % 5 {
        0 => ("/v1/search", json!({ "query": "anvil iron", "include_total_count": true })),
        1 => {
            let filter = "author = \"Ann\" and created_at exists or author exists";
            (
                "/v1/search",
                json!({ "query": "heavy", "kind": "records", "top": 50, "filter": filter }),
            )
        }
        2 => {
            let template =
                "{{#each (SearchPlugin-GetSearchResults query count=9)}}{{Value}}{{/each}}";
            let arguments = json!({ "query": format!("anvil {turn}") });
            ("/v1/prompt", json!({ "template": template, "arguments": arguments }))
        }
        3 => {
            let query = json!({ "query": "iron", "filter": { "author": "Ann" }, "top_k": 20 });
            ("/query", json!({ "queries": [query, { "query": format!("anvil {turn}") }] }))
        }
        _ => {
            let arguments = json!({ "query": format!("anvil {turn}"), "count": 20 });
            let params = json!({ "name": "docs-GetSearchResults", "arguments": arguments });
            (
                "/mcp",
                json!({ "jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params }),
            )
        }
    }
}

/// Replaces the same documents again and again.
fn write(writer: usize, turn: usize) -> (&'static str, Value) {
    let ids = [format!("w{writer}-{}", turn % 3), format!("w{writer}-x")];
    ("/upsert", json!({ "documents": ids.map(|id| document(&id)) }))
}

/// In bytes, from Linux; 0 elsewhere.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kilobytes.map_or(0, |text| text.trim().parse::<u64>().unwrap() * 1024)
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_meet_no_error_in_bounded_memory() {
    let place = Workplace::with(&[("tokens.toml", TOKENS)]);
    let served = Arc::new(Served::start(&place, &ARGUMENTS, &[]));
    let documents: Vec<Value> = (0..DOCUMENTS).map(|id| document(&id.to_string())).collect();
    served.post("/upsert", json!({ "documents": documents }), TOKEN).await.unwrap();

    let seconds = from_environment("TEXTSEARCH_STRESS_SECONDS", SECONDS);
    let done = Arc::new(AtomicU64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let served = Arc::clone(&served);
        let done = Arc::clone(&done);
        let is_over = Arc::clone(&is_over);
        clients.spawn(async move {
            for turn in 0.. {
                // Two clients write.
                let (path, body) =
                    if client < 2 { write(client, turn) } else { request(client, turn) };
                let answer = served.post(path, body, TOKEN).await.unwrap();
                let is_error = answer.get("error").is_some() || answer["result"]["isError"] == true;
                assert!(!is_error, "{path}: {answer}");
                done.fetch_add(1, Ordering::Relaxed);
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
    }
    let warm_up = async {
        sleep(WARM_UP).await;
        while done.load(Ordering::Relaxed) < CLIENTS as u64 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, warm_up).await.expect("the first answers");
    let end = Instant::now() + Duration::from_secs(seconds).saturating_sub(WARM_UP);
    let begun = resident(served.process.id());
    let mut max = 0;
    while !clients.is_empty() {
        tokio::select! {
            finished = clients.join_next() => finished.unwrap().unwrap(),
            () = sleep(Duration::from_millis(100)) => {
                max = max.max(resident(served.process.id()));
                is_over.store(Instant::now() >= end, Ordering::Relaxed);
            }
        }
    }
    let grown = max.saturating_sub(begun);
    let done = done.load(Ordering::Relaxed);
    let megabyte = 1 << 20;
    println!(
        "{CLIENTS} clients: {done} requests without an error; {} MiB of memory, {} MiB of growth",
        max / megabyte,
        grown / megabyte
    );
    assert!(done > CLIENTS as u64);
    assert!(grown <= MAX_GROWTH, "{grown} bytes");
}

/// Writes new documents until the server is gone. Returns the acknowledged ids.
async fn write_until_killed(
    served: Arc<Served>,
    name: String,
    written: Arc<Notify>,
) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for number in 0.. {
        let ids = [format!("{name}-{number}-a"), format!("{name}-{number}-b")];
        let body = json!({ "documents": ids.each_ref().map(|id| document(id)) });
        match served.post("/upsert", body, TOKEN).await {
            Ok(answer) => {
                assert_eq!(answer, json!({ "ids": ids }));
                acknowledged.extend(ids);
                written.notify_one();
            }
            Err(_) => break,
        }
    }
    acknowledged
}

/// Returns the ids that the server finds.
async fn stored_ids(served: &Served, ids: &[String]) -> Vec<String> {
    let mut stored = Vec::new();
    for ids in ids.chunks(32) {
        let query = |id: &String| json!({ "query": "anvil", "filter": { "document_id": id } });
        let queries: Vec<Value> = ids.iter().map(query).collect();
        let answer = served.post("/query", json!({ "queries": queries }), TOKEN).await.unwrap();
        for result in answer["results"].as_array().unwrap() {
            let chunk = &result["results"][0];
            assert_eq!(chunk["metadata"]["author"], "Ann", "{result}");
            stored.push(chunk["metadata"]["document_id"].as_str().unwrap().to_owned());
        }
    }
    stored
}

#[tokio::test(flavor = "multi_thread")]
async fn no_acknowledged_write_is_lost_when_killed_under_load() {
    let kills = from_environment("TEXTSEARCH_STRESS_KILLS", KILLS);
    let place = Workplace::with(&[("tokens.toml", TOKENS)]);
    let mut random = fastrand::Rng::with_seed(7);
    let mut acknowledged = Vec::new();
    for kill in 1..=kills {
        let served = Arc::new(Served::start(&place, &ARGUMENTS, &[]));
        let mut writers = JoinSet::new();
        let first_write = Arc::new(Notify::new());
        for writer in 0..WRITERS {
            let name = format!("{kill}-{writer}");
            let written = Arc::clone(&first_write);
            writers.spawn(write_until_killed(Arc::clone(&served), name, written));
        }
        timeout(PATIENCE, first_write.notified()).await.expect("a write is acknowledged");
        sleep(Duration::from_millis(random.u64(..350))).await;
        let process = served.process.id().to_string();
        assert!(Command::new("kill").args(["-KILL", &process]).status().unwrap().success());
        let written: Vec<String> = writers.join_all().await.concat();
        let number = written.len();
        acknowledged.extend(written);
        drop(served);
        let served = Served::start(&place, &ARGUMENTS, &[]);
        assert_eq!(stored_ids(&served, &acknowledged).await, acknowledged);
        println!(
            "kill {kill:2} of {kills}, with {WRITERS} writers: {number} writes acknowledged; all {} found",
            acknowledged.len()
        );
    }
}
