#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod config;
mod filter;
mod request;
mod response;
mod search;

pub use config::{API_KEY_VARIABLE, AcmeConfig, ENDPOINT_VARIABLE};
pub use response::AcmePage;
pub use search::AcmeTextSearch;

/// Connector name in errors and as the source of results.
const NAME: &str = "acme";
