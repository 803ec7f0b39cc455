#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod response;
mod search;

pub use config::{PERPLEXITY_API_KEY, PERPLEXITY_ENDPOINT, PerplexityConfig, PerplexitySearchMode};
pub use response::PerplexityPage;
pub use search::PerplexityTextSearch;

const CONNECTOR: &str = "perplexity";

// What one search needs from the core.
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
