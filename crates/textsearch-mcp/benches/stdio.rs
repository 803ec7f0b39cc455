//! Measures tool calls of a search over standard input and output, and the start of the server: line
//! `mcp` of `docs/performance.md`.
//!
//! The program starts itself as the server. The client writes and reads lines, one call after the
//! other.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up must not be measured")]

#[expect(
    dead_code,
    clippy::print_stdout,
    reason = "no memory is measured here; figures are the output"
)]
#[path = "../../../xtask/benchmarks/support/report.rs"]
mod report;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use report::{Report, median};
use serde_json::{Value, json};
use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_kernel::{Kernel, TextSearchPlugins as _};
use textsearch_mcp::{McpServer, McpServerConfig};

const RESULTS: usize = 10;

fn main() {
    if std::env::args().any(|argument| argument == "serve") {
        return serve();
    }
    let report = Report::from_arguments();
    let (starts, calls) = if report.quick { (2, 100) } else { (20, 20_000) };
    let mut seconds: Vec<f64> = (0..starts).map(|_| Session::start().1).collect();
    report.seconds("cold start", median(&mut seconds));

    let (mut session, _) = Session::start();
    let mut batches: Vec<f64> = (0..10).map(|_| session.calls(calls / 10)).collect();
    report.seconds("tool call", median(&mut batches));
}

fn serve() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let results = (0..RESULTS).map(|number| {
        TextSearchResult::new(format!("The text of result {number}, about a hundred characters long, as a snippet of a page would be."))
            .with_name(format!("Result {number}"))
            .with_link(format!("https://example.com/{number}"))
    });
    let mut kernel = Kernel::new();
    let search =
        FixedSearch::new(results.collect::<Vec<_>>()).create_with_get_search_results("Docs");
    kernel.add_plugin(search.expect("a plugin")).expect("it is new");
    let server = McpServer::new(kernel, McpServerConfig::new("bench")).expect("a server");
    runtime.expect("a runtime").block_on(server.serve_stdio()).expect("it ends");
}

struct Session {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// Returns the seconds until the first result, too.
    fn start() -> (Self, f64) {
        let begin = Instant::now();
        let mut process = Command::new(std::env::current_exe().expect("this program is a file"))
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = process.stdin.take().expect("it is piped");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut session = Self { process, input, output };
        session.ask(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" },
            },
        }));
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session.calls(1);
        (session, begin.elapsed().as_secs_f64())
    }

    /// Returns the seconds of one call.
    fn calls(&mut self, number: usize) -> f64 {
        let begin = Instant::now();
        for id in 1..=number {
            let arguments = json!({ "query": "a query", "count": RESULTS });
            let answer = self.ask(&json!({
                "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": "Docs-GetSearchResults", "arguments": arguments },
            }));
            assert!(answer.contains("Result 9"), "{answer}");
        }
        begin.elapsed().as_secs_f64() / number as f64
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("it reads");
    }

    fn ask(&mut self, message: &Value) -> String {
        self.send(message);
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        line
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
