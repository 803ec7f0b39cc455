//! Shorthands for collections and records.

use std::sync::Arc;

use serde_json::Value;
use textsearch_pinecone::{
    Filter, PineconeStore, Result,
    vector::{
        DataField, DataKind, IndexKind, RecordDefinition, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};

pub(crate) fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_data(DataField::number("size").filterable())
        .with_data(DataField::boolean("flag").filterable())
        .with_data(DataField::date_time("at").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::new("extra", DataKind::Json).filterable())
        .with_vector(VectorField::new("embedding", 2).with_index(IndexKind::hnsw()))
}

pub(crate) async fn notes(store: &PineconeStore) -> Arc<dyn VectorCollection> {
    let notes = store.stored_collection("notes", definition()).unwrap();
    notes.ensure_exists().await.unwrap();
    notes
}

pub(crate) fn record(data: Value) -> StoredRecord {
    let data = data.as_object().cloned().unwrap();
    StoredRecord::new(data, &definition()).unwrap().with_vector("embedding", [1.0, 0.0])
}

pub(crate) async fn search(
    collection: &Arc<dyn VectorCollection>,
    options: &VectorSearchOptions,
) -> Result<Vec<String>> {
    let input = SearchInput::from(vec![1.0, 0.0]);
    let results = collection.search(&input, options).await?.into_vec().await?;
    Ok(results.iter().map(|scored| scored.record.key.to_string()).collect())
}

pub(crate) async fn filtered(
    collection: &Arc<dyn VectorCollection>,
    filter: &Filter,
) -> Vec<String> {
    let options = VectorSearchOptions::top(1_000).with_filter(filter.clone());
    search(collection, &options).await.unwrap()
}
