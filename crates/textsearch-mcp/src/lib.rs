//! Any search, plugin or prompt as an MCP server, and any MCP server's tools as a plugin.
//!
//! [MCP](https://modelcontextprotocol.io) connects assistants, editors and agents with tools.
//! [`McpServer`] offers them the functions and prompts of a kernel; [`McpPlugin`] turns the tools of
//! another program into functions for templates and models.
//!
//! No feature is on by default. `server` or `client` enables one side, over standard input and
//! output. `http-server` or `http-client` enables the same side and adds HTTP.
//!
//! A server, which needs the feature `server`:
//!
//! ```no_run
//! use textsearch_kernel::prelude::*;
//! use textsearch_mcp::{McpServer, McpServerConfig};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let search = FixedSearch::new([TextSearchResult::new("A connector is a crate for one backend.")]);
//!     let mut kernel = Kernel::new();
//!     kernel.add_plugin(search.create_with_search("Docs")?)?;
//!
//!     McpServer::new(kernel, McpServerConfig::new("docs"))?.serve_stdio().await?;
//!     Ok(())
//! }
//! ```
//!
//! Guide: [MCP](https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/mcp.md).
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "client")]
mod client;
mod error;
#[cfg(feature = "http-server")]
#[doc(hidden)]
pub mod http_server;
#[cfg(any(feature = "client", feature = "server"))]
mod lines;
#[cfg(feature = "server")]
mod server;
#[cfg(any(feature = "client", feature = "server"))]
mod text;

#[cfg(feature = "http-client")]
pub use client::McpUrl;
#[cfg(feature = "client")]
pub use client::{McpCommand, McpEndpoint, McpPlugin, McpPluginConfig, RefusedTool};
pub use error::{McpError, Result};
#[cfg(feature = "server")]
pub use server::{McpDocuments, McpServer, McpServerConfig};
#[cfg(feature = "http-server")]
pub use server::{McpHttpConfig, McpHttpService};

// The README is longer than one screen, so it is tested but not the front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
