//! Scores, thresholds and exact searches of collections with an index.

use serde_json::json;
use textsearch_conformance::core::vector::{
    Distance, SearchInput, StoredRecord, VectorSearchOptions, VectorStore as _,
};

use crate::{
    Created,
    indexed::{RECORDS, definition, filled, keys, nearest, vector},
    sql,
};

#[tokio::test]
async fn scores_are_those_of_the_distance() {
    let created = Created::new("scores").await;
    let mut random = fastrand::Rng::with_seed(19);
    let distances = Distance::ALL.into_iter();
    let unindexed = [Distance::Hamming, Distance::Jaccard, Distance::Manhattan];
    for distance in distances.filter(|distance| !unindexed.contains(distance)) {
        let mut definition = definition();
        definition.vectors[0].distance = distance;
        let collection = created.store.stored_collection(created.name(), definition.clone());
        let collection = collection.unwrap();
        collection.ensure_exists().await.unwrap();
        let records = (0..50).map(|number| {
            let data = json!({ "id": format!("{number:05}") }).as_object().cloned().unwrap();
            let record = StoredRecord::new(data, &definition).unwrap();
            record.with_vector("embedding", vector(&mut random))
        });
        collection.upsert(records.collect()).await.unwrap();
        let query = vector(&mut random);
        let options = VectorSearchOptions::top(10).with_vectors(true);
        let results = nearest(collection.as_ref(), &query.clone().into(), &options).await;
        assert_eq!(results.len(), 10);
        for scored in results {
            let expected = distance.score(&query, &scored.record.vectors["embedding"]);
            assert!((scored.score - expected).abs() < 1e-4, "{distance:?}: {}", scored.score);
        }
        collection.delete_collection().await.unwrap();
    }
}

#[tokio::test]
async fn a_threshold_cuts_the_results_off() {
    let created = Created::new("threshold").await;
    let collection = filled(&created).await;
    let query = SearchInput::from(vector(&mut fastrand::Rng::with_seed(17)));
    let options = VectorSearchOptions::top(20);
    let all = nearest(collection.as_ref(), &query, &options).await;
    let cut = options.with_score_threshold(all[4].score);
    assert_eq!(keys(&nearest(collection.as_ref(), &query, &cut).await), keys(&all[..5]));
    let skipping = cut.with_skip(3);
    assert_eq!(keys(&nearest(collection.as_ref(), &query, &skipping).await), keys(&all[3..5]));
}

#[tokio::test]
async fn an_index_of_another_program_leaves_exact_searches_exact() {
    let created = Created::new("exact").await;
    let mut exact = definition();
    exact.vectors[0].index = Default::default();
    let collection = created.store.stored_collection(created.name(), exact.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let vectors: Vec<Vec<f32>> = (0..RECORDS).map(|_| vector(&mut random)).collect();
    let records = vectors.iter().enumerate().map(|(number, vector)| {
        let data = json!({ "id": format!("{number:05}") }).as_object().cloned().unwrap();
        StoredRecord::new(data, &exact).unwrap().with_vector("embedding", vector.clone())
    });
    collection.upsert(records.collect()).await.unwrap();
    let name = created.name();
    sql(&format!(
        "CREATE INDEX ON \"{name}\" USING ivfflat (embedding vector_cosine_ops) WITH (lists = 50); \
         ANALYZE \"{name}\""
    ))
    .await;
    for _ in 0..20 {
        let query = vector(&mut random);
        let best = (0..vectors.len()).max_by(|place, other| {
            let score = |place: usize| exact.vectors[0].distance.score(&query, &vectors[place]);
            score(*place).total_cmp(&score(*other))
        });
        let results =
            nearest(collection.as_ref(), &query.into(), &VectorSearchOptions::top(1)).await;
        assert_eq!(keys(&results), [format!("{:05}", best.unwrap())]);
    }
}
