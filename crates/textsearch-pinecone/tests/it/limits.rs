//! Limits of Pinecone.

use serde_json::json;
use textsearch_pinecone::{
    ErrorKind, Filter,
    vector::{
        GetOptions, IndexKind, RecordDefinition, StoredRecord, VectorField, VectorSearchOptions,
        VectorStore,
    },
};

use crate::{
    stand_in::{Behavior, StandIn},
    support::{notes, record, search},
};

fn start() -> StandIn {
    StandIn::start(Behavior::default())
}

/// From the nearest to the farthest.
fn numbered(count: usize) -> Vec<StoredRecord> {
    let note = |number: usize| {
        let angle = number as f32 / count as f32;
        let record = record(json!({ "id": format!("{number:05}") }));
        record.with_vector("embedding", [angle.cos(), angle.sin()])
    };
    (0..count).map(note).collect()
}

#[tokio::test]
async fn large_upserts_are_split() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    stand_in.seen();
    notes.upsert(numbered(1_200)).await.unwrap();
    let text = "x".repeat(30_000);
    let large = (0..100).map(|number| record(json!({ "id": format!("l{number}"), "text": text })));
    notes.upsert(large.collect()).await.unwrap();
    let counts: Vec<usize> = stand_in
        .seen()
        .iter()
        .map(|seen| {
            assert_eq!((seen.path.as_str(), seen.status), ("/vectors/upsert", 200));
            seen.body["vectors"].as_array().unwrap().len()
        })
        .collect();
    assert_eq!(counts, [1_000, 200, 66, 34]);
}

#[tokio::test]
async fn metadata_beyond_the_limit_are_refused_before_a_request() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    stand_in.seen();
    let of_length = |length: usize| record(json!({ "id": "a", "text": "x".repeat(length) }));
    let error =
        notes.upsert(vec![record(json!({ "id": "b" })), of_length(41_000)]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::invalid_record("a"));
    assert!(error.message().contains("bytes of metadata; at most 40960"), "{error}");
    assert!(stand_in.seen().is_empty());
    notes.upsert(vec![of_length(40_000)]).await.unwrap();
}

#[tokio::test]
async fn large_records_are_read_in_parts() {
    let stand_in = start();
    let vector = VectorField::new("embedding", 1_536).with_index(IndexKind::hnsw());
    let definition = RecordDefinition::new("id").with_vector(vector);
    let notes = stand_in.store().stored_collection("notes", definition.clone()).unwrap();
    notes.ensure_exists().await.unwrap();
    stand_in.seen();
    let text = "x".repeat(40_000);
    let records = (0..90).map(|number| {
        let data = json!({ "id": format!("{number:03}"), "text": text });
        let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition).unwrap();
        record.with_vector("embedding", vec![0.123_456_78; 1_536])
    });
    notes.upsert(records.collect()).await.unwrap();
    let options = VectorSearchOptions::top(60).with_skip(20).with_vectors(true);
    let input = vec![1.0; 1_536].into();
    let results = notes.search(&input, &options).await.unwrap().into_vec().await.unwrap();
    let keys: Vec<String> = results.iter().map(|scored| scored.record.key.to_string()).collect();
    assert_eq!(keys, (20..80).map(|number| format!("{number:03}")).collect::<Vec<_>>());
    assert!(results.iter().all(|scored| scored.record.vectors["embedding"].len() == 1_536));
    assert!(stand_in.seen().iter().all(|seen| seen.status < 300));
}

#[tokio::test]
async fn a_ranking_beyond_the_limit_is_refused() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    notes.upsert(numbered(10_001)).await.unwrap();
    assert_eq!(
        search(&notes, &VectorSearchOptions::top(2).with_skip(9_990)).await.unwrap(),
        ["09990", "09991"]
    );
    let beyond = [
        VectorSearchOptions::top(10_001),
        VectorSearchOptions::top(1).with_filter(Filter::starts_with("id", "99999")),
    ];
    for options in beyond {
        let error = search(&notes, &options).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert!(error.message().contains("at most 10000"), "{error}");
    }
}

#[tokio::test]
async fn long_keys_are_read_in_several_requests() {
    let stand_in = start();
    let notes = notes(&stand_in.store()).await;
    let keys: Vec<String> =
        (0..60).map(|number| format!("{}{number:02}", "/".repeat(500))).collect();
    notes.upsert(keys.iter().map(|key| record(json!({ "id": key }))).collect()).await.unwrap();
    stand_in.seen();
    let asked: Vec<_> = keys.iter().map(|key| key.as_str().into()).collect();
    let records = notes.get(&asked, &GetOptions::default()).await.unwrap();
    assert_eq!(records.len(), 60);
    let seen = stand_in.seen();
    assert!(seen.len() > 10 && seen.iter().all(|seen| seen.status == 200), "{}", seen.len());
}

#[tokio::test]
async fn tiny_vectors_are_refused_and_zeros_are_kept() {
    use textsearch_pinecone::vector::Distance;

    let stand_in = start();
    let vector = VectorField::new("embedding", 2).with_index(IndexKind::hnsw());
    let vector = vector.with_distance(Distance::DotProduct);
    let definition = RecordDefinition::new("id").with_vector(vector);
    let notes = stand_in.store().stored_collection("notes", definition).unwrap();
    notes.ensure_exists().await.unwrap();
    let with = |vector: [f32; 2]| record(json!({ "id": "a" })).with_vector("embedding", vector);
    let error = notes.upsert(vec![with([1e-9, 0.0])]).await.unwrap_err();
    assert!(error.message().contains("no element of its vector reaches 1e-8"), "{error}");
    notes.upsert(vec![with([0.0, 0.0])]).await.unwrap();
    let records =
        notes.get(&["a".into()], &GetOptions::default().with_vectors(true)).await.unwrap();
    assert_eq!(*records[0].vectors["embedding"], [0.0, 0.0]);
}
