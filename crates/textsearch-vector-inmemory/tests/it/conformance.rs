//! The conformance suite for text searches, on a collection that is searched by vectors. All
//! embeddings are equal, so every query finds everything, in key order.

use std::sync::Arc;

use serde_json::json;
use textsearch_conformance::{
    Capabilities, Document,
    core::{
        Filter, Result, async_trait,
        vector::{
            Collection, DataField, EmbeddingCollection, EmbeddingGenerator, EmbeddingSettings,
            Embeddings, RecordDefinition, VectorCollection, VectorField, VectorStoreTextSearch,
        },
    },
};

use crate::support::{collection, record};

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
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("name").filterable())
        .with_data(DataField::string("text").full_text())
        .with_data(DataField::string("link"))
        .with_vector(VectorField::new("embedding", 2).embedded_from(["text"]))
        .with_name_field("name")
        .with_value_field("text")
        .with_link_field("link");
    let collection = EmbeddingCollection::new(collection(definition).await, Alike);
    let records = documents.into_iter().enumerate().map(|(number, document)| {
        let data = json!({ "name": document.name, "text": document.text, "link": document.link });
        record(&format!("{number:06}"), data)
    });
    collection.upsert(records.collect()).await?;
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
