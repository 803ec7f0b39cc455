#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod response;
mod search;

pub use config::{SERPER_API_KEY, SERPER_ENDPOINT, SerperConfig};
pub use response::SerperPage;
pub use search::SerperTextSearch;

const CONNECTOR: &str = "serper";

// What one search needs from the core.
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
