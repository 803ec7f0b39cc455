//! A tenant floods the server with writes, drips bodies, and sends a template that nests deeply.
//! Meanwhile another tenant searches and writes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{ARGUMENTS, DOCUMENTS, SECONDS, document, from_environment, resident};
use crate::{serve::Served, support::Workplace};

const TOKENS: &str = r#"
[[tokens]]
name = "hostile"
token = "hostile-hostile-hostile"
rights = ["search", "prompt", "upsert"]
filter = 'tenant = "hostile"'

[[tokens]]
name = "quiet"
token = "quiet-quiet-quiet"
rights = ["search", "upsert"]
filter = 'tenant = "quiet"'
"#;
const HOSTILE: &str = "hostile-hostile-hostile";
const QUIET: &str = "quiet-quiet-quiet";

const FLOODERS: usize = 16;
const DRIPPING: usize = 64;
const NESTING: usize = 1_200;

/// An unoptimised program indexes about 1 MiB in a second.
const MAX_ANSWER: Duration = Duration::from_secs(if cfg!(debug_assertions) { 15 } else { 5 });

/// How far the server's memory may grow: 64 MiB for bodies, as much for the parsed texts, and the
/// rest for running writes and the allocator.
const MAX_GROWTH: u64 = 384 << 20;

/// The requests of the hostile tenant.
struct Attack {
    address: String,
    is_over: AtomicBool,
    sent: AtomicU64,
    acknowledged: AtomicU64,
    templates: AtomicU64,
}

impl Attack {
    async fn send(&self, path: &str, length: usize, body: &[u8]) -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).await?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {HOSTILE}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body).await?;
        Ok(stream)
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }

    /// Sends writes of almost 1 MiB. Every second client disconnects at once.
    async fn flood(self: Arc<Self>, number: usize) {
        let text = "The anvil is made of iron and weighs a lot. ".repeat(23_000);
        for turn in 0.. {
            if !self.goes_on() {
                return;
            }
            // A document that changes nothing would cost less.
            let document =
                json!({ "id": format!("flood-{number}"), "text": format!("{turn} {text}") });
            let body = json!({ "documents": [document] }).to_string();
            // The server may refuse a write before it has read it.
            let Ok(mut stream) = self.send("/upsert", body.len(), body.as_bytes()).await else {
                continue;
            };
            self.sent.fetch_add(1, Ordering::Relaxed);
            let mut status = [0; 12];
            if number % 2 == 1 && stream.read_exact(&mut status).await.is_ok() {
                match &status {
                    b"HTTP/1.1 200" => drop(self.acknowledged.fetch_add(1, Ordering::Relaxed)),
                    // Its own line is too long.
                    b"HTTP/1.1 429" | b"HTTP/1.1 504" => {}
                    _ => panic!("{}", String::from_utf8_lossy(&status)),
                }
            }
        }
    }

    /// Sends a body byte by byte, and begins again when the server ends it.
    async fn drip(self: Arc<Self>) {
        while self.goes_on() {
            let Ok(mut stream) = self.send("/mcp", 1_000, b"{").await else { continue };
            while self.goes_on() && stream.write_all(b" ").await.is_ok() {
                let _ = timeout(Duration::from_millis(500), stream.read_u8()).await;
            }
        }
    }

    async fn nest(self: Arc<Self>, served: Arc<Served>) {
        let open = "(concat ".repeat(NESTING);
        let close = ")".repeat(NESTING);
        let body = json!({ "template": format!("{{{{concat {open}\"x\"{close}}}}}") });
        while self.goes_on() {
            let refused = served.post("/v1/prompt", body.clone(), HOSTILE).await;
            assert!(refused.is_err(), "{refused:?}");
            self.templates.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Sends requests one after the other until the attack ends. Returns their number and the time of the
/// slowest.
async fn slowest(
    served: Arc<Served>,
    attack: Arc<Attack>,
    request: fn(u64) -> (&'static str, Value),
) -> (u64, Duration) {
    let mut number = 0;
    let mut slowest = Duration::ZERO;
    while attack.goes_on() {
        let (path, body) = request(number);
        let begun = Instant::now();
        served.post(path, body, QUIET).await.unwrap();
        slowest = slowest.max(begun.elapsed());
        number += 1;
    }
    (number, slowest)
}

fn search(_: u64) -> (&'static str, Value) {
    ("/v1/search", json!({ "query": "anvil iron" }))
}

fn write(number: u64) -> (&'static str, Value) {
    ("/upsert", json!({ "documents": [document(&format!("{}", number % 3))] }))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures times, which tests beside it change; `cargo xtask stress serve` runs it"]
async fn a_hostile_tenant_keeps_no_other_waiting() {
    let place = Workplace::with(&[("tokens.toml", TOKENS)]);
    let served = Arc::new(Served::start(&place, &ARGUMENTS, &[]));
    let documents: Vec<Value> = (0..DOCUMENTS).map(|id| document(&id.to_string())).collect();
    served.post("/upsert", json!({ "documents": documents }), QUIET).await.unwrap();

    let attack = Arc::new(Attack {
        address: served.url.strip_prefix("http://").unwrap().to_owned(),
        is_over: AtomicBool::new(false),
        sent: AtomicU64::new(0),
        acknowledged: AtomicU64::new(0),
        templates: AtomicU64::new(0),
    });
    let before = resident(served.process.id());
    let mut attackers = JoinSet::new();
    (0..FLOODERS).for_each(|number| drop(attackers.spawn(Arc::clone(&attack).flood(number))));
    (0..DRIPPING).for_each(|_| drop(attackers.spawn(Arc::clone(&attack).drip())));
    attackers.spawn(Arc::clone(&attack).nest(Arc::clone(&served)));
    let quiet = [search, write]
        .map(|request| tokio::spawn(slowest(Arc::clone(&served), Arc::clone(&attack), request)));

    let seconds = from_environment("TEXTSEARCH_STRESS_SECONDS", SECONDS);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut peak = 0;
    while Instant::now() < end && !quiet.iter().any(tokio::task::JoinHandle::is_finished) {
        sleep(Duration::from_millis(50)).await;
        peak = resident(served.process.id()).max(peak);
    }
    attack.is_over.store(true, Ordering::Relaxed);
    let [searches, writes] = quiet;
    let (searches, slowest_search) = searches.await.unwrap();
    let (writes, slowest_write) = writes.await.unwrap();
    attackers.join_all().await;
    let after = resident(served.process.id());
    peak = peak.max(after);
    println!(
        "a tenant sent {} writes of 1 MiB, {} of them acknowledged, and {} templates, and dripped \
         {DRIPPING} bodies; another's slowest of {searches} searches took {} ms, of {writes} writes {} \
         ms; memory: {} MiB before, {} at most, {} after",
        attack.sent.load(Ordering::Relaxed),
        attack.acknowledged.load(Ordering::Relaxed),
        attack.templates.load(Ordering::Relaxed),
        slowest_search.as_millis(),
        slowest_write.as_millis(),
        before >> 20,
        peak >> 20,
        after >> 20,
    );
    assert!(attack.templates.load(Ordering::Relaxed) > 0);
    assert!(slowest_search.max(slowest_write) <= MAX_ANSWER);
    assert!(peak.saturating_sub(before) <= MAX_GROWTH, "{peak} bytes");
}
