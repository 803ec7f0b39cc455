//! Searches records by meaning, with a model in a local folder: no server, no key.
//!
//! The model needs a feature:
//! `cargo run --release -p examples --features local-embeddings --example 14_local_embeddings -- target/models/minilm`.
//!
//! Needs: the feature `local-embeddings`, and a folder with a sentence-transformers model, such as
//! from `cargo xtask model minilm`.

use std::sync::Arc;

use anyhow::Context as _;
use textsearch_core::{
    SearchOptions, TextSearch as _,
    vector::{
        DataField, EmbeddingGenerator as _, EmbeddingStore, RecordDefinition, StoredRecord,
        VectorField, VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_embeddings_local::{LocalEmbeddings, LocalEmbeddingsConfig};
use textsearch_vector_inmemory::InMemoryVectorStore;

const NOTES: [(&str, &str); 4] = [
    ("trains", "The last train to the coast leaves at nine in the evening."),
    ("bread", "Let the dough rest for an hour, then bake it until it is brown."),
    ("garden", "Tomatoes want sun, and water every second day."),
    ("clock", "The clock in the hall loses four minutes a week."),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/models/minilm".to_owned());
    let model = LocalEmbeddings::new(LocalEmbeddingsConfig::new(folder))?;
    let dimensions = model.dimensions().context("the model says how long its vectors are")?;
    println!("{} makes vectors of {dimensions} elements", model.model_id());

    // The collection embeds records on upsert, and questions on search.
    let store = EmbeddingStore::new(InMemoryVectorStore::new(), model);
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("text"))
        .with_vector(VectorField::new("embedding", dimensions).embedded_from(["text"]))
        .with_value_field("text");
    let notes = store.dynamic_collection("notes", definition)?;
    notes.ensure_exists().await?;
    let record = |(id, text): (&str, &str)| {
        let data = [("id".to_owned(), id.into()), ("text".to_owned(), text.into())];
        StoredRecord::new(data.into_iter().collect(), notes.definition())
    };
    let records = NOTES.into_iter().map(record).collect::<Result<_, _>>()?;
    notes.upsert(records).await?;

    // The questions share no important word with their notes.
    let search = Arc::new(VectorStoreTextSearch::new(notes));
    for question in ["How can I get to the sea tonight?", "a recipe", "Is that watch right?"] {
        let results = search.text_search_results(question, &SearchOptions::top(1)).await?;
        for result in results.into_vec().await? {
            println!("{question}\n   {} ({:.2})", result.value, result.score.unwrap_or_default());
        }
    }
    Ok(())
}
