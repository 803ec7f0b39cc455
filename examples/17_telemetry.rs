//! Traces an answer: spans and metrics of the kernel, the search and HTTP, exported by OTLP.
//!
//! Its many dependencies are behind a feature:
//! `cargo run -p examples --features telemetry --example 17_telemetry`.
//!
//! Needs: the feature `telemetry`; a built-in receiver prints what arrives.
//! `OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318` sends to your collector. A real model works
//! as in `08_function_calling`.

mod model;

use std::{env, sync::Arc};

use model::Model;
use opentelemetry::{global, trace::TracerProvider as _};
use opentelemetry_otlp::{
    MetricExporter, OTEL_EXPORTER_OTLP_ENDPOINT, Protocol, SpanExporter, WithExportConfig as _,
};
use opentelemetry_sdk::{Resource, metrics::SdkMeterProvider, trace::SdkTracerProvider};
use serde_json::{Value, json};
use textsearch_conformance::{Action, Response, Server, chat::ModelScript};
use textsearch_core::chat::{ChatHistory, ChatMessage};
use textsearch_kernel::{Kernel, TextSearchPlugins as _, chat::FunctionChoiceBehavior};
use textsearch_searxng::{SearxngConfig, SearxngTextSearch};
use tracing::{Instrument as _, Level};
use tracing_subscriber::{Layer as _, filter::Targets, layer::SubscriberExt as _};

/// To `server`, or to the endpoint in the environment.
fn export_spans(server: Option<&str>) -> anyhow::Result<SdkTracerProvider> {
    let mut exporter = SpanExporter::builder().with_http().with_protocol(Protocol::HttpJson);
    if let Some(server) = server {
        exporter = exporter.with_endpoint(format!("{server}v1/traces"));
    }
    let provider = SdkTracerProvider::builder()
        .with_resource(resource())
        .with_batch_exporter(exporter.build()?)
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("textsearch"));
    // `info` shows models, functions and searches; `debug` also shows each attempt of a request.
    let ours = Targets::new().with_target("textsearch", Level::DEBUG);
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(ours));
    tracing::subscriber::set_global_default(subscriber)?;
    Ok(provider)
}

/// To `server`, or to the endpoint in the environment. Call it before the first search, chat or
/// request.
fn export_metrics(server: Option<&str>) -> anyhow::Result<SdkMeterProvider> {
    let mut exporter = MetricExporter::builder().with_http().with_protocol(Protocol::HttpJson);
    if let Some(server) = server {
        exporter = exporter.with_endpoint(format!("{server}v1/metrics"));
    }
    let provider = SdkMeterProvider::builder()
        .with_resource(resource())
        .with_periodic_exporter(exporter.build()?)
        .build();
    global::set_meter_provider(provider.clone());
    Ok(provider)
}

fn resource() -> Resource {
    Resource::builder().with_service_name("textsearch-example").build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // The exporter's HTTP client uses the installed cryptography provider.
    let _is_first = rustls::crypto::ring::default_provider().install_default();
    let receiver = Server::start(|_, _| Action::Answer(Response::json(&json!({})))).await;
    let has_collector = env::var_os(OTEL_EXPORTER_OTLP_ENDPOINT).is_some();
    let own = (!has_collector).then(|| receiver.url().to_string());
    let spans = export_spans(own.as_deref())?;
    let metrics = export_metrics(own.as_deref())?;

    let host = examples::loopback::serve("application/json", ANSWER).await?;
    let search = SearxngTextSearch::new(SearxngConfig::new(format!("http://{host}")))?;
    let model = Model::open(ModelScript::demonstration()).await?;
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", model.chat)?;
    kernel.add_plugin(Arc::new(search).create_with_get_search_results("Web")?)?;
    // Spans have no questions, results and answers, unless you call
    // `kernel.set_content_recording(true)`.

    let history = ChatHistory::from(vec![ChatMessage::user("How are tides predicted?")]);
    let span = tracing::info_span!(target: "textsearch_example", "answer a question");
    let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).instrument(span).await?;
    println!("{}\n", outcome.answer()?);

    // Sends the rest on another thread: this one has to go on serving.
    tokio::task::spawn_blocking(move || spans.shutdown().and(metrics.shutdown())).await??;
    let bodies: Vec<Value> = receiver.requests().iter().map(|request| request.json()).collect();
    let spans: Vec<&Value> = bodies.iter().flat_map(spans_of).collect();
    show(&spans, "", 0);
    println!();
    bodies.iter().flat_map(metrics_of).for_each(show_metric);
    Ok(())
}

fn metrics_of(body: &Value) -> impl Iterator<Item = &Value> {
    let resources = body["resourceMetrics"].as_array().into_iter().flatten();
    let scopes =
        resources.flat_map(|resource| resource["scopeMetrics"].as_array().into_iter().flatten());
    scopes.flat_map(|scope| scope["metrics"].as_array().into_iter().flatten())
}

fn show_metric(metric: &Value) {
    let name = metric["name"].as_str().unwrap_or_default();
    for point in metric["histogram"]["dataPoints"].as_array().into_iter().flatten() {
        let attributes = point["attributes"].as_array().into_iter().flatten();
        let values: Vec<&str> =
            attributes.filter_map(|attribute| attribute["value"]["stringValue"].as_str()).collect();
        println!("{name} ({}): {} in {}", values.join(", "), point["sum"], point["count"]);
    }
}

fn spans_of(body: &Value) -> impl Iterator<Item = &Value> {
    let resources = body["resourceSpans"].as_array().into_iter().flatten();
    let scopes =
        resources.flat_map(|resource| resource["scopeSpans"].as_array().into_iter().flatten());
    scopes.flat_map(|scope| scope["spans"].as_array().into_iter().flatten())
}

/// Prefixes of attributes in OpenTelemetry's conventions, and our own.
const SHOWN: &[&str] = &["gen_ai.", "http.", "server.", "error.", "textsearch."];

/// A tree, in order of time.
fn show(spans: &[&Value], parent: &str, depth: usize) {
    let nanoseconds = |span: &Value, name: &str| {
        span[name].as_str().and_then(|text| text.parse::<u64>().ok()).unwrap_or_default()
    };
    let mut below: Vec<&&Value> = spans
        .iter()
        .filter(|span| span["parentSpanId"].as_str().unwrap_or_default() == parent)
        .collect();
    below.sort_by_key(|span| nanoseconds(span, "startTimeUnixNano"));
    for span in below {
        let took = nanoseconds(span, "endTimeUnixNano") - nanoseconds(span, "startTimeUnixNano");
        let name = span["name"].as_str().unwrap_or_default();
        println!("{:indent$}{name}: {:.1} ms", "", took as f64 / 1e6, indent = depth * 2);
        for attribute in span["attributes"].as_array().into_iter().flatten() {
            let key = attribute["key"].as_str().unwrap_or_default();
            // The others name places in the code.
            if SHOWN.iter().any(|beginning| key.starts_with(beginning)) {
                println!("{:indent$}  {key} = {}", "", attribute["value"], indent = depth * 2);
            }
        }
        show(spans, span["spanId"].as_str().unwrap_or_default(), depth + 1);
    }
}

const ANSWER: &str = r#"{"results": [{
    "title": "How the tides are predicted a year ahead",
    "url": "https://harbour.example/journal/tides",
    "content": "Each harbour has a few dozen constants, and the rest is a sum of cosines."
}]}"#;
