//! The conformance suite of text searches. All embeddings are equal, so that every query finds
//! every record, in key order.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use serde_json::json;
use textsearch_conformance::{
    Capabilities, Document,
    core::{
        Filter, Result, async_trait,
        vector::{
            Collection, DataField, EmbeddingCollection, EmbeddingGenerator, EmbeddingSettings,
            Embeddings, IndexKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
            VectorStore, VectorStoreTextSearch,
        },
    },
};

struct Alike;

#[async_trait]
impl EmbeddingGenerator for Alike {
    fn model_id(&self) -> &str {
        "alike"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        Ok(Embeddings::new(vec![Arc::from([1.0, 0.0]); texts.len()]))
    }
}

async fn search(documents: Vec<Document>) -> Result<VectorStoreTextSearch> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("name").filterable())
        .with_data(DataField::string("text"))
        .with_data(DataField::string("link"))
        .with_vector(
            VectorField::new("embedding", 2).with_index(IndexKind::hnsw()).embedded_from(["text"]),
        )
        .with_name_field("name")
        .with_value_field("text")
        .with_link_field("link");
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("text-search-{}-{number}", std::process::id());
    let stored = crate::store().await?.stored_collection(&name, definition)?;
    stored.delete_collection().await?;
    stored.ensure_exists().await?;
    let collection = EmbeddingCollection::new(stored, Alike);
    let records = documents.into_iter().enumerate().map(|(number, document)| {
        let data = json!({
            "id": format!("{number:06}"),
            "name": document.name,
            "text": document.text,
            "link": document.link,
        });
        StoredRecord::new(data.as_object().cloned().unwrap_or_default(), collection.definition())
    });
    collection.upsert(records.collect::<Result<_>>()?).await?;
    Ok(VectorStoreTextSearch::new(Collection::new(collection)))
}

textsearch_conformance::suite_without_http!(
    search,
    Capabilities::default()
        .with_total_count()
        .with_local_filter(Filter::eq("id", "000003"), |document| document.link.ends_with("/3"))
        .with_local_filter(Filter::eq("name", "Document 3"), |document| document.name
            == "Document 3")
        .with_local_filter(Filter::is_in("name", ["Document 1", "Document 2"]), |document| {
            ["Document 1", "Document 2"].contains(&document.name.as_str())
        })
        .with_local_filter(!Filter::eq("name", "Document 1"), |document| document.name
            != "Document 1")
);
