//! Deletes by a filter that Postgres can't check, while another program holds locks.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, RecordDefinition, ScanOptions, StoredRecord, VectorCollection, VectorStore,
    },
};
use tokio_postgres::{Client, NoTls};

use crate::{Created, config};

async fn filled(created: &Created) -> Arc<dyn VectorCollection> {
    let definition = RecordDefinition::new("id").with_data(DataField::strings("tags").filterable());
    let collection = created.store.stored_collection(created.name(), definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let records = (0..2_500).map(|number| {
        let tag = if number % 2 == 0 { "even" } else { "odd" };
        let data = json!({ "id": format!("{number:04}"), "tags": [tag] });
        StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap()
    });
    collection.upsert(records.collect()).await.unwrap();
    collection
}

/// Begins a transaction that runs the statement.
async fn other_program(statement: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(config().url.expose(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("BEGIN; {statement}")).await.unwrap();
    client
}

async fn keys(collection: &dyn VectorCollection) -> Vec<String> {
    let records = collection.scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    records.iter().map(|record| record.key.to_string()).collect()
}

#[tokio::test]
async fn records_that_do_not_match_are_not_locked() {
    let created = Created::new("unlocked").await;
    let collection = filled(&created).await;
    let lock = format!("SELECT 1 FROM \"{}\" WHERE id = '0001' FOR UPDATE", created.name());
    let other = other_program(&lock).await;
    let filter = Filter::contains("tags", "even");
    let deleted = collection.delete_matching(&filter);
    tokio::time::timeout(Duration::from_secs(20), deleted).await.unwrap().unwrap();
    other.batch_execute("COMMIT").await.unwrap();
    let left = keys(collection.as_ref()).await;
    assert_eq!(left.len(), 1_250);
    assert!(left.iter().all(|key| key.ends_with(['1', '3', '5', '7', '9'])));
}

#[tokio::test]
async fn a_record_that_stops_matching_is_kept() {
    let created = Created::new("changed").await;
    let collection = filled(&created).await;
    let name = created.name();
    let change = format!(
        "UPDATE \"{name}\" SET textsearch_data = '{{\"id\": \"0002\", \"tags\": [\"odd\"]}}' WHERE id = '0002'"
    );
    let other = other_program(&change).await;
    let deleting = tokio::spawn({
        let collection = Arc::clone(&collection);
        async move { collection.delete_matching(&Filter::contains("tags", "even")).await }
    });
    let waits = "SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) \
                 WHERE NOT l.granted AND a.query LIKE '%\"pgvector-changed\"%'";
    while other.query(waits, &[]).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    other.batch_execute("COMMIT").await.unwrap();
    deleting.await.unwrap().unwrap();
    let left = keys(collection.as_ref()).await;
    assert_eq!(left.len(), 1_251);
    assert!(left.contains(&"0002".to_owned()));
}
