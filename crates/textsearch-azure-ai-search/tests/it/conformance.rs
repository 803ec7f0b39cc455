//! The conformance suite of text searches. All embeddings are equal, so that every query finds
//! every record, in key order.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use serde_json::json;
use textsearch_azure_ai_search::vector::{
    Collection, DataField, EmbeddingCollection, EmbeddingGenerator, EmbeddingSettings, Embeddings,
    RecordDefinition, StoredRecord, VectorCollection as _, VectorField, VectorStore as _,
    VectorStoreTextSearch,
};
use textsearch_conformance::{
    Capabilities, Document,
    core::{Filter, Result, async_trait},
};

use crate::support::shared;

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
        .with_vector(VectorField::new("embedding", 2).embedded_from(["text"]))
        .with_name_field("name")
        .with_value_field("text")
        .with_link_field("link");
    let name = format!("text-search-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let stored = shared().await?.stored_collection(&name, definition)?;
    stored.ensure_exists().await?;
    let collection = EmbeddingCollection::new(stored, Alike);
    let records = documents.into_iter().enumerate().map(|(number, document)| {
        let id = format!("{number:06}");
        let Document { name, text, link, .. } = document;
        let data = json!({ "id": id, "name": name, "text": text, "link": link });
        StoredRecord::new(data.as_object().cloned().unwrap_or_default(), collection.definition())
    });
    collection.upsert(records.collect::<Result<_>>()?).await?;
    Ok(VectorStoreTextSearch::new(Collection::new(collection)))
}

textsearch_conformance::suite_without_http!(
    search,
    Capabilities::default()
        .with_total_count()
        .with_local_filter(Filter::eq("id", "000003"), |document| document.name == "Document 3")
        .with_local_filter(Filter::eq("name", "Document 3"), |document| document.name
            == "Document 3")
        .with_local_filter(Filter::is_in("name", ["Document 1", "Document 2"]), |document| {
            ["Document 1", "Document 2"].contains(&document.name.as_str())
        })
        .with_local_filter(!Filter::eq("name", "Document 1"), |document| {
            document.name != "Document 1"
        })
);
