//! Ways to ground a prompt or a chat in search results: a prompt filter, a context provider, the
//! execution settings, and a memory as a plugin.
//!
//! | To ground | Use |
//! |---|---|
//! | every rendered prompt | [`GroundingFilter`] |
//! | each turn of a chat, or on a model's request | [`TextSearchProvider`] |
//! | the chats with certain execution settings | [`MemoryConfig`] |
//! | a template, where it calls a function | `TextMemory` (feature `vector`), or a [search plugin](crate::TextSearchPlugins) |
//!
//! All of them treat results as untrusted text: no result can form another result, a line of the
//! prompt or a message.

mod attached;
mod context;
mod filter;
#[cfg(feature = "vector")]
mod memory;
mod options;
mod provider;
mod search;
mod settings;

#[cfg(feature = "vector")]
pub use self::memory::{MemoryEntry, MemoryPluginOptions, MemoryWrite, MemoryWriter, TextMemory};
pub(crate) use self::{
    attached::{Attached, MEMORY_SETTING},
    settings::take_providers,
};
pub use self::{
    filter::GroundingFilter,
    options::{ContextResult, GroundingOptions},
    provider::{TextSearchBehavior, TextSearchProvider},
    settings::MemoryConfig,
};
