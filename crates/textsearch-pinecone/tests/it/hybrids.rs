//! Hybrid search: one query of dense and sparse values.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_pinecone::{
    Error, ErrorKind, PineconeStore,
    vector::{
        DataField, Distance, Fusion, GetOptions, IndexKind, RecordDefinition, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};

use crate::stand_in::{Behavior, StandIn};

fn start() -> (StandIn, PineconeStore) {
    let stand_in = StandIn::start(Behavior::default());
    let store = PineconeStore::new(stand_in.config().with_hybrid_search(true)).unwrap();
    (stand_in, store)
}

fn definition(text: DataField) -> RecordDefinition {
    let vector = VectorField::new("embedding", 2).with_distance(Distance::DotProduct);
    RecordDefinition::new("id").with_data(text).with_vector(vector.with_index(IndexKind::hnsw()))
}

fn text() -> DataField {
    DataField::string("text").full_text_in("en")
}

async fn notes(store: &PineconeStore) -> Arc<dyn VectorCollection> {
    let notes = store.stored_collection("notes", definition(text())).unwrap();
    notes.ensure_exists().await.unwrap();
    notes
}

fn note(id: &str, text: &str) -> StoredRecord {
    let data = json!({ "id": id, "text": text }).as_object().cloned().unwrap();
    StoredRecord::new(data, &definition(self::text())).unwrap().with_vector("embedding", [0.6, 0.8])
}

async fn hybrid(
    notes: &Arc<dyn VectorCollection>,
    text: &str,
    options: &VectorSearchOptions,
) -> Result<Vec<(String, f64)>, Error> {
    let results = notes.hybrid_search(text, Some([1.0, 0.0].into()), options).await?;
    let results = results.into_vec().await?;
    Ok(results.iter().map(|scored| (scored.record.key.to_string(), scored.score)).collect())
}

#[tokio::test]
async fn words_are_sent_as_sparse_values() {
    let (stand_in, store) = start();
    let notes = notes(&store).await;
    stand_in.seen();
    notes.upsert(vec![note("a", "Foxes run."), note("b", "?!")]).await.unwrap();
    let options = VectorSearchOptions::top(5).with_fusion(Fusion::weighted_scores(0.75));
    hybrid(&notes, "a running fox", &options).await.unwrap();
    let [upsert, query] = stand_in.seen().try_into().unwrap();
    let written = &upsert.body["vectors"][0]["sparseValues"];
    assert_eq!(written["indices"].as_array().unwrap().len(), 2);
    assert_eq!(upsert.body["vectors"][1]["sparseValues"], Value::Null);
    assert_eq!(query.body["vector"], json!([0.75, 0.0]));
    let asked = &query.body["sparseVector"];
    assert_eq!(asked["indices"], written["indices"]);
    let sum: f64 = asked["values"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
    assert!((sum - 0.25 / 2.2).abs() < 1e-6, "{sum}");
}

#[tokio::test]
async fn the_record_with_the_word_comes_first() {
    let (_stand_in, store) = start();
    let notes = notes(&store).await;
    notes.upsert(vec![note("a", "a bird"), note("b", "a fox")]).await.unwrap();
    let ranking = hybrid(&notes, "fox", &VectorSearchOptions::top(5)).await.unwrap();
    let [(first, best), (second, worst)] = ranking.try_into().unwrap();
    assert_eq!([first, second], ["b", "a"]);
    assert!((worst - 0.5 * 0.6).abs() < 1e-6 && best > worst + 0.1 && best < 1.0, "{best} {worst}");
}

#[tokio::test]
async fn what_pinecone_cannot_fuse_is_refused_before_a_request() {
    let (stand_in, store) = start();
    let notes = notes(&store).await;
    stand_in.seen();
    let fused = |fusion| VectorSearchOptions::top(5).with_fusion(fusion);
    let many: String = (0..2_049).map(|number| format!("word{number} ")).collect();
    let errors = [
        hybrid(&notes, "fox", &fused(Fusion::reciprocal_rank(60))).await.unwrap_err(),
        hybrid(&notes, "fox", &fused(Fusion::weighted_scores(1.5))).await.unwrap_err(),
        hybrid(&notes, &many, &VectorSearchOptions::top(5)).await.unwrap_err(),
        notes.hybrid_search("fox", None, &VectorSearchOptions::top(5)).await.unwrap_err(),
        notes.full_text_search("fox", &VectorSearchOptions::top(5)).await.unwrap_err(),
    ];
    let expected = [
        "expected Fusion::weighted_scores: Pinecone adds",
        "a weight from 0 to 1",
        "a text of 2049 different words",
        "`vector` is not given",
        "or a hybrid search: Pinecone ranks by no words alone",
    ];
    for (error, expected) in errors.iter().zip(expected) {
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert!(error.message().contains(expected), "{error}");
    }
    assert!(stand_in.seen().is_empty());
}

#[tokio::test]
async fn a_collection_without_words_names_the_setting() {
    let stand_in = StandIn::start(Behavior::default());
    let notes = crate::support::notes(&stand_in.store()).await;
    let error = hybrid(&notes, "fox", &VectorSearchOptions::top(5)).await.unwrap_err();
    assert!(error.message().contains("PineconeConfig::with_hybrid_search(true)"), "{error}");
}

#[tokio::test]
async fn a_record_with_too_many_words_is_refused_before_a_request() {
    let (stand_in, store) = start();
    let notes = notes(&store).await;
    stand_in.seen();
    let words = |count| (0..count).map(|number| format!("word{number} ")).collect::<String>();
    let records = vec![note("a", "fox"), note("b", &words(2_049))];
    let error = notes.upsert(records).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::invalid_record("b"));
    assert!(error.message().contains("2049 sparse values; at most 2048"), "{error}");
    assert!(stand_in.seen().is_empty());
    notes.upsert(vec![note("b", &words(2_048))]).await.unwrap();
}

#[tokio::test]
async fn records_full_of_words_are_read_in_parts() {
    let (stand_in, store) = start();
    let notes = notes(&store).await;
    stand_in.seen();
    let words: String = (0..2_048).map(|number| format!("word{number} ")).collect();
    let keys: Vec<String> = (0..80).map(|number| format!("{number:02}")).collect();
    notes.upsert(keys.iter().map(|key| note(key, &words)).collect()).await.unwrap();
    let keys: Vec<_> = keys.iter().map(|key| key.as_str().into()).collect();
    let records = notes.get(&keys, &GetOptions::default().with_vectors(true)).await.unwrap();
    assert_eq!(records.len(), 80);
    assert!(stand_in.seen().iter().all(|seen| seen.status < 300));
}

#[tokio::test]
async fn other_words_than_those_of_the_index_are_refused() {
    let (_stand_in, store) = start();
    notes(&store).await;
    for text in [DataField::string("text"), text().with_mean_length(9.0)] {
        let other = store.stored_collection("notes", definition(text)).unwrap();
        for error in [other.upsert(vec![note("z", "fox")]).await, other.ensure_exists().await] {
            let error = error.unwrap_err();
            assert!(error.message().contains("text:en:256:1 (version of the analysis"), "{error}");
        }
    }
}
