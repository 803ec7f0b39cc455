//! What a connector costs over a bare HTTP client and parser, and what a body without end costs: lines W1 to W3 of
//! `docs/performance.md`.
//!
//! Both sides take turns, so that a machine that is busy is busy for both; what counts is the ratio. With the argument
//! `bare` or `connector` that side alone searches, for a profiler to watch.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[path = "support/server.rs"]
mod server;

use std::time::Instant;

use futures_util::{StreamExt, stream};
use serde::Deserialize;
use server::Server;
use textsearch_brave::{
    BraveConfig, BraveTextSearch, BraveWebPage,
    http::{HttpSettings, Url},
};
use textsearch_core::{SearchOptions, TextSearchConnector};

/// Searches in a turn, and turns of each side.
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let server = Server::with_ten_results();
        let sides = Sides::new(&server);
        let side = std::env::args().find(|one| one == "bare" || one == "connector");
        if let Some(side) = side {
            return sides.repeat(&side).await;
        }
        sides.compare("W1 one after another", 1).await;
        sides.compare("W2 64 at once", 64).await;
        endless("W3 a body of 100 MB", &Server::with_large_body()).await;
        endless("W3 a gzip bomb of 10 GB", &Server::with_gzip_bomb()).await;
    });
}

/// The same search by hand and by the connector.
struct Sides {
    bare: reqwest::Client,
    url: Url,
    connector: BraveTextSearch,
}

impl Sides {
    fn new(server: &Server) -> Self {
        let address =
            format!("{}?q=rust&count=10&offset=0&text_decorations=false", server.address());
        // The connector first: it gives the process a provider of cryptography, which the bare client asks for.
        let connector = connector(server, HttpSettings::default());
        let url = Url::parse(&address).expect("an address");
        Self { bare: reqwest::Client::new(), url, connector }
    }

    async fn search_bare(&self) -> usize {
        let request = self.bare.get(self.url.clone());
        let request = request.header("x-subscription-token", "sesame");
        let response = request.header("accept", "application/json").send().await;
        let body = response.expect("an answer").bytes().await.expect("a body");
        serde_json::from_slice::<Answer>(&body).expect("the format").web.results.len()
    }

    async fn search(&self) -> usize {
        let results = self.connector.search_records("rust", &SearchOptions::top(10)).await;
        results.expect("results").into_vec().await.expect("results").len()
    }

    async fn repeat(&self, side: &str) {
        for _ in 0..SEARCHES * 10 {
            match side {
                "bare" => self.search_bare().await,
                _ => self.search().await,
            };
        }
    }

    async fn compare(&self, name: &str, at_once: usize) {
        let (mut bare, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TURNS {
            let first = rate(at_once, || self.search_bare()).await;
            let second = rate(at_once, || self.search()).await;
            bare.push(first);
            ours.push(second);
            ratios.push(second / first);
        }
        println!(
            "{name}: bare {:.0}/s, connector {:.0}/s, ratio {:.2}",
            median(&mut bare),
            median(&mut ours),
            median(&mut ratios)
        );
    }
}

fn connector(server: &Server, settings: HttpSettings) -> BraveTextSearch {
    let config = BraveConfig::new("sesame").with_endpoint(server.address());
    BraveTextSearch::new(config.with_http_settings(settings)).expect("a connector")
}

/// Searches a second, each of which has to bring ten results.
async fn rate<F: Future<Output = usize>>(at_once: usize, search: impl Fn() -> F) -> f64 {
    let start = Instant::now();
    let counts = stream::iter(0..SEARCHES).map(|_| search()).buffer_unordered(at_once);
    counts.for_each(|count| async move { assert_eq!(count, 10) }).await;
    SEARCHES as f64 / start.elapsed().as_secs_f64()
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// One search whose answer does not end within the limit.
async fn endless(name: &str, server: &Server) {
    let settings = HttpSettings::default().with_max_attempts(1);
    let limit = settings.body_limit;
    let connector = connector(server, settings);
    let before = peak_memory_from_now_on();
    let start = Instant::now();
    let error = connector.search_records("rust", &SearchOptions::top(10)).await;
    let (took, grown) = (start.elapsed(), peak_memory().saturating_sub(before));
    println!(
        "{name}: error after {took:.0?}, memory grew by {:.1} MB over the limit of {:.0} MB: {}",
        (grown as f64 - limit as f64) / 1e6,
        limit as f64 / 1e6,
        error.expect_err("the limit is there")
    );
}

/// The most bytes that the process ever held, as Linux counts them.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kilobytes.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or_default() * 1024
}

fn peak_memory_from_now_on() -> usize {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux lets the mark be reset");
    peak_memory()
}
