//! Articles with a title and a body, searched by their words.

use serde_json::json;
use textsearch_core::{
    Result, SearchOptions, TextSearch as _,
    vector::{
        Collection, DataField, RecordDefinition, StoredRecord, VectorStore, VectorStoreExt as _,
        VectorStoreTextSearch,
    },
};

/// Returns the fields.
pub fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text_in("en"))
        .with_data(DataField::string("body").full_text_in("en"))
        .with_name_field("title")
        .with_value_field("body")
}

/// Stores titles and bodies in a new collection.
pub async fn store(
    store: impl VectorStore,
    definition: RecordDefinition,
    articles: &[(&str, &str)],
) -> Result<Collection> {
    let collection = store.dynamic_collection("articles", definition)?;
    collection.ensure_exists().await?;
    let record = |(number, (title, body)): (usize, &(&str, &str))| {
        let fields = json!({ "id": number.to_string(), "title": title, "body": body });
        StoredRecord::from_serialize(&fields, collection.definition())
    };
    let records: Result<Vec<_>> = articles.iter().enumerate().map(record).collect();
    collection.upsert(records?).await?;
    Ok(collection)
}

/// Prints the first four results: score and title.
pub async fn print(what: &str, search: &VectorStoreTextSearch, question: &str) -> Result<()> {
    let results = search.text_search_results(question, &SearchOptions::top(4)).await?;
    println!("\n{what}");
    for result in results.into_vec().await? {
        let score = result.score.unwrap_or_default();
        let name = result.name.unwrap_or_default();
        println!("  {score:7.3}  {name}");
    }
    Ok(())
}
