//! Functions, plugins and prompts for LLM applications: any text search as a plugin, in one line.
//!
//! ```
//! use textsearch_kernel::prelude::*;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> textsearch_kernel::Result<()> {
//!     let search = FixedSearch::new([TextSearchResult::new("A connector is a crate for one backend.")]);
//!     let mut kernel = Kernel::new();
//!     kernel.add_plugin(search.create_with_search("SearchPlugin")?)?;
//!
//!     let arguments = KernelArguments::new().with("query", "What is a connector?");
//!     let result = kernel.invoke("SearchPlugin", "Search", arguments).await?;
//!     assert_eq!(result.text(), "A connector is a crate for one backend.");
//!     Ok(())
//! }
//! ```
//!
//! Templates of `textsearch-prompt` call the plugin as `{{SearchPlugin.Search $query}}`; a model
//! calls it in [`Kernel::chat`].
//!
//! Guides: [Getting started], [Function calling], [Prompt templates], [Retrieval-augmented
//! generation], [From Semantic Kernel], [Security]. The [examples] are complete programs.
//!
//! [Getting started]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/getting-started.md
//! [Function calling]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/function-calling.md
//! [Prompt templates]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/prompts.md
//! [Retrieval-augmented generation]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/rag.md
//! [From Semantic Kernel]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/from-semantic-kernel.md
//! [Security]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/security.md
//! [examples]: https://github.com/textsearch-rs/textsearch/tree/main/examples
#![cfg_attr(docsrs, feature(doc_cfg))]

mod arguments;
mod callback;
pub mod chat;
pub mod citations;
mod error;
pub mod function;
pub mod grounding;
mod kernel;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod macro_support;
mod plugin;
pub mod prelude;
pub mod prompt;
mod read;
mod schema;
pub mod search;
mod text;
pub mod transform;

pub use arguments::KernelArguments;
pub use error::{KernelError, Result};
pub use function::KernelFunction;
pub use kernel::Kernel;
pub use plugin::KernelPlugin;
pub use search::TextSearchPlugins;
#[cfg(feature = "macros")]
pub use textsearch_macros::{kernel_function, kernel_plugin};

/// The search abstractions behind plugins.
pub use textsearch_core;

// The README is longer than one screen, so it is tested but not the front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
