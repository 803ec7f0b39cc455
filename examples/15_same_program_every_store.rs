//! Runs the same program on two stores. `main` chooses them; the results are equal. One definition
//! fits all stores, except that Chroma and Pinecone search vectors only, without full-text fields.
//!
//! Needs: nothing; it runs offline, in memory and on a reopened snapshot file. With a feature and
//! an address in the environment, the second store is that server:
//! `QDRANT_URL=http://localhost:6334 cargo run -p examples --features qdrant --example 15_same_program_every_store`.
//! The others are `pgvector` with `POSTGRES_URL`, `milvus` with `MILVUS_URL`, `chroma` with
//! `CHROMA_URL`, `azure-search` with `AZURE_SEARCH_ENDPOINT`, and `pinecone` with `PINECONE_API_KEY`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use examples::Meanings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textsearch_core::{
    Filter, SearchOptions, TextSearch as _,
    vector::{
        Collection, DataField, Fusion, IndexKind, KeyKind, RecordDefinition, ScanOptions,
        SearchMode, VectorField, VectorRecord, VectorStore, VectorStoreExt as _,
        VectorStoreTextSearch,
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
        // An index that every store has, with the parameters that it prefers.
        let embedding =
            VectorField::new("embedding", Meanings::DIMENSIONS).with_index(IndexKind::hnsw());
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

/// A store, and whether it searches words.
type Place = (Arc<dyn VectorStore>, bool);

fn without_words(mut definition: RecordDefinition) -> RecordDefinition {
    for field in &mut definition.data {
        field.full_text = None;
    }
    definition
}

/// Waits until a scan finds all articles, because services show a write after some seconds.
async fn wait_for_articles(collection: &Collection<Article>, store: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    let wanted = articles().len();
    loop {
        let found = collection.scan(&ScanOptions::default()).await?.into_vec().await?.len();
        if found >= wanted {
            return Ok(());
        }
        anyhow::ensure!(
            started.elapsed() < Duration::from_secs(60),
            "{store} shows {found} of {wanted} articles after 60 s; run the example again later"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// For any store.
async fn run((store, has_words): Place) -> anyhow::Result<Vec<String>> {
    let name = store.name().to_owned();
    let store = store.with_embedding_generator(Meanings);
    let definition =
        if has_words { Article::definition() } else { without_words(Article::definition()) };
    let collection =
        Collection::<Article>::new(store.stored_collection("example-articles", definition)?);
    collection.ensure_exists().await?;
    collection.upsert(articles()).await?;
    wait_for_articles(&collection, &name).await?;

    let recent = SearchOptions::top(3).with_filter(Filter::ge("year", 2025));
    // Every store that searches words can combine rankings so.
    let fusion = Fusion::reciprocal_rank(60);
    let search = VectorStoreTextSearch::new(collection.clone()).with_fusion(fusion);
    let searches = [
        (SearchMode::Vector, "login on my phone"),
        (SearchMode::FullText, "E1042"),
        (SearchMode::Hybrid, "login fails with E1042"),
    ];
    let mut lines = Vec::new();
    for (mode, query) in searches.into_iter().take(if has_words { 3 } else { 1 }) {
        let found = search.clone().with_mode(mode).text_search_results(query, &recent).await?;
        let names = found.into_vec().await?.into_iter().filter_map(|result| result.name);
        lines.push(format!("{query}: {}", names.collect::<Vec<_>>().join(", ")));
    }
    collection.delete_collection().await?;
    Ok(lines)
}

/// On the server that the environment names, if any.
async fn server() -> anyhow::Result<Option<Place>> {
    let is_given = |variable: &str| std::env::var_os(variable).is_some();
    #[cfg(feature = "qdrant")]
    if is_given(textsearch_qdrant::QDRANT_URL) {
        use textsearch_qdrant::{QdrantConfig, QdrantStore};
        return Ok(Some((Arc::new(QdrantStore::new(QdrantConfig::from_env()?)?), true)));
    }
    #[cfg(feature = "pgvector")]
    if is_given(textsearch_pgvector::POSTGRES_URL) {
        use textsearch_pgvector::{PgVectorConfig, PgVectorStore};
        let store = PgVectorStore::connect(PgVectorConfig::from_env()?).await?;
        return Ok(Some((Arc::new(store), true)));
    }
    #[cfg(feature = "milvus")]
    if is_given(textsearch_milvus::MILVUS_URL) {
        use textsearch_milvus::{MilvusConfig, MilvusStore};
        return Ok(Some((Arc::new(MilvusStore::new(MilvusConfig::from_env()?)?), true)));
    }
    #[cfg(feature = "azure-search")]
    if is_given(textsearch_azure_ai_search::AZURE_SEARCH_ENDPOINT) {
        use textsearch_azure_ai_search::{AzureSearchConfig, AzureSearchStore};
        return Ok(Some((Arc::new(AzureSearchStore::new(AzureSearchConfig::from_env()?)?), true)));
    }
    #[cfg(feature = "chroma")]
    if is_given(textsearch_chroma::CHROMA_URL) {
        use textsearch_chroma::{ChromaConfig, ChromaStore};
        return Ok(Some((Arc::new(ChromaStore::new(ChromaConfig::from_env()?)?), false)));
    }
    #[cfg(feature = "pinecone")]
    if is_given(textsearch_pinecone::PINECONE_API_KEY) {
        use textsearch_pinecone::{PineconeConfig, PineconeStore};
        return Ok(Some((Arc::new(PineconeStore::new(PineconeConfig::from_env()?)?), false)));
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
    let here: Place = (Arc::new(InMemoryVectorStore::new()), true);
    // To move to another store, change this alone.
    let there: Place = match server().await? {
        Some(server) => server,
        None => (reopened()?, true),
    };

    let name = there.0.name().to_owned();
    let here = run(here).await?;
    let there = run(there).await?;
    for line in &there {
        println!("{line}");
    }
    anyhow::ensure!(here.starts_with(&there), "in memory, not on {name}: {here:?}");
    println!("In memory, the same was found as in the other store, {name}.");
    Ok(())
}
