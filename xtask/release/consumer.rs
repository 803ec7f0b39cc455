//! Searches records in memory: a program of a user, who has only the packages.

use serde_json::json;
use textsearch_core::{
    SearchOptions, TextSearch,
    vector::{
        DataField, RecordDefinition, StoredRecord, VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

#[tokio::main(flavor = "current_thread")]
async fn main() -> textsearch_core::Result<()> {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("title"))
        .with_data(DataField::string("body").full_text_in("en"))
        .with_name_field("title")
        .with_value_field("body");
    let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition)?;
    notes.ensure_exists().await?;
    let records = [
        json!({ "id": "a", "title": "Connectors", "body": "A connector lets one backend be searched." }),
        json!({ "id": "b", "title": "Filters", "body": "A filter is applied or refused, never ignored." }),
    ];
    let records = records.iter().map(|data| StoredRecord::from_serialize(data, notes.definition()));
    notes.upsert(records.collect::<Result<_, _>>()?).await?;

    let search = VectorStoreTextSearch::new(notes);
    let options = SearchOptions::top(1);
    let results = search.text_search_results("refused filters", &options).await?.into_vec().await?;
    for result in results {
        println!("{}", result.name.unwrap_or_default());
    }
    Ok(())
}
