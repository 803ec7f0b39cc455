//! Combines searches: fan-out with a dead source, fallback, and a cache.
//!
//! Needs: nothing; it runs offline against built-in services.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use textsearch_brave::{
    BraveConfig, BraveTextSearch,
    http::{HttpSettings, Url},
};
use textsearch_compose::{CacheSettings, Cached, Fallback, FanOut, FanOutSettings, Sources, Timed};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};
use textsearch_core::{FixedSearch, SearchOptions, TextSearch, TextSearchResult};

/// Answers like a web engine.
fn answer(request: &RecordedRequest) -> Response {
    println!("  the web engine is asked for {:?}", request.number("count", 0));
    let page = |title: &str, url: &str, text: &str| json!({ "title": title, "url": url, "description": text });
    Response::json(&json!({ "web": { "results": [
        page("Tides", "https://Harbour.example/tides/?utm_source=engine", "When the water is high."),
        page("Ferries", "https://harbour.example/ferries", "When the boats leave."),
    ] } }))
}

fn web(endpoint: Url) -> anyhow::Result<BraveTextSearch> {
    let http = HttpSettings::default().with_max_attempts(1);
    let config = BraveConfig::new("sesame").with_endpoint(endpoint.as_str());
    Ok(BraveTextSearch::new(config.with_http_settings(http))?)
}

fn notes() -> FixedSearch {
    let note = |name: &str, text: &str| {
        let link = format!("https://harbour.example/{}", name.to_lowercase());
        TextSearchResult::new(text).with_name(name).with_link(link)
    };
    FixedSearch::new([
        note("Moorings", "Where to tie up."),
        note("Tides", "High water is at ten past five."),
    ])
}

async fn show(what: &str, search: &Arc<dyn TextSearch>) -> anyhow::Result<()> {
    println!("{what}");
    let options = SearchOptions::top(5);
    let mut results = search.text_search_results("high water", &options).await?;
    println!("  metadata: {}", json!(results.metadata()));
    while let Some(result) = results.next().await {
        let result = result?;
        let name = result.name.unwrap_or_default();
        match result.metadata.get("sources") {
            Some(ranks) => println!("  {name}, found by {ranks}"),
            None => println!("  {name}"),
        }
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let engine = Server::start(|request, _| Action::Answer(answer(request))).await;
    let live = Cached::new(web(engine.url().clone())?, CacheSettings::default())?;
    // Nothing listens at the address of the second engine.
    let dead = web(Url::parse("http://127.0.0.1:9/")?)?;

    // The notes, one engine and the dead one, in one ranking. Both live sources know the tides.
    let sources = Sources::new("notes", notes())
        .with_source("web", live)
        .with_source("dead web", dead.clone());
    let mut settings = FanOutSettings::default();
    settings.source_timeout = Duration::from_secs(2);
    let all: Arc<dyn TextSearch> = Arc::new(FanOut::new(sources, settings)?);
    show("Fan-out with a dead source:", &all).await?;
    show("Again; the cache answers for the live engine:", &all).await?;
    anyhow::ensure!(engine.count() == 1, "the engine was asked {} times", engine.count());

    // The dead engine first; the notes answer in its place.
    let first = Timed::new(dead, Duration::from_secs(2));
    let sources = Sources::new("dead web", first).with_source("notes", notes());
    let fallback: Arc<dyn TextSearch> = Arc::new(Fallback::new(sources)?);
    show("Fallback:", &fallback).await
}
