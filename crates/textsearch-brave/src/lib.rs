#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod context;
mod filter;
mod page;
mod search;
mod values;

pub use config::{
    BRAVE_API_KEY, BRAVE_CONTEXT_ENDPOINT, BRAVE_COUNTRY, BRAVE_ENDPOINT, BRAVE_SAFESEARCH,
    BRAVE_SEARCH_LANG, BraveConfig, BraveLocation, BraveUnits,
};
pub use context::{
    BraveContextConfig, BraveContextPage, BraveContextSearch, BraveContextSource, BraveThreshold,
};
pub use page::{BraveMetaUrl, BraveProfile, BraveThumbnail, BraveWebPage};
pub use search::BraveTextSearch;

const CONNECTOR: &str = "brave";

// What one search needs from the core.
pub use textsearch_core::filter::DateTime;
pub use textsearch_core::web::{SafeSearch, TimeRange};
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
