//! The parts of execution settings that exist in code only.

use std::{fmt, sync::Arc};

use textsearch_core::TextSearch;

use super::TextSearchProvider;

/// The setting of a memory.
pub(crate) const MEMORY_SETTING: &str = "memory_config";

/// A memory and context providers.
#[derive(Clone, Default)]
pub(crate) struct Attached {
    pub(super) memory: Option<Arc<dyn TextSearch>>,
    pub(super) providers: Vec<Arc<TextSearchProvider>>,
}

impl Attached {
    pub(crate) fn is_empty(&self) -> bool {
        self.memory.is_none() && self.providers.is_empty()
    }

    /// The memory belongs to the setting of this name, which was replaced.
    pub(crate) fn forget_memory(&mut self) {
        self.memory = None;
    }

    /// Overrides the providers, and the memory if `layer` has the setting that it belongs to.
    pub(crate) fn overlay(&mut self, layer: &Self, has_memory_setting: bool) {
        if has_memory_setting {
            self.memory.clone_from(&layer.memory);
        }
        if !layer.providers.is_empty() {
            self.providers.clone_from(&layer.providers);
        }
    }
}

/// Equal if they are the same, not if they would find the same.
impl PartialEq for Attached {
    fn eq(&self, other: &Self) -> bool {
        let is_same_memory = match (&self.memory, &other.memory) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (None, None) => true,
            _ => false,
        };
        let is_same = |(own, other): (&Arc<_>, &Arc<_>)| Arc::ptr_eq(own, other);
        is_same_memory
            && self.providers.len() == other.providers.len()
            && self.providers.iter().zip(&other.providers).all(is_same)
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Attached")
            .field("memory", &self.memory.as_ref().map(|memory| memory.name()))
            .field("providers", &self.providers)
            .finish()
    }
}
