//! No key in any error, log line, span or `Debug` output.

use std::{
    error::Error as StdError,
    fmt::Write,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use textsearch_core::{
    Error,
    http::{ErrorDetails, HttpClient, HttpRequest, Secret, Url},
};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    instrument::WithSubscriber,
    span,
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt};

use super::{
    client,
    server::{Answer, Server},
    settings,
};
use crate::spans::keep_another_subscriber;

const KEY: &str = "open-sesame/1+2";
/// As in the query of a URL.
const ENCODED: &str = "open-sesame%2F1%2B2";
const PASSWORD: &str = "rosebud";
/// As in its header, with the user `me`.
const BASIC: &str = "bWU6cm9zZWJ1ZA==";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0, "{field}={value:?}").unwrap();
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_new_span(&self, span: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        let mut log = self.0.lock().unwrap();
        writeln!(log, "{}", span.metadata().name()).unwrap();
        span.record(&mut Fields(&mut log));
    }

    fn on_record(&self, _: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }
}

/// Some libraries log by other means, for the whole process.
impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        writeln!(self.0.lock().unwrap(), "{}: {}", record.target(), record.args()).unwrap();
    }

    fn flush(&self) {}
}

fn process_log() -> &'static Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    let log = LOG.get_or_init(Log::default);
    log::set_logger(log).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    log
}

/// Carries the key in every possible place.
fn request(url: Url) -> HttpRequest {
    let mut url = url;
    let key = Secret::from(KEY);
    url.set_username("me").unwrap();
    url.set_password(Some(PASSWORD)).unwrap();
    let request = HttpRequest::post(url).with_secret_query("key", &key);
    request.with_secret_header("x-key", &key).with_json(&[KEY])
}

fn printed(error: &Error) -> String {
    let first: Option<&(dyn StdError + 'static)> = Some(error);
    let causes = std::iter::successors(first, |&cause| cause.source());
    causes.map(|cause| format!("{cause}\n{cause:?}\n{cause:#?}\n")).collect()
}

fn assert_secret(text: &str) {
    for secret in [KEY, ENCODED, PASSWORD, BASIC] {
        assert!(!text.contains(secret), "{secret} is in: {text}");
    }
}

async fn traces(client: &HttpClient, request: HttpRequest) -> (String, String) {
    keep_another_subscriber();
    let log = Log::default();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    let result = client.send_json::<u32>(request).with_subscriber(subscriber).await;
    let text = log.0.lock().unwrap().clone();
    (result.as_ref().map_or_else(printed, |answer| format!("{answer:?}")), text)
}

#[tokio::test]
async fn no_failure_leaves_a_key_behind() {
    let everywhere = process_log();
    let echo = format!("you sent {KEY}, that is {ENCODED}, as me:{PASSWORD}, {BASIC}");
    let location = format!("Location: http://evil.example/{ENCODED}?{ENCODED}");
    let scripts = [
        Answer::json("7"),
        Answer::typed(401, "text/plain", &echo),
        Answer::typed(418, "text/plain", &echo),
        Answer::typed(503, "text/plain", &echo),
        Answer::json(&format!("\"{KEY}\"")),
        Answer::typed(200, "text/html", &echo),
        Answer::with_header(302, &location, &echo),
        Answer::with_header(302, "Location: http://[", &echo),
        Answer::Reset(Vec::new()),
        Answer::Stall(Vec::new()),
        Answer::Send(b"nonsense".to_vec()),
    ];
    for answer in scripts {
        let server = Server::start([answer]).await;
        let mut settings = settings();
        settings.attempt_timeout = Duration::from_millis(100);
        let client = client(settings);
        let (outcome, log) = traces(&client, request(server.url("/v1"))).await;
        let sent = server.requests().remove(0);
        assert!(sent.contains(KEY) && sent.contains(ENCODED) && sent.contains(BASIC), "{sent}");
        assert_secret(&outcome);
        assert_secret(&log);
        assert!(log.contains("http.attempt") && log.contains("server.address"), "{log}");
    }
    let (outcome, log) = traces(&client(settings()), request(Server::nowhere().await)).await;
    assert!(outcome.contains("cannot connect to http://127.0.0.1:"), "{outcome}");
    assert_secret(&outcome);
    assert_secret(&log);
    let everything = everywhere.0.lock().unwrap().clone();
    assert!(everything.contains("starting new connection"), "{everything}");
    assert_secret(&everything);
}

#[tokio::test]
async fn a_key_in_a_connectors_error_is_removed() {
    let echo = Answer::typed(400, "application/json", &format!("\"bad key {KEY}\""));
    let server = Server::start([echo]).await;
    let client = client(settings()).with_error_reader(|answer| {
        let text: String = answer.json()?;
        let code = Some(text.clone());
        let message = Some(text);
        Some(ErrorDetails { code, message, ..ErrorDetails::default() })
    });
    let (outcome, _) = traces(&client, request(server.url("/v1"))).await;
    assert!(outcome.contains("(bad key ***): bad key ***"), "{outcome}");
    assert_secret(&outcome);
}

#[tokio::test]
async fn a_key_cut_by_the_excerpt_is_removed() {
    for padding in [350, 380, 390, 395, 399, 400, 65_520, 65_530] {
        let body = format!("{}{KEY}", "x".repeat(padding));
        let server = Server::start([Answer::typed(400, "text/plain", &body)]).await;
        let (outcome, _) = traces(&client(settings()), request(server.url("/v1"))).await;
        assert!(!outcome.contains("open"), "{outcome}");
    }
}

#[tokio::test]
async fn debug_of_client_and_request_show_no_key() {
    let client = client(settings());
    let request = request(Url::parse("https://api.example.com/v1").unwrap());
    let shown = format!("{client:?} {request:?} {client:#?} {request:#?}");
    assert!(shown.contains("https://api.example.com/v1"), "{shown}");
    assert_secret(&shown);
}

#[tokio::test]
async fn each_attempt_has_a_span_with_address_and_outcome() {
    let server = Server::start([Answer::status(503), Answer::json("7")]).await;
    let (_, log) = traces(&client(settings()), request(server.url("/v1"))).await;
    assert_eq!(log.matches("http.attempt\n").count(), 2);
    for field in [
        "textsearch.connector=\"probe\"",
        "http.request.method=\"POST\"",
        "http.request.resend_count=0",
        "http.request.resend_count=1",
        "server.address=\"127.0.0.1\"",
        &format!("server.port={}", server.port()),
        "http.response.status_code=503",
        "http.response.status_code=200",
        "error.type=\"unavailable\"",
    ] {
        assert!(log.contains(field), "{field} is not in {log}");
    }
}
