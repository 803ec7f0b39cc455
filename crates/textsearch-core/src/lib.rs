//! Text search for LLM applications: one trait over web engines, vector stores and your services.
//!
//! ```
//! use textsearch_core::prelude::*;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> textsearch_core::Result<()> {
//!     let page = TextSearchResult::new("Readers never wait for a writer.").with_name("Stores");
//!     let fields = [FilterableField::string("Name", "The page's title")];
//!     let search = FixedSearch::new([page]).with_fields(fields);
//!
//!     let options = SearchOptions::top(3).with_filter(Filter::eq("Name", "Stores"));
//!     let texts = search.search("readers", &options).await?.into_vec().await?;
//!     assert_eq!(texts, ["Readers never wait for a writer."]);
//!     Ok(())
//! }
//! ```
//!
//! Programs hold a [`TextSearch`]. A connector [implements][Write a connector]
//! [`TextSearchConnector`] and gets it for free. The [README] lists the features.
//!
//! Guides: [Getting started], [Filters], [Vector search], [From Semantic Kernel], [Security]. The
//! [examples] are whole programs.
//!
//! [Getting started]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/getting-started.md
//! [Filters]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/filters.md
//! [Vector search]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/vectors.md
//! [From Semantic Kernel]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/from-semantic-kernel.md
//! [Security]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/security.md
//! [Write a connector]: https://github.com/textsearch-rs/textsearch/blob/main/docs/contributing/writing-a-connector.md
//! [examples]: https://github.com/textsearch-rs/textsearch/tree/main/examples
//! [README]: https://github.com/textsearch-rs/textsearch/tree/main/crates/textsearch-core
#![cfg_attr(docsrs, feature(doc_cfg))]

mod any_record;
pub mod connector;
mod description;
pub mod document;
#[cfg(feature = "secret")]
mod environment;
mod error;
mod explanation;
pub mod filter;
mod fixed_search;
pub mod invisible;
#[cfg(any(feature = "vector", feature = "text-analysis"))]
#[cfg_attr(
    not(feature = "text-analysis"),
    expect(unreachable_pub, reason = "`text_analysis` makes it public")
)]
mod languages;
mod mapping;
mod options;
mod paging;
pub mod prelude;
mod rank_fusion;
mod record;
mod record_stream;
pub mod rerank;
mod result;
pub mod results;
#[doc(hidden)]
pub mod telemetry;
mod text_search;
mod wrapper;
mod yield_now;

#[cfg(feature = "chat")]
pub mod chat;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod macro_support;
#[cfg(feature = "secret")]
pub mod secret;
#[cfg(feature = "text-analysis")]
pub mod text_analysis;
#[cfg(feature = "vector")]
pub mod vector;
#[cfg(feature = "web")]
pub mod web;

#[doc(hidden)]
pub use self::yield_now::yield_now;
#[doc(inline)]
pub use connector::{CheckedOptions, TextSearchConnector};
pub use description::TextSearchDescription;
pub use error::{BoxError, Error, ErrorKind, Result};
#[doc(inline)]
pub use filter::{Filter, FilterableField};
pub use fixed_search::FixedSearch;
pub use options::SearchOptions;
pub use record::TextSearchRecord;
pub use result::TextSearchResult;
#[doc(inline)]
pub use results::SearchResults;
pub use text_search::TextSearch;
#[cfg(feature = "macros")]
pub use textsearch_macros::TextSearchRecord;

/// The attribute for implementations of object-safe traits, such as vector stores.
pub use async_trait::async_trait;
/// The JSON schema crate in this crate's signatures.
pub use schemars;
/// The crate whose traits records implement. Derives need
/// `#[serde(crate = "textsearch_core::serde")]`.
pub use serde;
/// The JSON crate in this crate's signatures.
pub use serde_json;

// Tested here, but too long for the front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
