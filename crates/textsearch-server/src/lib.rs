//! Any search over HTTP: results, prompts, cited answers, MCP and the retrieval-plugin interface.
//!
//! ```no_run
//! use textsearch_core::{FixedSearch, TextSearchResult};
//! use textsearch_server::{SearchSource, Server, ServerConfig, Services};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let search = FixedSearch::new([TextSearchResult::new("A connector is a crate for one backend.")]);
//!     let services = Services::new().with_source(SearchSource::new("docs", search));
//!
//!     let listener = tokio::net::TcpListener::bind("127.0.0.1:8723").await?;
//!     Server::new(services, ServerConfig::new())?.serve(listener, std::future::pending()).await;
//!     Ok(())
//! }
//! ```
//!
//! Guide: [Server](https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/server.md).
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
mod assets;
mod body;
mod calls;
mod capacity;
mod config;
mod endpoints;
mod error;
mod layers;
mod metrics;
mod oauth;
mod openapi;
mod problem;
mod retrieval;
mod router;
mod schemas;
mod server;
mod services;
mod shared;
mod tenant;

pub use access::{AccessToken, Right};
pub use config::ServerConfig;
pub use error::{Result, ServerError};
pub use oauth::OAuthConfig;
pub use retrieval::{DocumentWriter, retrieval_metadata};
pub use server::{Server, ServerService};
pub use services::{SearchSource, Services};

// The README is longer than one screen, so it is tested but not the front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
