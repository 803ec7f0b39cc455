#![doc = include_str!("../README.md")]
//!
//! # More programs
//!
//! The web, with a filter. Feature: `brave`.
//!
//! ```no_run
//! use textsearch_sdk::brave::{BraveConfig, BraveTextSearch};
//! use textsearch_sdk::core::{Filter, SearchOptions, TextSearch};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let search = BraveTextSearch::new(BraveConfig::from_env()?)?; // BRAVE_API_KEY
//!     let options = SearchOptions::top(5).with_filter(Filter::eq("site", "docs.rs"));
//!     for result in search.text_search_results("async traits", &options).await?.into_vec().await? {
//!         println!("{}\n{}", result.link.unwrap_or_default(), result.value);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! A model that searches the web. Features: `brave`, `kernel`, `openai`.
//!
//! ```no_run
//! use textsearch_sdk::brave::{BraveConfig, BraveTextSearch};
//! use textsearch_sdk::kernel::prelude::*;
//! use textsearch_sdk::openai::{OpenAiChat, OpenAiConfig};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut kernel = Kernel::new();
//!     kernel.add_chat_service("default", OpenAiChat::new(OpenAiConfig::from_env()?)?)?;
//!     kernel.add_plugin(BraveTextSearch::new(BraveConfig::from_env()?)?.create_with_get_search_results("Web")?)?;
//!
//!     let history = ChatHistory::from(vec![ChatMessage::user("What is new in Rust?")]);
//!     println!("{}", kernel.chat(history, FunctionChoiceBehavior::auto()).await?.answer()?);
//!     Ok(())
//! }
//! ```
//!
//! # Derives
//!
//! Derives expect the crate `textsearch_core`, and attributes the crate `textsearch_kernel`. Give them the
//! paths in this crate:
//!
//! ```
//! use textsearch_sdk::core::{FixedSearch, SearchOptions, TextSearch, TextSearchRecord, schemars};
//!
//! #[derive(serde::Serialize, TextSearchRecord)]
//! #[result(crate = "textsearch_sdk::core")]
//! struct Page {
//!     #[result(link)]
//!     url: String,
//!     #[result(value)]
//!     text: String,
//! }
//!
//! /// Returns the current year.
//! #[textsearch_sdk::kernel::kernel_function(crate = "textsearch_sdk::kernel")]
//! fn year() -> i32 {
//!     2027
//! }
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use textsearch_core as core;

#[cfg(feature = "anthropic")]
pub use textsearch_anthropic as anthropic;
#[cfg(feature = "azure-ai-search")]
pub use textsearch_azure_ai_search as azure_ai_search;
#[cfg(feature = "bing")]
pub use textsearch_bing as bing;
#[cfg(feature = "brave")]
pub use textsearch_brave as brave;
#[cfg(feature = "chroma")]
pub use textsearch_chroma as chroma;
#[cfg(feature = "compose")]
pub use textsearch_compose as compose;
#[cfg(feature = "documents")]
pub use textsearch_documents as documents;
#[cfg(feature = "embeddings-local")]
pub use textsearch_embeddings_local as embeddings_local;
#[cfg(feature = "eval")]
pub use textsearch_eval as eval;
#[cfg(feature = "exa")]
pub use textsearch_exa as exa;
#[cfg(feature = "google")]
pub use textsearch_google as google;
#[cfg(feature = "html")]
pub use textsearch_html as html;
#[cfg(feature = "kernel")]
pub use textsearch_kernel as kernel;
#[cfg(feature = "linkup")]
pub use textsearch_linkup as linkup;
#[cfg(feature = "mcp")]
pub use textsearch_mcp as mcp;
#[cfg(feature = "milvus")]
pub use textsearch_milvus as milvus;
#[cfg(feature = "mlindex")]
pub use textsearch_mlindex as mlindex;
#[cfg(feature = "openai")]
pub use textsearch_openai as openai;
#[cfg(feature = "openapi")]
pub use textsearch_openapi as openapi;
#[cfg(feature = "perplexity")]
pub use textsearch_perplexity as perplexity;
#[cfg(feature = "pgvector")]
pub use textsearch_pgvector as pgvector;
#[cfg(feature = "pinecone")]
pub use textsearch_pinecone as pinecone;
#[cfg(feature = "plan")]
pub use textsearch_plan as plan;
#[cfg(feature = "prompt")]
pub use textsearch_prompt as prompt;
#[cfg(feature = "qdrant")]
pub use textsearch_qdrant as qdrant;
#[cfg(feature = "rerank")]
pub use textsearch_rerank as rerank;
#[cfg(feature = "searxng")]
pub use textsearch_searxng as searxng;
#[cfg(feature = "serper")]
pub use textsearch_serper as serper;
#[cfg(feature = "server")]
pub use textsearch_server as server;
#[cfg(feature = "tavily")]
pub use textsearch_tavily as tavily;
#[cfg(feature = "vector-inmemory")]
pub use textsearch_vector_inmemory as vector_inmemory;
#[cfg(feature = "web-page")]
pub use textsearch_web_page as web_page;
