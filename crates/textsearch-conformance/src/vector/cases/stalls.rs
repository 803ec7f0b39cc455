//! No call may block its thread.

use std::{
    pin::pin,
    time::{Duration, Instant},
};

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{GetOptions, ScanOptions, SearchInput, VectorSearchOptions},
};

use crate::vector::{
    VectorSubject,
    fixture::{all, definition, direction, record},
};

/// A thread may lose its core, so a call blocks only if each attempt does.
const ATTEMPTS: usize = 8;

/// Far more than a call computes on three records.
const LONGEST_POLL: Duration = Duration::from_millis(20);

/// The calls wait for I/O, locks and other threads asynchronously.
pub async fn no_call_blocks_its_thread(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let records = || {
        let one = |number: u16| {
            let data = json!({ "title": "apple", "year": number });
            record(&number.to_string(), data).with_vector("embedding", direction(number))
        };
        (0..3).map(one).collect::<Vec<_>>()
    };
    let collection = &docs.collection;
    let (year, scan) = (Filter::eq("year", 1), ScanOptions::default());
    let query = SearchInput::from(&direction(1)[..]);
    check("exists", async || drop(collection.exists().await)).await;
    check("ensure_exists", async || drop(collection.ensure_exists().await)).await;
    check("collection_names", async || drop(docs.store.collection_names().await)).await;
    check("upsert", async || docs.upsert(records()).await).await;
    check("get", async || {
        drop(collection.get(&["1".into()], &GetOptions::default()).await);
    })
    .await;
    check("scan", async || drop(docs.try_scan(&scan).await)).await;
    check("search", async || drop(docs.nearest(&direction(1), &all()).await)).await;
    check("search_batch", async || {
        let inputs = [query.clone(), query.clone()];
        drop(collection.search_batch(&inputs, &VectorSearchOptions::top(2)).await);
    })
    .await;
    if subject.capabilities.full_text {
        check("full_text_search", async || drop(docs.worded("apple", &all()).await)).await;
    }
    if subject.capabilities.hybrid {
        check("hybrid_search", async || {
            drop(docs.hybrid("apple", &direction(1), &all()).await);
        })
        .await;
    }
    check("delete", async || drop(collection.delete(&["2".into()]).await)).await;
    check("delete_matching", async || drop(collection.delete_matching(&year).await)).await;
    check("delete_collection", async || drop(collection.delete_collection().await)).await;
}

async fn check(name: &str, call: impl AsyncFn()) {
    for _ in 0..ATTEMPTS {
        if !blocks(call()).await {
            return;
        }
    }
    panic!("`{name}` blocks its thread: it waits within a poll");
}

async fn blocks(call: impl Future<Output = ()>) -> bool {
    let mut call = pin!(call);
    let mut has_blocked = false;
    std::future::poll_fn(|context| {
        let (waits_before, begun) = (waits(), Instant::now());
        let polled = call.as_mut().poll(context);
        has_blocked |= begun.elapsed() > LONGEST_POLL || waits() > waits_before;
        polled.map(|()| has_blocked)
    })
    .await
}

/// Returns how often this thread has waited, so that short waits are found too. 0 outside Linux.
fn waits() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or_default()
}
