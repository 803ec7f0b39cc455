#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod analyzer;
mod collection;
mod columns;
mod config;
mod credential;
mod definition;
mod delete;
mod document;
mod error;
mod filter;
mod index;
mod key;
mod ranking;
mod read;
mod request;
mod scan;
mod score;
mod search;
mod service;
mod store;
mod text;
mod upsert;
mod write;

pub use config::{AZURE_SEARCH_API_KEY, AZURE_SEARCH_ENDPOINT, AzureSearchConfig};
pub use credential::TokenProvider;
pub use store::AzureSearchStore;

const CONNECTOR: &str = "azure-ai-search";

pub use textsearch_core::{Error, ErrorKind, Filter, Result, http, secret, vector};
