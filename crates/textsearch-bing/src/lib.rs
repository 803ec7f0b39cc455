#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod news;
mod request;
mod response;
mod search;

pub use config::{
    BING_API_KEY, BING_ENDPOINT, BING_KEY_HEADER, BingConfig, BingKeyHeader, BingNewsOrder,
    BingTextFormat,
};
pub use news::{BingNewsArticle, BingNewsImage, BingNewsProvider, BingNewsThumbnail};
pub use response::{BingDeepLink, BingMetaTag, BingPageImage, BingThing, BingWebPage};
pub use search::{BingNewsSearch, BingSearch, BingTextSearch};

const CONNECTOR: &str = "bing";

// What one search needs from the core.
pub use textsearch_core::filter::DateTime;
pub use textsearch_core::web::{SafeSearch, TimeRange};
pub use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, http,
};
