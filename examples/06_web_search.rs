//! Searches the web with any of five engines. Only one line names the engine.
//!
//! Needs: nothing; it runs offline against a built-in response. `--endpoint http://127.0.0.1:8080`
//! queries your SearXNG, which needs no key. `--source brave` queries an engine with its key in the
//! environment.

use std::sync::Arc;

use clap::{Parser, ValueEnum};
use textsearch_bing::{WebIqConfig, WebIqTextSearch};
use textsearch_brave::{BraveConfig, BraveTextSearch};
use textsearch_core::{Filter, SearchOptions, TextSearch, http::variable, results::TotalCount};
use textsearch_google::{GoogleConfig, GoogleTextSearch};
use textsearch_searxng::{SEARXNG_ENDPOINT, SearxngConfig, SearxngTextSearch};
use textsearch_tavily::{TavilyConfig, TavilyTextSearch};

/// Searches the web.
#[derive(Parser)]
struct Arguments {
    /// What to search for
    #[arg(default_value = "How are tides predicted?")]
    query: String,
    /// The engine to query
    #[arg(long, value_enum, default_value = "searxng")]
    source: Source,
    /// The engine's address, if not the default
    #[arg(long)]
    endpoint: Option<String>,
    /// The largest number of results
    #[arg(long, default_value_t = 5)]
    top: usize,
    /// Only results from this domain
    #[arg(long)]
    site: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Source {
    Searxng,
    Brave,
    Tavily,
    WebIq,
    Google,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let search = open(arguments.source, arguments.endpoint).await?;

    // The rest works with any engine.
    let mut options = SearchOptions::top(arguments.top).with_total_count(true);
    if let Some(site) = arguments.site {
        options = options.with_filter(Filter::eq("site", site));
    }
    let mut results = search.text_search_results(&arguments.query, &options).await?;
    match results.total_count() {
        Some(TotalCount::Exact(count)) => println!("{count} results"),
        Some(TotalCount::Estimated(count)) => println!("about {count} results"),
        None => println!("{} does not say how many results there are", search.name()),
    }
    while let Some(result) = results.next().await {
        let result = result?;
        println!("\n{}", result.name.as_deref().unwrap_or("without a name"));
        println!("{}", result.link.as_deref().unwrap_or("without a link"));
        println!("{}", result.value);
    }
    Ok(())
}

/// `--endpoint` overrides the address in the environment.
async fn open(source: Source, endpoint: Option<String>) -> anyhow::Result<Arc<dyn TextSearch>> {
    Ok(match source {
        Source::Searxng => {
            let config = match endpoint.or(variable("searxng", SEARXNG_ENDPOINT)?) {
                Some(endpoint) => SearxngConfig::from_env_at(endpoint)?,
                None => SearxngConfig::new(instance_of_one_answer().await?),
            };
            Arc::new(SearxngTextSearch::new(config)?)
        }
        Source::Brave => {
            let config = at(BraveConfig::from_env()?, endpoint, BraveConfig::with_endpoint);
            Arc::new(BraveTextSearch::new(config)?)
        }
        Source::Tavily => {
            let config = at(TavilyConfig::from_env()?, endpoint, TavilyConfig::with_endpoint);
            Arc::new(TavilyTextSearch::new(config)?)
        }
        Source::WebIq => {
            let config = at(WebIqConfig::from_env()?, endpoint, WebIqConfig::with_endpoint);
            Arc::new(WebIqTextSearch::new(config)?)
        }
        Source::Google => {
            let config = at(GoogleConfig::from_env()?, endpoint, GoogleConfig::with_endpoint);
            Arc::new(GoogleTextSearch::new(config)?)
        }
    })
}

fn at<C>(config: C, endpoint: Option<String>, with_endpoint: impl Fn(C, String) -> C) -> C {
    match endpoint {
        Some(endpoint) => with_endpoint(config, endpoint),
        None => config,
    }
}

/// Stands in for a SearXNG instance.
async fn instance_of_one_answer() -> anyhow::Result<String> {
    let host = examples::loopback::serve("application/json", ANSWER).await?;
    println!("No --endpoint: this is an answer that comes with the example.\n");
    Ok(format!("http://{host}"))
}

const ANSWER: &str = r#"{
  "query": "How are tides predicted?",
  "number_of_results": 1200,
  "results": [
    {
      "title": "How the tides are predicted a year ahead",
      "url": "https://harbour.example/journal/tides",
      "content": "Each harbour has a few dozen constants, and the rest is a sum of cosines.",
      "engine": "wikipedia", "engines": ["wikipedia"], "positions": [1], "score": 2.0, "category": "general"
    },
    {
      "title": "Storm surges",
      "url": "https://weather.example/surges",
      "content": "A gale can add a metre to what the table says.",
      "engine": "brave", "engines": ["brave"], "positions": [1], "score": 1.0, "category": "general"
    }
  ],
  "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": []
}"#;
