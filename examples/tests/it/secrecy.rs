//! The keys of the model and of the web engine appear in requests and nowhere else.

use std::{
    error::Error as StdError,
    fmt::{Debug, Write as _},
    io,
    sync::{Arc, Mutex},
};

use serde_json::json;
use textsearch_brave::{BraveConfig, BraveTextSearch};
use textsearch_conformance::{
    Action, Response, Server,
    chat::{Fault, Turn},
};
use textsearch_kernel::TextSearchPlugins as _;
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

use crate::support::{KEY, Talk, auto, question};

const ENGINE_KEY: &str = "open-brave/1";

/// Plain, and as URLs and forms encode them.
const FORMS: [&str; 4] = [KEY, "open-sesame%2B1%2F2", ENGINE_KEY, "open-brave%2F1"];

fn assert_secret(text: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "a key is in: {text}");
    }
}

/// From `tracing` and `log`.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

static LINES: Mutex<String> = Mutex::new(String::new());

struct Lines;

impl log::Log for Lines {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let _ = writeln!(LINES.lock().unwrap(), "{}: {}", record.target(), record.args());
    }

    fn flush(&self) {}
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push_str(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn printed<T: Debug>(outcome: &Result<T, textsearch_kernel::KernelError>) -> String {
    let mut text = format!("{outcome:?}\n{outcome:#?}\n");
    if let Err(error) = outcome {
        let first: Option<&(dyn StdError + 'static)> = Some(error);
        for cause in std::iter::successors(first, |&cause| cause.source()) {
            let _ = writeln!(text, "{cause}\n{cause:?}\n{cause:#?}");
        }
    }
    text
}

/// Each contains the key if it can.
fn ends() -> Vec<Turn> {
    let echo = format!("the key {KEY} is wrong");
    let event = Fault::ErrorEvent { code: KEY.to_owned(), message: echo.clone() };
    vec![
        Turn::text("Fine."),
        Turn::failure(401, KEY, Some(KEY), &echo),
        Turn::failure(400, "invalid_request_error", None, &echo),
        Turn::text("x".repeat(200)).with_fault(event),
    ]
}

/// The engine repeats its key in errors; every second request succeeds.
async fn engine() -> (Server, Arc<BraveTextSearch>) {
    let server = Server::start(|_, before| {
        let echo =
            json!({ "error": { "code": ENGINE_KEY, "detail": format!("bad {ENGINE_KEY}") } });
        let found =
            json!({ "query": { "more_results_available": false }, "web": { "results": [] } });
        let answer = if before % 2 == 0 {
            Response::json(&echo).with_status(422)
        } else {
            Response::json(&found)
        };
        Action::Answer(answer)
    })
    .await;
    let config = BraveConfig::new(ENGINE_KEY)
        .with_endpoint(server.url().as_str())
        .with_http_settings(server.endpoint().http_settings().clone());
    (server, Arc::new(BraveTextSearch::new(config).unwrap()))
}

#[tokio::test]
async fn no_key_is_in_logs_errors_debug_or_messages() {
    log::set_logger(&Lines).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::FULL)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    // With a single subscriber, `tracing` asks only the first thread whether it wants a span, which
    // may be another test's thread without a subscriber.
    let _other = tracing::Dispatch::new(tracing_subscriber::registry());

    let (_server, search) = engine().await;
    for end in ends() {
        for is_recorded in [false, true] {
            let call = Turn::tool_call("Web-Search", &json!({ "query": "it" }))
                .with_tool_call("Web-Search", &json!({ "query": "it again" }));
            let script = [call.clone(), end.clone(), call, end.clone()];
            let plugin = search.create_with_search("Web").unwrap();
            let mut talk = Talk::with(script, [plugin]).await;
            talk.kernel.set_content_recording(is_recorded);
            assert_secret(&format!("{:?} {:#?}", talk.kernel, talk.kernel));
            let whole = talk.kernel.chat(question(), auto()).await;
            assert_secret(&printed(&whole));
            let mut events = talk.kernel.chat_streaming(question(), auto()).await.unwrap();
            while let Some(event) = events.next().await {
                assert_secret(&printed(&event));
            }
            for request in talk.model.requests() {
                assert_secret(&request.body.to_string());
            }
        }
    }

    let text = log.0.lock().unwrap().clone() + &LINES.lock().unwrap();
    for part in ["execute_tool", "retrieval", "http.attempt", "gen_ai"] {
        assert!(text.contains(part), "{part} was not logged: {text}");
    }
    assert_secret(&text);
}
