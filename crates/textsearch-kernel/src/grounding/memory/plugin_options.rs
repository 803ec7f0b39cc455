//! Options of a memory plugin.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};

use super::MemoryWrite;
use crate::callback::Callback;

pub(super) type Approval = dyn Fn(MemoryWrite) -> BoxFuture<'static, bool> + Send + Sync;

/// A function of a memory plugin that writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryWriter {
    /// `Save`.
    Save,
    /// `Remove`.
    Remove,
}

/// Options of a [memory plugin](super::TextMemory::create_plugin).
///
/// ```
/// use textsearch_kernel::grounding::{MemoryPluginOptions, MemoryWrite, MemoryWriter};
///
/// let options = MemoryPluginOptions::new()
///     .with_writers([MemoryWriter::Save])
///     .with_approval(|write| async move {
///         // Ask a person, or decide by what is written.
///         matches!(write, MemoryWrite::Save(entry) if entry.key.starts_with("notes-"))
///     });
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MemoryPluginOptions {
    /// The functions that write; none by default.
    pub writers: Vec<MemoryWriter>,
    /// The `limit` of a `Recall` that omits it; 3 by default.
    pub default_limit: usize,
    /// The maximum `limit` of a `Recall`; 50 by default.
    pub max_limit: usize,
    /// The maximum length of a saved text, in characters; 16,000 by default.
    pub max_text_characters: usize,
    pub(super) approval: Option<Callback<Approval>>,
}

impl MemoryPluginOptions {
    /// Creates options for a plugin that only reads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the functions that write. Templates and applications can then call them.
    ///
    /// A model is offered them only if its choice of functions names them, such as
    /// `FunctionChoiceBehavior::auto().with_functions(["Memory.Recall", "Memory.Save"])`, and its
    /// calls need an [approval](Self::with_approval).
    #[must_use]
    pub fn with_writers(mut self, writers: impl IntoIterator<Item = MemoryWriter>) -> Self {
        self.writers = writers.into_iter().collect();
        self
    }

    /// Sets the function that approves each write that a model requests, or that a function called
    /// by a model leads to. Without one, all of them are refused.
    ///
    /// It gets exactly what would be written. The texts come from the model: show them escaped, since
    /// they may contain direction marks. If the model requests several writes at once, the function
    /// runs concurrently.
    #[must_use]
    pub fn with_approval<A, F>(mut self, approval: A) -> Self
    where
        A: Fn(MemoryWrite) -> F + Send + Sync + 'static,
        F: Future<Output = bool> + Send + 'static,
    {
        self.approval = Some(Callback(Arc::new(move |write| approval(write).boxed())));
        self
    }
}

impl Default for MemoryPluginOptions {
    fn default() -> Self {
        Self {
            writers: Vec::new(),
            default_limit: 3,
            max_limit: 50,
            max_text_characters: 16_000,
            approval: None,
        }
    }
}
