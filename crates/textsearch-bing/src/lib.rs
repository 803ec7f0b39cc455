#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod parameters;
mod record;
mod search;
mod webiq;

pub use config::{
    BING_API_KEY, BING_ENDPOINT, BING_KEY_HEADER, BingConfig, BingKeyHeader, BingNewsConfig,
    BingNewsOrder, BingTextFormat,
};
pub use record::{
    BingDeepLink, BingMetaTag, BingNewsArticle, BingNewsImage, BingPageImage, BingThing,
    BingWebPage,
};
pub use search::{BingNewsSearch, BingTextSearch};
pub use webiq::{
    WEBIQ_API_KEY, WEBIQ_ENDPOINT, WebIqConfig, WebIqContent, WebIqPage, WebIqTextSearch,
};

const CONNECTOR: &str = "bing";

// What one search needs from the core.
pub use textsearch_core::filter::DateTime;
pub use textsearch_core::web::{SafeSearch, TimeRange};
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
