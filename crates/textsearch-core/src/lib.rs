#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod any_record;
mod connector;
#[cfg(feature = "secret")]
mod environment;
mod error;
pub mod filter;
mod fixed_search;
#[cfg(any(feature = "vector", feature = "text-analysis"))]
#[cfg_attr(
    not(feature = "text-analysis"),
    expect(unreachable_pub, reason = "`text_analysis` makes it public")
)]
mod languages;
mod mapping;
mod options;
mod paging;
mod record;
mod record_stream;
mod result;
mod results;
mod span;
mod text_search;

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
#[cfg(feature = "http")]
pub mod web;

pub use any_record::AnyRecord;
pub use connector::{CheckedOptions, TextSearchConnector};
pub use error::{BoxError, Error, ErrorKind, Result};
pub use filter::{
    DateTime, Filter, FilterOperator, FilterValue, FilterableField, ParseFilterError,
};
pub use fixed_search::FixedSearch;
pub use mapping::{AnyTextSearch, Mapped, WithResult, WithText};
pub use options::SearchOptions;
pub use paging::Page;
pub use record::TextSearchRecord;
pub use result::{Metadata, TextSearchResult};
pub use results::{SearchResults, TotalCount};
pub use text_search::TextSearch;
#[cfg(feature = "macros")]
pub use textsearch_macros::TextSearchRecord;

/// The attribute that implementations of traits held as `dyn` need, such as a vector store, so that a crate names one crate of ours.
pub use async_trait::async_trait;
/// The stream trait that [`SearchResults`] implements and is made of.
pub use futures_core::Stream;
/// The JSON schema crate whose types are in this crate's signatures.
pub use schemars;
/// The crate whose traits records implement. A program that derives them through this path adds
/// `#[serde(crate = "textsearch_core::serde")]` to its types.
pub use serde;
/// The JSON crate whose types are in this crate's signatures.
pub use serde_json;
