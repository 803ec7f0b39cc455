//! The conformance suite of text searches. All embeddings are equal, so that every query finds
//! every record, in key order.

use std::sync::Arc;

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

use crate::stand_in::{Behavior, StandIn};

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
    let vector = VectorField::new("embedding", 2).with_index(IndexKind::hnsw());
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("name").filterable())
        .with_data(DataField::string("text"))
        .with_data(DataField::string("link"))
        .with_vector(vector.embedded_from(["text"]))
        .with_name_field("name")
        .with_value_field("text")
        .with_link_field("link");
    let store = StandIn::start(Behavior::default()).store();
    let collection = EmbeddingCollection::new(store.stored_collection("pages", definition)?, Alike);
    collection.ensure_exists().await?;
    let records = documents.into_iter().enumerate().map(|(number, document)| {
        let Document { name, text, link, .. } = document;
        let data =
            json!({ "id": format!("{number:06}"), "name": name, "text": text, "link": link });
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
        .with_local_filter(!Filter::eq("name", "Document 1"), |document| {
            document.name != "Document 1"
        })
);
