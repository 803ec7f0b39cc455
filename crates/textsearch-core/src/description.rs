//! What a search says about itself.

use std::sync::Arc;

use schemars::Schema;

use crate::{FilterableField, TextSearch, TextSearchConnector};

/// What any text search says about itself: a connector, in the words of its
/// [`TextSearchConnector`], or an `Arc<dyn TextSearch>`.
///
/// A supertrait of [`TextSearch`], so its methods need no import there. On a connector's own type,
/// import [`TextSearchConnector`] instead of this trait.
pub trait TextSearchDescription: Send + Sync {
    /// Returns the short name of the connector, such as `brave`.
    fn name(&self) -> &str;

    /// Returns the name of the data searched, such as a collection.
    fn data_source(&self) -> &str;

    /// Returns the fields that a filter may name.
    fn fields(&self) -> &[FilterableField];

    /// Returns the JSON schema of the results of [`search_values`](TextSearch::search_values).
    fn schema(&self) -> Schema;

    /// Returns whether searches may have a [fixed
    /// filter](crate::SearchOptions::with_fixed_filter).
    fn supports_fixed_filter(&self) -> bool;
}

impl<C: TextSearchConnector> TextSearchDescription for C {
    description_of!(self => self);
}

impl<S: TextSearch + ?Sized> TextSearchDescription for Arc<S> {
    description_of!(self => **self);
}

/// Describes a search as another one.
macro_rules! description_of {
    ($this:ident => $search:expr) => {
        fn name(&$this) -> &str {
            $search.name()
        }

        fn data_source(&$this) -> &str {
            $search.data_source()
        }

        fn fields(&$this) -> &[$crate::FilterableField] {
            $search.fields()
        }

        fn schema(&$this) -> $crate::schemars::Schema {
            $search.schema()
        }

        fn supports_fixed_filter(&$this) -> bool {
            $search.supports_fixed_filter()
        }
    };
}
pub(crate) use description_of;
