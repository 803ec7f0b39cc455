//! Runs the same program on two stores. One line selects the store; the results are equal.
//!
//! Needs: nothing; it runs offline, in memory and on a reopened snapshot file. With a feature and an
//! address in the environment, the second store is that server:
//! `QDRANT_URL=http://localhost:6334 cargo run -p examples --features qdrant --example 15_same_program_two_stores`.
//! The others are `pgvector` with `POSTGRES_URL`, and `milvus` with `MILVUS_URL`.

use std::sync::Arc;

use examples::Meanings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textsearch_core::{
    Filter, SearchOptions, TextSearch as _,
    vector::{
        DataField, KeyKind, RecordDefinition, SearchMode, VectorField, VectorRecord, VectorStore,
        VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Article {
    id: u64,
    title: String,
    body: String,
    year: u32,
}

impl VectorRecord for Article {
    fn definition() -> RecordDefinition {
        let embedding = VectorField::new("embedding", Meanings::DIMENSIONS);
        RecordDefinition::new("id")
            .with_key_kind(KeyKind::Integer)
            .with_data(DataField::string("title").full_text_in("en"))
            .with_data(DataField::string("body").full_text_in("en"))
            .with_data(DataField::integer("year").filterable())
            .with_vector(embedding.embedded_from(["title", "body"]))
            .with_name_field("title")
            .with_value_field("body")
    }
}

fn articles() -> Vec<Article> {
    let article = |id, year, title: &str, body: &str| Article {
        id,
        year,
        title: title.to_owned(),
        body: body.to_owned(),
    };
    vec![
        article(1, 2023, "Forgotten password", "Choose a new password, then sign in."),
        article(2, 2025, "Sign in by phone", "Scan the code with the camera of the phone."),
        article(3, 2025, "Error E1042", "The server refused the connection."),
        article(4, 2026, "Invoices", "An invoice is paid by card."),
    ]
}

/// For any store.
async fn run(store: Arc<dyn VectorStore>) -> anyhow::Result<Vec<String>> {
    let store = store.with_embedding_generator(Meanings);
    let collection = store.collection::<Article>("example_articles")?;
    collection.ensure_exists().await?;
    collection.upsert(articles()).await?;

    let recent = SearchOptions::top(3).with_filter(Filter::ge("year", 2025));
    let search = VectorStoreTextSearch::new(collection.clone());
    let mut lines = Vec::new();
    for (mode, query) in [
        (SearchMode::Vector, "login on my phone"),
        (SearchMode::FullText, "E1042"),
        (SearchMode::Hybrid, "login fails with E1042"),
    ] {
        let found = search.clone().with_mode(mode).text_search_results(query, &recent).await?;
        let names = found.into_vec().await?.into_iter().filter_map(|result| result.name);
        lines.push(format!("{query}: {}", names.collect::<Vec<_>>().join(", ")));
    }
    collection.delete_collection().await?;
    Ok(lines)
}

/// On the server that the environment names, if any.
async fn server() -> anyhow::Result<Option<Arc<dyn VectorStore>>> {
    let is_given = |variable: &str| std::env::var_os(variable).is_some();
    #[cfg(feature = "qdrant")]
    if is_given(textsearch_qdrant::QDRANT_URL) {
        use textsearch_qdrant::{QdrantConfig, QdrantStore};
        return Ok(Some(Arc::new(QdrantStore::new(QdrantConfig::from_env()?)?)));
    }
    #[cfg(feature = "pgvector")]
    if is_given(textsearch_pgvector::POSTGRES_URL) {
        use textsearch_pgvector::{PgVectorConfig, PgVectorStore};
        return Ok(Some(Arc::new(PgVectorStore::connect(PgVectorConfig::from_env()?).await?)));
    }
    #[cfg(feature = "milvus")]
    if is_given(textsearch_milvus::MILVUS_URL) {
        use textsearch_milvus::{MilvusConfig, MilvusStore};
        return Ok(Some(Arc::new(MilvusStore::new(MilvusConfig::from_env()?)?)));
    }
    // Unused without these features.
    let _ = is_given;
    Ok(None)
}

/// Saved to a file and opened again.
fn reopened() -> anyhow::Result<Arc<dyn VectorStore>> {
    let file = std::env::temp_dir().join(format!("textsearch-example-{}", std::process::id()));
    InMemoryVectorStore::new().save_to_file(&file)?;
    let store = InMemoryVectorStore::open_file(&file);
    std::fs::remove_file(&file)?;
    Ok(Arc::new(store?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // Only this line changes.
    let here: Arc<dyn VectorStore> = Arc::new(InMemoryVectorStore::new());
    let there = match server().await? {
        Some(server) => server,
        None => reopened()?,
    };

    let name = there.name().to_owned();
    let (here, there) = (run(here).await?, run(there).await?);
    for line in &here {
        println!("{line}");
    }
    anyhow::ensure!(here == there, "the other store, {name}, found something else: {there:?}");
    println!("The other store, {name}, found the same.");
    Ok(())
}
