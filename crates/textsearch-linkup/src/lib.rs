#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod response;
mod search;

pub use config::{LINKUP_API_KEY, LINKUP_ENDPOINT, LinkupConfig, LinkupDepth};
pub use response::LinkupPage;
pub use search::LinkupTextSearch;

const CONNECTOR: &str = "linkup";

// What one search needs from the core.
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
