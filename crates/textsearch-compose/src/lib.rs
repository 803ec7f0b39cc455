#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocks;
#[cfg(feature = "cache")]
mod cached;
mod failures;
mod fallback;
mod fan_out;
mod link;
mod per_document;
mod phrased;
#[cfg(feature = "rate-limit")]
mod rate_limited;
mod recent;
mod reranked;
mod schema;
mod sifted;
mod sources;
mod timed;

#[cfg(feature = "cache")]
pub use cached::{CacheSettings, Cached};
pub use fallback::Fallback;
pub use fan_out::{FanOut, FanOutSettings};
pub use per_document::PerDocument;
pub use phrased::{PhraseQuery, Phrased};
#[cfg(feature = "rate-limit")]
pub use rate_limited::{RateLimit, RateLimited};
pub use recent::Recent;
pub use reranked::Reranked;
pub use sources::Sources;
pub use timed::Timed;
