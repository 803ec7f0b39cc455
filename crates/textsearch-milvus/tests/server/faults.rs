//! A server that is killed in the middle of requests and restarted.

use std::{collections::HashSet, error::Error as _};

use textsearch_conformance::core::vector::{
    DataField, RecordDefinition, RecordKey, SearchInput, VectorCollection, VectorField,
    VectorSearchOptions,
};
use textsearch_milvus::vector::InterruptedUpsert;

use crate::{BATCH, kills::kill_while_writing};

fn missing<'a>(keys: &'a [RecordKey], present: &HashSet<String>) -> Vec<&'a RecordKey> {
    keys.iter().filter(|key| !present.contains(&key.to_string())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_record_is_lost_and_errors_tell_the_rest() {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text())
        .with_vector(VectorField::new("embedding", 32));
    kill_while_writing(definition, async |server| {
        let source = server.error.source();
        let interrupted = source.and_then(|source| source.downcast_ref::<InterruptedUpsert>());
        let interrupted = interrupted.expect("the error says what happened to each record");
        assert_eq!(missing(&interrupted.stored, &server.keys), [] as [&RecordKey; 0]);
        let not_stored = missing(&interrupted.not_stored, &server.keys).len();
        assert_eq!(not_stored, interrupted.not_stored.len(), "a record was stored after all");
        check_searches(server.collection).await;
    })
    .await;
}

/// The restarted server finds records by vector and by words.
async fn check_searches(collection: &dyn VectorCollection) {
    let vector: Vec<f32> = (0..32).map(|element| element as f32 + 1.0).collect();
    let options = VectorSearchOptions::top(1);
    let results = collection.search(&SearchInput::from(vector), &options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    assert!(results[0].record.key.to_string().ends_with("-00000"), "{:?}", results[0]);
    let options = options.with_total_count(true);
    let results = collection.full_text_search("batch1", &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(BATCH as u64));
}
