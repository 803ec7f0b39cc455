#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod actions;
mod analyzer;
mod catalog;
mod client;
mod collection;
mod columns;
mod config;
mod credential;
mod definition;
mod delete;
mod error;
mod existing;
mod filter;
mod handle;
mod key;
mod ranking;
mod read;
mod record;
mod scan;
mod schema;
mod score;
mod search;
mod store;
mod upsert;
mod wire;
mod words;

pub use config::{AZURE_SEARCH_API_KEY, AZURE_SEARCH_ENDPOINT, AzureSearchConfig};
pub use credential::TokenProvider;
pub use store::AzureSearchStore;

const CONNECTOR: &str = "azure-ai-search";

pub use textsearch_core::{Error, ErrorKind, Filter, Result, http, secret, vector};
