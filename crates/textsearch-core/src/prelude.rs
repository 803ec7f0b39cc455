//! The names that most programs and connectors need: `use textsearch_core::prelude::*;`.

#[cfg(feature = "vector")]
pub use crate::vector::{
    Collection, DataField, EmbeddingGenerator, RecordDefinition, StoredRecord, VectorField,
    VectorRecord, VectorStore, VectorStoreExt, VectorStoreTextSearch,
};
pub use crate::{
    CheckedOptions, Filter, FilterableField, FixedSearch, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, TextSearchRecord, TextSearchResult, async_trait,
};
