//! Vector search: stores of collections of records, embeddings, and text search over any
//! collection.
//!
//! A backend implements [`VectorStore`] and [`VectorCollection`]. Programs use [`Collection`].

mod batches;
mod bulk_upsert;
mod check;
mod collection;
mod definition;
mod distance;
mod distinct_values;
mod diversity;
mod embedding;
mod embedding_collection;
mod fusion;
mod index;
mod interrupted_upsert;
mod key;
mod options;
mod ranking;
mod record;
mod reordering;
mod scan_order;
mod scored;
mod sort_value;
mod store;
mod store_ext;
mod text_search;
mod typed_collection;

pub use batches::{Batches, keep_last_of_each_key};
pub use bulk_upsert::{BulkSettings, InterruptedBulkUpsert};
pub use collection::VectorCollection;
pub use definition::{
    DataField, DataKind, FullText, KeyField, KeyKind, RecordDefinition, VectorField,
    check_same_fields,
};
pub use distance::Distance;
pub use distinct_values::{DistinctValue, ValueCounter};
pub use embedding::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Embeddings};
pub use embedding_collection::{EmbeddingCollection, EmbeddingStore};
pub use fusion::Fusion;
pub use index::{Distribution, HnswParameters, IndexKind, Quantization};
pub use interrupted_upsert::InterruptedUpsert;
pub use key::RecordKey;
pub use options::{GetOptions, OrderBy, ScanOptions, SearchInput, SearchMode, VectorSearchOptions};
pub use ranking::ScoreOrder;
#[cfg(feature = "macros")]
pub(crate) use record::value_as_text;
pub use record::{CollectionRecord, StoredRecord, VectorRecord, Vectors};
pub use scan_order::{Place, ScanOrder};
pub use scored::Scored;
pub use sort_value::SortValue;
pub use store::VectorStore;
pub use store_ext::VectorStoreExt;
pub use text_search::VectorStoreTextSearch;
pub use typed_collection::Collection;

#[cfg(feature = "macros")]
pub use textsearch_macros::VectorRecord;
