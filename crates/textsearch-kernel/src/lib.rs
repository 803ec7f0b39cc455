#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod arguments;
pub mod chat;
pub mod citations;
mod error;
pub mod function;
mod kernel;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod macro_support;
mod plugin;
pub mod prompt;
mod schema;
pub mod search;
mod text;

pub use arguments::KernelArguments;
pub use error::{KernelError, Result};
pub use function::KernelFunction;
pub use kernel::Kernel;
pub use plugin::KernelPlugin;
pub use search::TextSearchPlugins;
#[cfg(feature = "macros")]
pub use textsearch_macros::{kernel_function, kernel_plugin};

/// The search abstractions that plugins are made of.
pub use textsearch_core;
