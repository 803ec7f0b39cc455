//! Throughput of `POST /v1/search` over 64 connections, next to a bare axum handler around the same
//! search: line `serve` of `docs/performance.md`.
//!
//! Each server has its own thread, and the clients share another. They send one request after the
//! other over kept connections. Both sides take turns. For profiling, the argument `ours` or `bare`
//! runs only that side.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[expect(
    dead_code,
    clippy::print_stdout,
    reason = "no memory is measured here; figures are the output"
)]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{future, net::SocketAddr, sync::Arc, thread, time::Instant};

use axum::{Json, Router, extract::State, routing::post};
use futures_util::future::join_all;
use report::{Report, median};
use serde::{Deserialize, Serialize};
use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
use textsearch_server::{SearchSource, Server, ServerConfig, Services};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    runtime::Builder,
};

const CONNECTIONS: usize = 64;

const RESULTS: usize = 10;

/// Requests per connection and turn, and turns per side.
const REQUESTS: usize = 300;
const TURNS: usize = 15;

fn main() {
    let report = Report::from_arguments();
    let [ours, bare] = [start(serve_ours), start(serve_bare)];
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut sides =
            [(Vec::new(), Side::connect(ours).await), (Vec::new(), Side::connect(bare).await)];
        let (requests, turns) = if report.quick { (2, 2) } else { (REQUESTS, TURNS) };
        for side in ["ours", "bare"].into_iter().zip(&mut sides) {
            let (name, (_, side)) = side;
            if std::env::args().any(|argument| argument == name) {
                side.seconds(requests * turns).await;
                return;
            }
        }
        for turn in 0..turns {
            // Each turn starts with the other side.
            for index in [turn % 2, (turn + 1) % 2] {
                if let Some((seconds, side)) = sides.get_mut(index) {
                    seconds.push(side.seconds(requests).await);
                }
            }
        }
        let [(mut ours, _), (mut bare, _)] = sides;
        report.seconds("search request", median(&mut ours));
        report.seconds("search request, bare axum", median(&mut bare));
    });
}

fn search() -> FixedSearch {
    let results = (0..RESULTS).map(|number| {
        TextSearchResult::new(format!("The text of result {number}, about a hundred characters long, as a snippet of a page would be."))
            .with_name(format!("Result {number}"))
            .with_link(format!("https://example.com/{number}"))
            .with_score(1.0 / (number + 1) as f64)
    });
    FixedSearch::new(results.collect::<Vec<_>>())
}

/// Starts a server in a thread of its own. Returns its address.
fn start<F: Future<Output = ()> + 'static>(serve: fn(TcpListener) -> F) -> SocketAddr {
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            sender.send(listener.local_addr().expect("an address")).expect("it waits");
            serve(listener).await;
        });
    });
    receiver.recv().expect("a server")
}

async fn serve_ours(listener: TcpListener) {
    let services = Services::new().with_source(SearchSource::new("docs", search()));
    let server = Server::new(services, ServerConfig::new()).expect("a server");
    server.serve(listener, future::pending()).await;
}

#[derive(Deserialize)]
struct Request {
    query: String,
    top: usize,
}

#[derive(Serialize)]
struct Response {
    results: Vec<TextSearchResult>,
}

async fn handle(
    State(search): State<Arc<dyn TextSearch>>,
    Json(request): Json<Request>,
) -> Json<Response> {
    let options = SearchOptions::top(request.top);
    let found = search.text_search_results(&request.query, &options).await.expect("results");
    Json(Response { results: found.into_vec().await.expect("results") })
}

async fn serve_bare(listener: TcpListener) {
    let search: Arc<dyn TextSearch> = Arc::new(search());
    let router = Router::new().route("/v1/search", post(handle)).with_state(search);
    axum::serve(listener, router).await.expect("it serves");
}

/// The clients of one server.
struct Side {
    connections: Vec<TcpStream>,
    request: Vec<u8>,
    /// All responses have the same length.
    response_bytes: usize,
}

impl Side {
    async fn connect(address: SocketAddr) -> Self {
        let body = format!(r#"{{"query":"a query","top":{RESULTS}}}"#);
        let length = body.len();
        let request = format!(
            "POST /v1/search HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        let connect = || async move { TcpStream::connect(address).await.expect("a connection") };
        let connections = join_all((0..CONNECTIONS).map(|_| connect())).await;
        let mut side = Self { connections, request: request.into_bytes(), response_bytes: 0 };
        let first = side.connections.first_mut().expect("a connection");
        side.response_bytes = first_response(first, &side.request).await;
        side.seconds(2).await;
        side
    }

    /// Returns the seconds per request of all connections together.
    async fn seconds(&mut self, requests: usize) -> f64 {
        let begin = Instant::now();
        let (request, bytes) = (&self.request, self.response_bytes);
        let clients = self.connections.iter_mut().map(|connection| async move {
            let mut response = vec![0; bytes];
            for _ in 0..requests {
                connection.write_all(request).await.expect("it reads");
                connection.read_exact(&mut response).await.expect("it responds");
                assert!(response.starts_with(b"HTTP/1.1 200") && response.ends_with(b"}"));
            }
        });
        join_all(clients).await;
        begin.elapsed().as_secs_f64() / (CONNECTIONS * requests) as f64
    }
}

/// Returns the length of the response.
async fn first_response(connection: &mut TcpStream, request: &[u8]) -> usize {
    connection.write_all(request).await.expect("it reads");
    let mut response = Vec::new();
    loop {
        connection.read_buf(&mut response).await.expect("it responds");
        let text = String::from_utf8_lossy(&response);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if Some(body.len()) == length.and_then(|length| length.parse().ok()) {
            assert!(body.contains("Result 9"), "{body}");
            return response.len();
        }
    }
}
