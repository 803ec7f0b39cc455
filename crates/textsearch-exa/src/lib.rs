#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod response;
mod search;

pub use config::{EXA_API_KEY, EXA_ENDPOINT, ExaConfig, ExaContents, ExaSearchType};
pub use response::ExaPage;
pub use search::ExaTextSearch;

const CONNECTOR: &str = "exa";

// What one search needs from the core.
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
