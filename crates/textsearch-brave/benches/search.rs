//! Overhead of a connector over a bare HTTP client and parser, and the cost of oversized bodies:
//! the `web-*` lines of `docs/performance.md`.
//!
//! - `web-search`: searches in sequence.
//! - `web-concurrent`: 64 concurrent searches.
//! - `web-limits`: a response of 100 MB (body), or of 10 GB after decompression (bomb). Measures
//!   the time to the error, and memory growth beyond the body limit.
//!
//! Both sides take turns, so a busy machine slows both. For profiling, the argument `bare` or
//! `connector` runs only that side; a number after it sets the concurrency.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;
#[path = "support/server.rs"]
mod server;

use std::time::Instant;

use futures_util::{StreamExt, stream};
use report::{Report, median, memory};
use serde::Deserialize;
use server::Server;
use textsearch_brave::{
    BraveConfig, BraveTextSearch, BraveWebPage,
    http::{HttpSettings, Url},
};
use textsearch_core::{SearchOptions, TextSearchConnector};

/// Searches per turn, and turns per side.
const SEARCHES: usize = 500;
const TURNS: usize = 30;

#[derive(Deserialize)]
struct Answer {
    web: Web,
}

#[derive(Deserialize)]
struct Web {
    results: Vec<BraveWebPage>,
}

fn main() {
    let report = Report::from_arguments();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let server = Server::with_ten_results();
        let sides = Sides::new(&server).await;
        let mut arguments = std::env::args();
        if let Some(side) = arguments.find(|argument| argument == "bare" || argument == "connector")
        {
            let at_once = arguments.next().and_then(|number| number.parse().ok());
            return sides.repeat(&side, at_once.unwrap_or(1)).await;
        }
        sides.compare(&report, "web-search", 1).await;
        sides.compare(&report, "web-concurrent", 64).await;
        endless(&report, "web-limits, body", &Server::with_large_body()).await;
        endless(&report, "web-limits, bomb", &Server::with_gzip_bomb()).await;
    });
}

fn bare_client() -> reqwest::Client {
    // The workspace builds reqwest without a provider for TLS, which the client needs even here.
    let provider = rustls::crypto::ring::default_provider();
    provider.install_default().expect("nothing else installs a provider");
    reqwest::Client::new()
}

struct Sides {
    bare: reqwest::Client,
    url: Url,
    connector: BraveTextSearch,
}

impl Sides {
    async fn new(server: &Server) -> Self {
        let query = "q=rust&count=10&text_decorations=false&result_filter=query%2Cweb&offset=0";
        let address = format!("{}?{query}", server.address());
        let connector = connector(server, HttpSettings::default());
        // Fails early if the connector doesn't work.
        let first = connector.records("rust", &SearchOptions::top(1)).await;
        first.expect("an answer");
        let url = Url::parse(&address).expect("an address");
        Self { bare: bare_client(), url, connector }
    }

    async fn search_bare(&self) -> usize {
        let request = self.bare.get(self.url.clone());
        let request = request.header("x-subscription-token", "sesame");
        let response = request.header("accept", "application/json").send().await;
        let body = response.expect("an answer").bytes().await.expect("a body");
        serde_json::from_slice::<Answer>(&body).expect("the format").web.results.len()
    }

    async fn search(&self) -> usize {
        let results = self.connector.records("rust", &SearchOptions::top(10)).await;
        results.expect("results").into_vec().await.expect("results").len()
    }

    async fn repeat(&self, side: &str, at_once: usize) {
        for _ in 0..10 {
            match side {
                "bare" => seconds(at_once, || self.search_bare()).await,
                _ => seconds(at_once, || self.search()).await,
            };
        }
    }

    async fn compare(&self, report: &Report, name: &str, at_once: usize) {
        let mut bare = Vec::new();
        let mut ours = Vec::new();
        for _ in 0..if report.quick { 2 } else { TURNS } {
            bare.push(seconds(at_once, || self.search_bare()).await);
            ours.push(seconds(at_once, || self.search()).await);
        }
        let bare = median(&mut bare);
        let ours = median(&mut ours);
        report.seconds(&format!("{name}, bare"), bare);
        report.seconds(name, ours);
        println!("{name} ratio: {:.2}", bare / ours);
    }
}

fn connector(server: &Server, settings: HttpSettings) -> BraveTextSearch {
    let config = BraveConfig::new("sesame").with_endpoint(server.address());
    BraveTextSearch::new(config.with_http_settings(settings)).expect("a connector")
}

async fn seconds<F: Future<Output = usize>>(at_once: usize, search: impl Fn() -> F) -> f64 {
    let start = Instant::now();
    let counts = stream::iter(0..SEARCHES).map(|_| search()).buffer_unordered(at_once);
    counts.for_each(|count| async move { assert_eq!(count, 10) }).await;
    start.elapsed().as_secs_f64() / SEARCHES as f64
}

async fn endless(report: &Report, name: &str, server: &Server) {
    let settings = HttpSettings::default().with_max_attempts(1);
    let limit = settings.max_body_bytes;
    let connector = connector(server, settings);
    // Resets the peak memory counter.
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux lets the mark be reset");
    let before = memory("VmHWM");
    let start = Instant::now();
    let error = connector.records("rust", &SearchOptions::top(10)).await;
    let took = start.elapsed();
    let grown = memory("VmHWM") - before;
    error.expect_err("the limit is there");
    report.seconds(name, took.as_secs_f64());
    report.bytes(&format!("{name}, memory over the limit"), grown - limit as f64);
}
