#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod record;
mod search;

pub use config::{
    GOOGLE_API_KEY, GOOGLE_SEARCH_ENDPOINT, GOOGLE_SEARCH_ENGINE_ID, GoogleConfig,
    GoogleImageColor, GoogleImageColorType, GoogleImageSize, GoogleImageType,
};
pub use record::{GoogleImage, GoogleLabel, GoogleWebPage};
pub use search::GoogleTextSearch;

const CONNECTOR: &str = "google";

// What one search needs from the core.
pub use textsearch_core::web::{SafeSearch, TimeRange};
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
