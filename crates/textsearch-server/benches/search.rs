//! Throughput of `POST /v1/search` over 64 connections, next to a bare axum handler around the same
//! search: line `serve` of `docs/performance.md`.
//!
//! Each server has its own thread, and the clients share another. They send one request after the
//! other over kept connections. The sides take turns. On the third side, another tenant floods our
//! server with writes. For profiling, the argument `ours`, `bare` or `flooded` runs only that side.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[expect(
    dead_code,
    clippy::print_stdout,
    reason = "no memory is measured here; figures are the output"
)]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{
    future, io,
    net::SocketAddr,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use axum::{Json, Router, extract::State, routing::post};
use futures_util::future::join_all;
use report::{Report, median};
use serde::{Deserialize, Serialize};
use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};
use textsearch_documents::{Chunker, DocumentSchema, DocumentStore};
use textsearch_server::{
    AccessToken, DocumentWriter, Right, SearchSource, Server, ServerConfig, Services,
};
use textsearch_vector_inmemory::InMemoryVectorStore;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    runtime::Builder,
    task::JoinSet,
    time::interval,
};

const CONNECTIONS: usize = 64;

const RESULTS: usize = 10;

/// Requests per connection and turn, and turns per side.
const REQUESTS: usize = 300;
const TURNS: usize = 15;

/// The time from one write of the flood to the next.
const WRITE_INTERVAL: Duration = Duration::from_millis(5);

const READER: &str = "reader-reader-reader";
const WRITER: &str = "writer-writer-writer";

fn main() {
    let report = Report::from_arguments();
    let addresses = [start(serve_ours), start(serve_bare), start(serve_tenants)];
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut sides = Vec::new();
        for (address, name) in addresses.into_iter().zip(["ours", "bare", "flooded"]) {
            let side = Side::connect(address, name == "flooded").await;
            sides.push((name, Vec::new(), side));
        }
        let (requests, turns) = if report.quick { (2, 2) } else { (REQUESTS, TURNS) };
        for (name, _, side) in &mut sides {
            if std::env::args().any(|argument| argument == *name) {
                side.turn(requests * turns).await;
                return;
            }
        }
        for _ in 0..turns {
            for (_, seconds, side) in &mut sides {
                seconds.push(side.turn(requests).await);
            }
            // Each turn starts with another side.
            sides.rotate_left(1);
        }
        for (name, mut seconds, _) in sides {
            let measured = match name {
                "ours" => "search request",
                "bare" => "search request, bare axum",
                _ => "search request, flooded",
            };
            report.seconds(measured, median(&mut seconds));
        }
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

/// One tenant searches, another writes. Each may have as many requests at once as it has connections.
async fn serve_tenants(listener: TcpListener) {
    let store = InMemoryVectorStore::new();
    let schema = DocumentSchema::default();
    let documents = DocumentStore::open(&store, "documents", &schema, Chunker::default());
    let writer = DocumentWriter::new(documents.await.expect("a store"));
    let services = Services::new()
        .with_source(SearchSource::new("docs", search()))
        .with_document_writer(writer);
    let mut config = ServerConfig::new()
        .with_token(AccessToken::new("reader", READER))
        .with_token(AccessToken::new("writer", WRITER).with_rights([Right::Upsert]));
    config.max_concurrent_requests = 2 * CONNECTIONS;
    let server = Server::new(services, config).expect("a server");
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
    let results = search.text_search_results(&request.query, &options).await.expect("results");
    Json(Response { results: results.into_vec().await.expect("results") })
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
    flood: Option<Flood>,
}

impl Side {
    async fn connect(address: SocketAddr, is_flooded: bool) -> Self {
        let request =
            request("/v1/search", READER, &format!(r#"{{"query":"a query","top":{RESULTS}}}"#));
        let connect = || async move { TcpStream::connect(address).await.expect("a connection") };
        let connections = join_all((0..CONNECTIONS).map(|_| connect())).await;
        let flood = is_flooded.then(|| Flood::new(address));
        let mut side = Self { connections, request, response_bytes: 0, flood };
        let first = side.connections.first_mut().expect("a connection");
        side.response_bytes = first_response(first, &side.request).await;
        side.seconds(2).await;
        side
    }

    /// Returns the seconds per request, with the flood if there is one.
    async fn turn(&mut self, requests: usize) -> f64 {
        let Some(mut flood) = self.flood.take() else { return self.seconds(requests).await };
        let seconds = tokio::select! {
            seconds = self.seconds(requests) => seconds,
            () = flood.run() => unreachable!("a flood has no end"),
        };
        flood.settle().await;
        self.flood = Some(flood);
        seconds
    }

    /// Returns the seconds per request of all connections together.
    async fn seconds(&mut self, requests: usize) -> f64 {
        let begin = Instant::now();
        let request = &self.request;
        let bytes = self.response_bytes;
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

/// The server without tokens ignores the token.
fn request(path: &str, token: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    (head + body).into_bytes()
}

/// Writes of almost 1 MiB, 200 in a second, whose client disconnects at once.
struct Flood {
    address: SocketAddr,
    text: String,
    number: usize,
}

impl Flood {
    fn new(address: SocketAddr) -> Self {
        let text = "The anvil is made of iron and weighs a lot. ".repeat(23_000);
        Self { address, text, number: 0 }
    }

    async fn run(&mut self) {
        let mut ticks = interval(WRITE_INTERVAL);
        let mut writes = JoinSet::new();
        loop {
            ticks.tick().await;
            let write = send(self.address, self.write(&self.text));
            writes.spawn(async { drop(write.await) });
            self.number += 1;
        }
    }

    /// Returns a write that changes one of four documents.
    fn write(&self, text: &str) -> Vec<u8> {
        let (number, id) = (self.number, self.number % 4);
        let body = format!(r#"{{"documents":[{{"id":"{id}","text":"{number} {text}"}}]}}"#);
        request("/upsert", WRITER, &body)
    }

    /// Waits until the writes that have begun are done.
    async fn settle(&mut self) {
        self.number += 1;
        let last = self.write("a small one");
        let mut stream = send(self.address, last).await.expect("it reads");
        stream.read_u8().await.expect("it responds");
    }
}

async fn send(address: SocketAddr, request: Vec<u8>) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&request).await?;
    Ok(stream)
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
