//! What each wrapper adds to a search for ten results in memory: the lines `compose` of
//! `docs/performance.md`.
//!
//! Wrappers take turns with the inner search, and each turn's difference counts. `FanOut` has two
//! sources, so it is compared with both searches in sequence. Nothing here waits: a search finishes
//! at its first poll. For profiling, `--only fan-out` repeats one wrapper.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[expect(dead_code, reason = "no memory is measured here")]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use report::{Report, median};
use textsearch_compose::{
    CacheSettings, Cached, Fallback, FanOut, FanOutSettings, RateLimit, RateLimited, Reranked,
    Sources, Timed,
};
use textsearch_core::{
    FixedSearch, Result, SearchOptions, TextSearch, TextSearchResult, async_trait, rerank::Reranker,
};

/// Searches per turn, and turns.
const SEARCHES: usize = 2_000;
const TURNS: usize = 200;

const RESULTS: usize = 10;

type Search = Arc<dyn TextSearch>;

struct Free;

#[async_trait]
impl Reranker for Free {
    fn name(&self) -> &str {
        "free"
    }

    async fn rerank(&self, _: &str, texts: &[String]) -> Result<Vec<f64>> {
        Ok((0..texts.len()).map(|number| number as f64).collect())
    }
}

fn pages(site: &str) -> Search {
    let page = |number: usize| {
        let text = format!("A text as long as a snippet of a web search: {}", "x".repeat(100));
        TextSearchResult::new(text)
            .with_name(format!("Page {number}"))
            .with_link(format!("https://{site}.example/pages/{number}"))
    };
    Arc::new(FixedSearch::new((0..RESULTS).map(page).collect::<Vec<_>>()))
}

/// Reads each result, as a program does.
fn search(search: &Search, query: &str) {
    let read = async {
        let options = SearchOptions::top(RESULTS);
        search.text_search_results(query, &options).await?.into_vec().await
    };
    let results = read.now_or_never().expect("nothing waits").expect("results");
    assert_eq!(black_box(results).len(), RESULTS);
}

fn seconds(searches: usize, mut work: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    (0..searches).for_each(&mut work);
    start.elapsed().as_secs_f64() / searches as f64
}

/// The wrappers over one search.
fn layers() -> Vec<(&'static str, Search)> {
    let long = Duration::from_secs(60);
    let inside = || pages("one");
    let fallback = Fallback::new(Sources::new("one", inside()).with_source("other", inside()));
    // A nanosecond between two searches: the limit is never reached.
    let limit = RateLimit::new(1_000_000_000, Duration::from_secs(1)).with_burst(1_000_000_000);
    let limited = RateLimited::new(inside(), limit).expect("a limit");
    vec![
        ("time limits", Arc::new(Timed::new(inside(), long).with_total_timeout(long))),
        ("fallback", Arc::new(fallback.expect("two names"))),
        ("rate limit", Arc::new(limited)),
        ("reranker", Arc::new(Reranked::new(inside(), Free).with_candidates(RESULTS))),
    ]
}

fn fan_out() -> Search {
    let sources = Sources::new("one", pages("one")).with_source("other", pages("other"));
    Arc::new(FanOut::new(sources, FanOutSettings::default()).expect("two names"))
}

fn cached() -> Search {
    Arc::new(Cached::new(pages("one"), CacheSettings::default()).expect("settings"))
}

/// For a profiler.
fn repeat(name: &str) {
    let mut layers = layers();
    layers.extend([("inside", pages("one")), ("fan-out", fan_out()), ("cache", cached())]);
    let (_, layer) = layers.into_iter().find(|(other, _)| *other == name).expect("its name");
    // A new query each time, so that a cache misses.
    seconds(SEARCHES, |number| search(&layer, &number.to_string()));
}

fn main() {
    let report = Report::from_arguments();
    // Time limits need its clock.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let _inside = runtime.enter();
    if let Some(name) = std::env::args().skip_while(|argument| argument != "--only").nth(1) {
        return repeat(&name);
    }
    measure(&report);
}

fn measure(report: &Report) {
    let (searches, turns) = if report.quick { (10, 2) } else { (SEARCHES, TURNS) };
    let inside = pages("one");
    let other = pages("other");
    let layers = layers();
    let fan_out = fan_out();
    let cached = cached();
    let mut bare = Vec::new();
    let mut hits = Vec::new();
    let mut added = vec![Vec::new(); layers.len() + 2];
    for turn in 0..turns {
        let alone = seconds(searches, |_| search(&inside, "query"));
        bare.push(alone);
        for ((_, layer), added) in layers.iter().zip(&mut added) {
            added.push(seconds(searches, |_| search(layer, "query")) - alone);
        }
        let both = alone + seconds(searches, |_| search(&other, "query"));
        let fused = seconds(searches, |_| search(&fan_out, "query"));
        let missed = seconds(searches, |number| search(&cached, &format!("{turn} {number}")));
        let [.., of_fan_out, of_miss] = added.as_mut_slice() else { return };
        of_fan_out.push(fused - both);
        of_miss.push(missed - alone);
        hits.push(seconds(searches, |_| search(&cached, "query")) / RESULTS as f64);
    }
    report.seconds("compose, inside", median(&mut bare));
    let names = layers.iter().map(|(name, _)| *name).chain(["fan-out", "cache, first search"]);
    for (name, added) in names.zip(&mut added) {
        report.seconds(&format!("compose, {name}"), median(added));
    }
    report.seconds("compose, cached result", median(&mut hits));
}
