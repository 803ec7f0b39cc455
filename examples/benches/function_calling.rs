//! Measures the overhead of a round of function calling, and the memory that remains after many:
//! lines `tool-round` and `tool-memory` of `docs/performance.md`.
//!
//! Both sides take turns, so that a busy machine affects both. `tool-round` is the time of a round
//! minus its two bare HTTP exchanges. `tool-memory` is the growth of memory after the first
//! thousand rounds. For profiling, the argument `bare` or `kernel` runs only that side.

#[path = "../../xtask/benchmarks/support/report.rs"]
mod report;
#[path = "support/server.rs"]
mod server;

use std::time::Instant;

use report::{Report, median, memory};
use server::Server;
use textsearch_core::{
    FixedSearch, TextSearchResult,
    chat::{ChatHistory, ChatMessage},
};
use textsearch_kernel::{Kernel, TextSearchPlugins as _, chat::FunctionChoiceBehavior};
use textsearch_openai::{OpenAiChat, OpenAiConfig};

/// Rounds in a turn, and turns of each side.
const ROUNDS: usize = 200;
const TURNS: usize = 40;

/// Warm-up rounds, and rounds during which memory must not grow.
const FIRST_ROUNDS: usize = 1_000;
const MEMORY_ROUNDS: usize = 10_000;

fn main() {
    let report = Report::from_arguments();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let sides = Sides::new(&Server::start()).await;
        match std::env::args().find(|argument| argument == "bare" || argument == "kernel") {
            Some(side) => sides.repeat(&side).await,
            None => {
                sides.compare(&report).await;
                sides.watch_memory(&report).await;
            }
        }
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
    address: String,
    bodies: Vec<Vec<u8>>,
    kernel: Kernel,
}

impl Sides {
    async fn new(server: &Server) -> Self {
        let config = OpenAiConfig::new("sesame", "a-model").with_base_url(server.base_url());
        let mut kernel = Kernel::new();
        let chat = OpenAiChat::new(config).expect("a model");
        kernel.add_chat_service("default", chat).expect("one service");
        let plugin = search().create_with_get_search_results("Web").expect("a plugin");
        kernel.add_plugin(plugin).expect("one plugin");
        let address = format!("{}/chat/completions", server.base_url());
        // The bare side repeats the kernel's requests.
        round(&kernel).await;
        let bodies = server.bodies();
        assert_eq!(bodies.len(), 2);
        Self { bare: bare_client(), address, bodies, kernel }
    }

    async fn round_bare(&self) {
        for body in &self.bodies {
            let request = self.bare.post(&self.address).body(body.clone());
            let request = request.header("content-type", "application/json");
            let request = request.header("authorization", "Bearer sesame");
            let answer = request.send().await.expect("an answer");
            assert!(answer.bytes().await.expect("a body").len() > 100);
        }
    }

    async fn repeat(&self, side: &str) {
        for _ in 0..ROUNDS * 10 {
            match side {
                "bare" => self.round_bare().await,
                _ => round(&self.kernel).await,
            }
        }
    }

    async fn compare(&self, report: &Report) {
        let mut bare = Vec::new();
        let mut ours = Vec::new();
        let mut over = Vec::new();
        for _ in 0..if report.quick { 2 } else { TURNS } {
            let first = seconds_of_round(|| self.round_bare()).await;
            let second = seconds_of_round(|| round(&self.kernel)).await;
            bare.push(first);
            ours.push(second);
            over.push(second - first);
        }
        report.seconds("tool-round, two bare exchanges", median(&mut bare));
        report.seconds("tool-round, with the kernel", median(&mut ours));
        report.seconds("tool-round", median(&mut over));
    }

    async fn watch_memory(&self, report: &Report) {
        for _ in 0..FIRST_ROUNDS {
            round(&self.kernel).await;
        }
        let before = memory("VmRSS");
        for _ in 0..if report.quick { FIRST_ROUNDS } else { MEMORY_ROUNDS } {
            round(&self.kernel).await;
        }
        report.bytes("tool-memory, after the first 1,000 rounds", before);
        report.bytes("tool-memory", memory("VmRSS") - before);
    }
}

async fn round(kernel: &Kernel) {
    let history = ChatHistory::from(vec![ChatMessage::user("How are tides predicted?")]);
    let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).await;
    let outcome = outcome.expect("an outcome");
    assert_eq!((outcome.run.calls.len(), outcome.run.history.len()), (1, 4));
}

fn search() -> FixedSearch {
    let page = |number: usize| {
        TextSearchResult::new("some words about how tides are predicted ".repeat(6))
            .with_name(format!("Tides, part {number}"))
            .with_link(format!("https://harbour.example/tides/{number}"))
    };
    FixedSearch::new((0..5).map(page).collect::<Vec<_>>())
}

async fn seconds_of_round<F: Future<Output = ()>>(round: impl Fn() -> F) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        round().await;
    }
    start.elapsed().as_secs_f64() / ROUNDS as f64
}
