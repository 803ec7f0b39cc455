//! Finds calls that block their thread.

use std::{
    pin::pin,
    time::{Duration, Instant},
};

/// A thread may lose its core, so a call blocks only if each attempt does.
const ATTEMPTS: usize = 8;

/// Far more than a call computes on a few records or texts.
const LONGEST_POLL: Duration = Duration::from_millis(20);

pub(crate) async fn assert_free(name: &str, call: impl AsyncFn()) {
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
        let waits_before = waits();
        let begun = Instant::now();
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
