#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod response;
mod search;

pub use config::{
    SEARXNG_AUTHORIZATION, SEARXNG_CATEGORIES, SEARXNG_ENDPOINT, SEARXNG_ENGINES, SEARXNG_LANGUAGE,
    SEARXNG_SAFE_SEARCH, SEARXNG_TIME_RANGE, SearxngConfig,
};
pub use response::SearxngResult;
pub use search::SearxngTextSearch;
pub use textsearch_core::web::{SafeSearch, TimeRange};

const NAME: &str = "searxng";
