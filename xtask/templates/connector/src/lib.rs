#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod request;
mod response;
mod search;

pub use config::{ACME_API_KEY, ACME_ENDPOINT, AcmeConfig};
pub use response::AcmePage;
pub use search::AcmeTextSearch;

/// Connector name in errors and as the source of results.
const NAME: &str = "acme";
