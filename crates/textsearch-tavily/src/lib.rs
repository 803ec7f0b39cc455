#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod response;
mod search;

pub use config::{
    TAVILY_API_KEY, TAVILY_ENDPOINT, TAVILY_SEARCH_DEPTH, TAVILY_TOPIC, TavilyAnswer, TavilyConfig,
    TavilyRawContent, TavilySearchDepth, TavilyTopic,
};
pub use response::TavilyWebPage;
pub use search::TavilyTextSearch;

const CONNECTOR: &str = "tavily";

// What one search needs from the core.
pub use textsearch_core::filter::DateTime;
pub use textsearch_core::web::{SafeSearch, TimeRange};
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
