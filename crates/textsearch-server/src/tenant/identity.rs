//! Who a tenant is.

use std::collections::HashSet;

use textsearch_core::Filter;

use crate::Right;

/// Who a tenant is.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) rights: Vec<Right>,
    pub(crate) filter: Option<Filter>,
    /// All by default.
    pub(crate) shown_fields: Option<HashSet<String>>,
}

impl Identity {
    pub(crate) fn sees(&self, field: &str) -> bool {
        self.shown_fields.as_ref().is_none_or(|shown| shown.contains(field))
    }
}
