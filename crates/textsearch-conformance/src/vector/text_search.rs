//! Text searches over a vector store.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::{
    Filter, Result, async_trait,
    vector::{
        Collection, DataField, EmbeddingCollection, EmbeddingGenerator, EmbeddingSettings,
        Embeddings, IndexKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorStore, VectorStoreTextSearch,
    },
};

use super::subject::unused_name;
use crate::{Capabilities, Document, Subject};

/// All texts have the same vector, so every query finds everything, in key order.
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

/// Returns the text search of [`store_search_suite!`](crate::store_search_suite). `make` makes the
/// store within the runtime of each case.
pub fn store_search_subject<S, Fut>(make: impl Fn() -> Fut + Clone + 'static) -> Subject
where
    S: VectorStore + 'static,
    Fut: Future<Output = Result<S>> + 'static,
{
    let search = move |documents| {
        let store = make();
        async move { search(&store.await?, documents).await }
    };
    Subject::without_http(search, capabilities())
}

async fn search(
    store: &impl VectorStore,
    documents: Vec<Document>,
) -> Result<VectorStoreTextSearch> {
    let name = unused_name();
    // A store without exact search rejects an exact index.
    let stored = store
        .stored_collection(&name, definition(IndexKind::Exact))
        .or_else(|_| store.stored_collection(&name, definition(IndexKind::hnsw())))?;
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

fn definition(index: IndexKind) -> RecordDefinition {
    let vector = VectorField::new("embedding", 2).with_index(index);
    RecordDefinition::new("id")
        .with_data(DataField::string("name").filterable())
        .with_data(DataField::string("text"))
        .with_data(DataField::string("link"))
        .with_vector(vector.embedded_from(["text"]))
        .with_name_field("name")
        .with_value_field("text")
        .with_link_field("link")
}

fn capabilities() -> Capabilities {
    let is_third = |document: &Document| document.link.ends_with("/3");
    let is_named = |document: &Document, names: &[&str]| names.contains(&document.name.as_str());
    Capabilities::default()
        .with_total_count()
        .with_local_filter(Filter::eq("id", "000003"), is_third)
        .with_local_filter(Filter::eq("name", "Document 3"), is_third)
        .with_local_filter(Filter::is_in("name", ["Document 1", "Document 2"]), move |document| {
            is_named(document, &["Document 1", "Document 2"])
        })
        .with_local_filter(!Filter::eq("name", "Document 1"), move |document| {
            !is_named(document, &["Document 1"])
        })
}
