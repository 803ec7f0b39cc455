//! Hybrid search.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::vector::{
    Distance, Fusion, RecordDefinition, VectorField, VectorSearchOptions,
};
use textsearch_core::{Filter, results::TotalCount};

use crate::support::{Stored, all, collection, definition, keys, option_of, record, scores};

async fn documents() -> Stored {
    let collection = collection(definition()).await;
    let rows = [
        ("both", "apple", [1.0, 0.0]),
        ("vector", "pear", [2.0, 0.0]),
        ("words", "apple apple", [-1.0, 0.0]),
    ];
    let records = rows.map(|(id, title, vector)| {
        record(id, json!({ "title": title, "year": title.len() }))
            .with_vector("embedding", vector.to_vec())
    });
    collection.upsert(records.into()).await.unwrap();
    collection
        .upsert(vec![record("bare", json!({ "title": "apple cake with cream and nuts" }))])
        .await
        .unwrap();
    collection
}

fn vector() -> Option<Arc<[f32]>> {
    Some([1.0, 0.0].into())
}

#[tokio::test]
async fn rank_constant_threshold_filter_and_count_apply() {
    let collection = documents().await;
    let mut options = all().with_total_count(true);
    options.fusion = Fusion::reciprocal_rank(0);
    let results = collection.hybrid_search("apple", vector(), &options).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(4)));
    let ranking = scores(Ok(results)).await;
    assert!(ranking.iter().any(|entry| *entry == ("vector".to_owned(), 1.0)), "{ranking:?}");
    let high = scores(
        collection
            .hybrid_search("apple", vector(), &options.clone().with_score_threshold(1.0))
            .await,
    )
    .await;
    assert!(high.iter().all(|entry| entry.1 >= 1.0) && !high.is_empty(), "{high:?}");
    let filtered = options.with_filter(Filter::eq("title", "pear"));
    assert_eq!(
        keys(collection.hybrid_search("apple", vector(), &filtered).await).await,
        ["vector"]
    );
}

#[tokio::test]
async fn count_beyond_the_ranking_depth_is_an_estimate() {
    let collection = collection(definition()).await;
    let records = (0..1500).map(|number| {
        record(&format!("{number:04}"), json!({ "title": "same" }))
            .with_vector("embedding", vec![number as f32, 0.0])
    });
    collection.upsert(records.collect()).await.unwrap();
    let options = VectorSearchOptions::top(5).with_total_count(true);
    let results = collection.hybrid_search("same", vector(), &options).await.unwrap();
    // The last thousand are best by vector, the first by words.
    assert_eq!(results.total_count(), Some(TotalCount::Estimated(1500)));
    let results = collection.hybrid_search("same", vector(), &all().with_total_count(true)).await;
    assert_eq!(results.unwrap().total_count(), Some(TotalCount::Exact(1500)));
}

#[tokio::test]
async fn errors_name_missing_hybrid_inputs() {
    let collection = documents().await;
    let error = collection.hybrid_search("apple", None, &all()).await.unwrap_err();
    assert_eq!(option_of(&error), "vector");
    assert!(error.message().contains("with_embedding_generator"), "{error}");
    let wordless = RecordDefinition::new("id")
        .with_vector(VectorField::new("embedding", 2).with_distance(Distance::DotProduct));
    let wordless = crate::support::collection(wordless).await;
    let error = wordless.hybrid_search("apple", vector(), &all()).await.unwrap_err();
    assert_eq!(option_of(&error), "full_text_fields");
}

#[tokio::test]
async fn pages_slice_one_ranking_of_any_size() {
    let collection = collection(definition()).await;
    // By vector the last come first; by words the shortest, which are spread over all records.
    let records = (0..1500_usize).map(|number| {
        let title = format!("same{}", " filler".repeat(number * 7 % 11));
        record(&format!("{number:04}"), json!({ "title": title }))
            .with_vector("embedding", vec![number as f32, 0.0])
    });
    collection.upsert(records.collect()).await.unwrap();
    for fusion in [Fusion::reciprocal_rank(60), Fusion::default()] {
        let options = VectorSearchOptions::top(300).with_fusion(fusion);
        let whole = keys(collection.hybrid_search("same", vector(), &options).await).await;
        let mut paged = Vec::new();
        for skip in (0..300).step_by(50) {
            let options = VectorSearchOptions::top(50).with_skip(skip).with_fusion(fusion);
            paged.extend(keys(collection.hybrid_search("same", vector(), &options).await).await);
        }
        assert_eq!(paged, whole, "{fusion:?}");
    }
}
