//! Example values of the fields of a search.

use serde_json::{Map, Value, json};
use textsearch_core::{
    Filter, TextSearchConnector as _,
    vector::{
        Collection, DataField, DataKind, RecordDefinition, StoredRecord, VectorStoreExt as _,
        VectorStoreTextSearch,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

async fn notes() -> Collection<StoredRecord> {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("author").filterable())
        .with_data(DataField::new("tags", DataKind::Strings).filterable())
        .with_data(DataField::integer("number").filterable())
        .with_data(DataField::string("body").full_text());
    let notes = InMemoryVectorStore::new().dynamic_collection("notes", definition.clone()).unwrap();
    notes.ensure_exists().await.unwrap();
    let records = (0..21).map(|number| {
        let author = ["Ada", "Bob", "Eve\u{202e}", &"x".repeat(61)][number % 4].to_owned();
        let data = json!({
            "id": number.to_string(), "author": author, "tags": ["a"], "number": number,
        });
        let Value::Object(data) = data else { return Map::new() };
        data
    });
    let records = records.map(|data| StoredRecord::new(data, &definition).unwrap());
    notes.upsert(records.collect()).await.unwrap();
    notes
}

async fn schema(field: &str, filter: Option<Filter>) -> Value {
    let search = VectorStoreTextSearch::new(notes().await);
    let search = search.with_example_values(&[field], filter.as_ref()).await.unwrap();
    search.fields().iter().find(|known| known.name == field).unwrap().schema.clone()
}

#[tokio::test]
async fn short_readable_values_become_examples() {
    assert_eq!(schema("author", None).await["examples"], json!(["Ada", "Bob"]));
    assert_eq!(schema("tags", None).await["items"]["examples"], json!(["a"]));
}

#[tokio::test]
async fn a_field_with_many_values_has_no_examples() {
    assert_eq!(schema("number", None).await.get("examples"), None);
    let few = schema("number", Some(Filter::lt("number", 2))).await;
    assert_eq!(few["examples"], json!([0, 1]));
}

#[tokio::test]
async fn examples_tell_nothing_about_hidden_records() {
    let filter = Filter::eq("author", "Bob");
    assert_eq!(schema("author", Some(filter)).await["examples"], json!(["Bob"]));
}
