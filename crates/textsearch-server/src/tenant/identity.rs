//! Who a tenant is.

use std::collections::HashSet;

use textsearch_core::Filter;

use crate::{ServerConfig, access};

/// Who a tenant is.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) name: String,
    /// Whether any of its callers may write.
    pub(crate) may_write: bool,
    pub(crate) filter: Option<Filter>,
    /// The setting that has the filter.
    pub(crate) setting: &'static str,
    /// All by default.
    shown_fields: Option<HashSet<String>>,
}

impl Identity {
    /// `own_filter` narrows the server's own one.
    pub(crate) fn new(
        name: &str,
        may_write: bool,
        own_filter: Option<&Filter>,
        config: &ServerConfig,
    ) -> Self {
        let filter = access::both(config.fixed_filter.clone(), own_filter.cloned());
        let shown_fields = match (&config.shown_fields, &filter) {
            (Some(shown), Some(filter)) if own_filter.is_some() => {
                Some(filter.fields().map(str::to_owned).chain(shown.iter().cloned()).collect())
            }
            _ => None,
        };
        Self { name: name.to_owned(), may_write, filter, setting: "tokens", shown_fields }
    }

    pub(crate) fn sees(&self, field: &str) -> bool {
        self.shown_fields.as_ref().is_none_or(|shown| shown.contains(field))
    }
}
