//! Derives the records of a vector store from a struct, and searches them by words and by meaning.
//!
//! A toy generator counts words, so the program needs no model. A real one, or a server as the
//! store, changes one line each.
//!
//! Needs: nothing; it runs offline.

use serde::{Deserialize, Serialize};
use textsearch_core::{
    Filter, Result, SearchOptions, TextSearch as _, async_trait,
    filter::DateTime,
    vector::{
        Collection, EmbeddingGenerator, EmbeddingSettings, Embeddings, VectorRecord,
        VectorSearchOptions, VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// A page of a handbook.
#[derive(Serialize, Deserialize, VectorRecord)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[record(key)]
    page_number: u32,
    #[record(name, full_text = "en")]
    title: String,
    #[record(value, full_text = "en")]
    body: String,
    /// The team that maintains the page.
    #[record(filterable, offered_to_model)]
    team: Option<String>,
    #[record(published, filterable)]
    changed: DateTime,
    #[record(filterable)]
    tags: Vec<String>,
    /// Generated from the texts when a page is stored. Reads leave it out.
    #[record(vector(dimensions = DIMENSIONS, embedded_from(title, body)))]
    embedding: Vec<f32>,
}

const DIMENSIONS: usize = 64;

fn page(
    page_number: u32,
    team: &str,
    changed: &str,
    title: &str,
    body: &str,
    tags: &[&str],
) -> anyhow::Result<Page> {
    Ok(Page {
        page_number,
        title: title.to_owned(),
        body: body.to_owned(),
        team: (!team.is_empty()).then(|| team.to_owned()),
        changed: DateTime::parse(changed)?,
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        embedding: Vec::new(),
    })
}

/// Texts with common words have similar vectors.
struct WordCounts;

#[async_trait]
impl EmbeddingGenerator for WordCounts {
    fn model_id(&self) -> &str {
        "word-counts"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(DIMENSIONS)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        Ok(Embeddings::new(texts.iter().map(|text| counts(text).into()).collect()))
    }
}

fn counts(text: &str) -> [f32; DIMENSIONS] {
    // Avoids an all-zero vector, which has no direction.
    let mut vector = [0.01; DIMENSIONS];
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 3) {
        let place =
            word.to_lowercase().bytes().fold(7, |sum, byte| sum * 31 % 8191 + usize::from(byte));
        vector[place % DIMENSIONS] += 1.0;
    }
    vector
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let store = InMemoryVectorStore::new().with_embedding_generator(WordCounts);
    let pages: Collection<Page> = store.collection("handbook")?;
    pages.ensure_exists().await?;
    pages
        .upsert(vec![
            page(
                1,
                "storage",
                "2024-03-01",
                "Backups",
                "Every night a copy of each disk is written.",
                &["disk"],
            )?,
            page(
                2,
                "storage",
                "2025-02-01",
                "Full disks",
                "What to do when a disk runs full.",
                &["disk", "alarm"],
            )?,
            page(
                3,
                "network",
                "2025-06-15",
                "Certificates",
                "Renew them before the alarm is raised.",
                &["alarm"],
            )?,
            page(
                4,
                "",
                "2023-11-30",
                "Holidays",
                "Write them into the calendar of your team.",
                &[],
            )?,
        ])
        .await?;

    // Full-text search, with stemming. The records are values of the struct.
    let found = pages.full_text_search("copied at night", &VectorSearchOptions::top(2)).await?;
    for scored in found.into_vec().await? {
        println!(
            "words:   {} {} ({:.2})",
            scored.record.page_number, scored.record.title, scored.score
        );
    }

    // Vector search among the pages that match a filter.
    let recent = Filter::contains("tags", "alarm")
        .and(Filter::ge("changed", DateTime::parse("2025-01-01")?));
    let options = VectorSearchOptions::top(2).with_filter(recent);
    let query = "before certificates raise an alarm";
    for scored in pages.search(query, &options).await?.into_vec().await? {
        assert!(scored.record.embedding.is_empty(), "nobody asked for it");
        println!(
            "meaning: {} {} ({:.2})",
            scored.record.page_number, scored.record.title, scored.score
        );
    }

    // As a text search: results with name and date, for a template or a model.
    let search = VectorStoreTextSearch::new(pages);
    let options = SearchOptions::top(1).with_filter(Filter::eq("team", "storage"));
    for result in search.text_search_results("a disk runs full", &options).await?.into_vec().await?
    {
        let changed = result.published.map(|date| date.to_string()).unwrap_or_default();
        println!("result:  {}: {} [{changed}]", result.name.unwrap_or_default(), result.value);
    }
    Ok(())
}
