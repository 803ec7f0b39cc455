#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod request;
mod response;
mod search;

pub use config::{
    AUTHORIZATION_VARIABLE, CATEGORIES_VARIABLE, ENDPOINT_VARIABLE, ENGINES_VARIABLE,
    LANGUAGE_VARIABLE, SAFE_SEARCH_VARIABLE, SearxngConfig, TIME_RANGE_VARIABLE,
};
pub use response::SearxngResult;
pub use search::SearxngTextSearch;
pub use textsearch_core::web::{SafeSearch, TimeRange};

/// Connector name in errors and as the source of results.
const NAME: &str = "searxng";
