//! Explanations of scores.

use serde_json::json;
use textsearch_core::{
    results::ExplanationStep,
    vector::{
        DataField, Fusion, RecordDefinition, Scored, StoredRecord, VectorField, VectorSearchOptions,
    },
};

use crate::support::{Stored, all, collection, definition, keys, record};

async fn documents(definition: RecordDefinition) -> Stored {
    let collection = collection(definition).await;
    let rows = [
        ("a", "red apple", "a basket of apples", [1.0, 0.0]),
        ("b", "green pear", "one apple", [0.9, 0.1]),
        ("c", "apple apple apple", "red and green", [-1.0, 0.0]),
        ("d", "plum", "blue", [0.5, 0.5]),
    ];
    let records = rows.map(|(id, title, body, vector)| {
        record(id, json!({ "title": title, "body": body }))
            .with_vector("embedding", vector.to_vec())
    });
    collection.upsert(records.into()).await.unwrap();
    collection
}

fn explained() -> VectorSearchOptions {
    all().with_explanation(true)
}

async fn hybrid(collection: &Stored, options: &VectorSearchOptions) -> Vec<Scored<StoredRecord>> {
    let vector = Some([1.0, 0.0].into());
    let results = collection.hybrid_search("red apple", vector, options).await.unwrap();
    results.into_vec().await.unwrap()
}

#[tokio::test]
async fn terms_add_up_to_the_score() {
    let one_field = RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text_in("en"))
        .with_vector(VectorField::new("embedding", 2));
    for definition in [one_field, definition()] {
        let collection = documents(definition).await;
        let results = collection.full_text_search("red red apples", &explained()).await.unwrap();
        let results = results.into_vec().await.unwrap();
        assert!(results.len() >= 2);
        for (scored, rank) in results.iter().zip(1..) {
            let [step] = scored.explanation.steps() else { panic!("one step") };
            assert_eq!((step.rank, step.score), (Some(rank), Some(scored.score)));
            let sum: f64 = step.terms.iter().map(|term| term.weight).sum();
            assert!((sum - scored.score).abs() < 1e-12, "{step:?}");
            assert!(step.terms.is_sorted_by(|left, right| left.weight >= right.weight));
        }
        let terms: Vec<&str> =
            results[0].explanation.steps()[0].terms.iter().map(|term| &*term.term).collect();
        assert!(terms.contains(&"appl"), "{terms:?}");
    }
}

#[tokio::test]
async fn terms_of_long_lists_add_up_to_the_score() {
    let collection = collection(definition()).await;
    let records = (0..1_000).map(|number| {
        let title = ["apple", "red apple apple", "plum", "red"][number % 4];
        let body = ["pear", "green apple", "red"][number % 3];
        record(&format!("{number:04}"), json!({ "title": title, "body": body }))
            .with_vector("embedding", vec![1.0, 0.0])
    });
    collection.upsert(records.collect()).await.unwrap();
    let mut options = explained();
    options.top = 1_000;
    let results = collection.full_text_search("red apples", &options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    assert!(results.len() > 800, "{}", results.len());
    for scored in results {
        let step = &scored.explanation.steps()[0];
        let sum: f64 = step.terms.iter().map(|term| term.weight).sum();
        assert!((sum - scored.score).abs() < 1e-12, "{step:?}");
    }
}

#[tokio::test]
async fn legs_have_the_ranks_of_their_own_rankings() {
    let collection = documents(definition()).await;
    let by_vector = keys(collection.search(&[1.0_f32, 0.0].as_slice().into(), &all()).await).await;
    let by_words = keys(collection.full_text_search("red apple", &all()).await).await;
    for fusion in [Fusion::default(), Fusion::reciprocal_rank(60)] {
        for scored in hybrid(&collection, &explained().with_fusion(fusion)).await {
            let key = scored.record.key.to_string();
            let rank = |keys: &[String]| keys.iter().position(|other| *other == key).map(|n| n + 1);
            let step = |name| scored.explanation.step(name);
            let vector = step(ExplanationStep::VECTOR).and_then(|step| step.rank);
            let words = step(ExplanationStep::FULL_TEXT).and_then(|step| step.rank);
            assert_eq!((vector, words), (rank(&by_vector), rank(&by_words)), "{key}");
            let parts = scored.explanation.steps().iter().filter_map(|step| step.contribution);
            assert!((parts.sum::<f64>() - scored.score).abs() < 1e-12);
        }
    }
}

#[tokio::test]
async fn only_the_window_is_explained() {
    let collection = documents(definition()).await;
    let whole = hybrid(&collection, &explained()).await;
    let mut options = explained().with_skip(1);
    options.top = 2;
    assert_eq!(hybrid(&collection, &options).await, whole[1..3]);
}

#[tokio::test]
async fn an_explanation_changes_no_result() {
    let collection = documents(definition()).await;
    let plain = hybrid(&collection, &all()).await;
    let explained = hybrid(&collection, &explained()).await;
    assert!(plain.iter().all(|scored| scored.explanation.is_empty()));
    for (plain, explained) in plain.iter().zip(&explained) {
        assert_eq!((&plain.record, plain.score), (&explained.record, explained.score));
    }
    assert_eq!(plain.len(), explained.len());
}
