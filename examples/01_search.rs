//! Searches records in memory, and reads the results as text, as results and as JSON.
//!
//! Needs: nothing; it runs offline.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::{
    Filter, SearchOptions, TextSearch,
    vector::{
        DataField, RecordDefinition, StoredRecord, VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text_in("en"))
        .with_data(DataField::string("body").full_text_in("en"))
        .with_data(DataField::string("url"))
        .with_data(DataField::integer("year").filterable())
        .with_name_field("title")
        .with_value_field("body")
        .with_link_field("url");

    let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition)?;
    notes.ensure_exists().await?;
    let records = [
        ("a", "Connectors", "A connector lets one backend be searched.", 2024),
        ("b", "Filters", "A filter is applied or refused, never ignored.", 2025),
        ("c", "Searching lazily", "Later pages are fetched when the search is read.", 2026),
    ];
    let records = records.into_iter().map(|(id, title, body, year)| {
        let url = format!("https://example.com/{id}");
        let data = json!({ "id": id, "title": title, "body": body, "url": url, "year": year });
        StoredRecord::from_serialize(&data, notes.definition())
    });
    notes.upsert(records.collect::<Result<_, _>>()?).await?;

    // The rest works with any store or web engine.
    let search: Arc<dyn TextSearch> = Arc::new(VectorStoreTextSearch::new(notes));
    let options = SearchOptions::top(2).with_filter(Filter::ge("year", 2024));

    for text in search.search("how is it searched", &options).await?.into_vec().await? {
        println!("text:   {text}");
    }
    let mut results = search.text_search_results("how is it searched", &options).await?;
    while let Some(result) = results.next().await {
        let result = result?;
        println!(
            "result: {} ({})",
            result.name.unwrap_or_default(),
            result.link.unwrap_or_default()
        );
    }
    for record in search.search_values("how is it searched", &options).await?.into_vec().await? {
        println!("record: {record}");
    }
    Ok(())
}
