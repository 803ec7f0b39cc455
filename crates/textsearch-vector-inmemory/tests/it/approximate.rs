//! The approximate index: recall, and that searches see every change at once.

mod checks;
mod conformance;
mod snapshots;
mod topics;

use std::collections::BTreeMap;

use futures_util::FutureExt as _;

use serde_json::json;
use textsearch_core::{
    Filter,
    results::TotalCount,
    vector::{
        DataField, Distance, HnswParameters, IndexKind, RecordDefinition, RecordKey, SearchInput,
        StoredRecord, VectorField, VectorSearchOptions, VectorStore as _,
    },
};

use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::{Stored, collection, create, keys, option_of, record, scores};

const DIMENSIONS: usize = 16;
const ROWS: usize = 1500;

/// Vectors around a hundred centres.
struct Clusters {
    random: fastrand::Rng,
    centers: Vec<Vec<f32>>,
}

impl Clusters {
    fn new(seed: u64) -> Self {
        let mut centers = fastrand::Rng::with_seed(7);
        let mut center = || (0..DIMENSIONS).map(|_| gaussian(&mut centers)).collect();
        let centers = (0..100).map(|_| center()).collect();
        Self { random: fastrand::Rng::with_seed(seed), centers }
    }

    fn vector(&mut self) -> Vec<f32> {
        let center = self.random.usize(..self.centers.len());
        let random = &mut self.random;
        self.centers[center].iter().map(|element| element + 0.4 * gaussian(random)).collect()
    }

    fn records(&mut self, numbers: std::ops::Range<usize>) -> Vec<StoredRecord> {
        let record = |number: usize| {
            let data = json!({ "bucket": number % 100 });
            record(&format!("{number:06}"), data).with_vector("embedding", self.vector())
        };
        numbers.map(record).collect()
    }
}

/// The sum of twelve uniform numbers approximates a normal distribution.
fn gaussian(random: &mut fastrand::Rng) -> f32 {
    (0..12).map(|_| random.f32()).sum::<f32>() - 6.0
}

fn indexed(distance: Distance, parameters: HnswParameters) -> RecordDefinition {
    let field = VectorField::new("embedding", DIMENSIONS).with_distance(distance);
    RecordDefinition::new("id")
        .with_data(DataField::integer("bucket").filterable())
        .with_vector(field.with_index(IndexKind::Hnsw(parameters)))
}

/// Of records with equal scores any counts. Asserts that scores equal those of an exact search.
async fn recall(collection: &Stored, options: &VectorSearchOptions) -> f64 {
    let mut queries = Clusters::new(99);
    let mut reached = 0_u32;
    let mut all = 0;
    for _ in 0..50 {
        let query = SearchInput::from(queries.vector());
        let exact =
            scores(collection.search(&query, &options.clone().with_exact(true)).await).await;
        let near = scores(collection.search(&query, options).await).await;
        assert_eq!(near.len(), exact.len());
        all += exact.len();
        let by_key: BTreeMap<_, _> = exact.iter().cloned().collect();
        let mut left: Vec<f64> = exact.into_iter().map(|(_, score)| score).collect();
        for (key, score) in near {
            assert!(by_key.get(&key).is_none_or(|exact| exact.to_bits() == score.to_bits()));
            if let Some(place) = left.iter().position(|other| *other == score) {
                left.remove(place);
                reached += 1;
            }
        }
    }
    f64::from(reached) / all as f64
}

/// Builds fast. Walks are shorter than scans of [`ROWS`].
fn quick() -> HnswParameters {
    HnswParameters { connections: 8, ef_construction: 40, ef_search: 32 }
}

async fn filled() -> Stored {
    let collection = collection(indexed(Distance::CosineSimilarity, quick())).await;
    collection.upsert(Clusters::new(1).records(0..ROWS)).await.unwrap();
    collection
}

fn top() -> VectorSearchOptions {
    VectorSearchOptions::top(10)
}

#[tokio::test]
async fn default_parameters_have_high_recall_with_any_filter() {
    let default = HnswParameters::default();
    let collection = collection(indexed(Distance::CosineSimilarity, default)).await;
    // Enough that a walk of the default length is shorter than a scan.
    collection.upsert(Clusters::new(1).records(0..4400)).await.unwrap();
    let all = recall(&collection, &top()).await;
    assert!(all >= 0.99, "{all}");
    for kept in [50, 10, 1] {
        let options = top().with_filter(Filter::lt("bucket", kept));
        let share = recall(&collection, &options).await;
        assert!(share >= 0.99, "{share} where the filter keeps {kept} %");
    }
}

#[tokio::test]
async fn more_candidates_raise_recall() {
    let collection = filled().await;
    let few = recall(&collection, &VectorSearchOptions::top(1).with_ef_search(1)).await;
    let many = recall(&collection, &VectorSearchOptions::top(1).with_ef_search(40)).await;
    assert!(few < many && many >= 0.98, "{few} and {many}");
}

#[tokio::test]
async fn filtered_walks_find_matching_records() {
    let collection = filled().await;
    // The filter matches enough rows for a walk.
    let wide = top().with_filter(Filter::lt("bucket", 95));
    let share = recall(&collection, &wide).await;
    assert!(share >= 0.98, "{share}");
    let query = SearchInput::from(Clusters::new(5).vector());
    let results = collection.search(&query, &wide.with_total_count(true)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(ROWS as u64 / 100 * 95)));
    for scored in results.into_vec().await.unwrap() {
        assert!(scored.record.data["bucket"].as_u64().unwrap() < 95);
    }
}

#[tokio::test]
async fn every_distance_has_a_graph() {
    for distance in Distance::ALL {
        let collection = collection(indexed(distance, quick())).await;
        collection.upsert(Clusters::new(1).records(0..ROWS)).await.unwrap();
        let share = recall(&collection, &top()).await;
        assert!(share >= 0.9, "{distance:?}: {share}");
    }
}

#[tokio::test]
async fn record_is_found_as_soon_as_stored() {
    let collection = filled().await;
    let vector = Clusters::new(77).vector();
    let new = record("new", json!({ "bucket": 0 })).with_vector("embedding", vector.clone());
    collection.upsert(vec![new]).await.unwrap();
    let results = collection.search(&SearchInput::from(vector), &VectorSearchOptions::top(1)).await;
    assert_eq!(keys(results).await, ["new"]);
}

#[tokio::test]
async fn replaced_record_is_found_by_its_new_vector_only() {
    let collection = filled().await;
    let mut old = Clusters::new(1);
    let old = old.records(0..ROWS);
    let new = Clusters::new(2).records(0..ROWS);
    collection.upsert(new[..ROWS / 2].to_vec()).await.unwrap();
    let options = VectorSearchOptions::top(1).with_vectors(true);
    for number in (0..ROWS / 2).step_by(20) {
        for vectors in [&old[number].vectors, &new[number].vectors] {
            let query = SearchInput::Vector(vectors["embedding"].clone());
            let results = collection.search(&query, &options).await.unwrap();
            let results = results.into_vec().await.unwrap();
            if results[0].record.key == new[number].key {
                assert_eq!(results[0].record.vectors, new[number].vectors);
            }
        }
    }
    let share = recall(&collection, &top()).await;
    assert!(share >= 0.98, "{share}");
}

#[tokio::test]
async fn deleted_record_is_gone_and_others_stay() {
    let collection = filled().await;
    for part in 0..3 {
        let gone: Vec<_> = (part..ROWS).step_by(5).map(|number| format!("{number:06}")).collect();
        let gone: Vec<RecordKey> = gone.into_iter().map(RecordKey::from).collect();
        collection.delete(&gone).await.unwrap();
        for record in Clusters::new(1).records(0..ROWS).iter().skip(part).step_by(5 * 7) {
            let query = SearchInput::Vector(record.vectors["embedding"].clone());
            let results = collection.search(&query, &top().with_ef_search(16)).await;
            assert!(!keys(results).await.contains(&record.key.to_string()));
        }
    }
    let left = recall(&collection, &top().with_ef_search(16)).await;
    assert!(left >= 0.9, "{left}");
    collection.upsert(Clusters::new(3).records(0..ROWS)).await.unwrap();
    let share = recall(&collection, &top()).await;
    assert!(share >= 0.98, "{share}");
}

#[tokio::test]
async fn graph_can_be_emptied_and_refilled() {
    let collection = filled().await;
    collection.delete_matching(&Filter::exists("bucket")).await.unwrap();
    let query = SearchInput::from(Clusters::new(5).vector());
    assert!(keys(collection.search(&query, &top()).await).await.is_empty());
    collection.upsert(Clusters::new(1).records(0..ROWS)).await.unwrap();
    let share = recall(&collection, &top()).await;
    assert!(share >= 0.98, "{share}");
}

#[tokio::test]
async fn pages_thresholds_and_batches_share_one_ranking() {
    let collection = filled().await;
    let mut queries = Clusters::new(5);
    let inputs: Vec<_> = (0..5).map(|_| SearchInput::from(queries.vector())).collect();
    let batch = collection.search_batch(&inputs, &top()).await.unwrap();
    for (input, together) in inputs.iter().zip(batch) {
        let alone = scores(collection.search(input, &top()).await).await;
        assert_eq!(scores(Ok(together)).await, alone);
        let page = VectorSearchOptions::top(4).with_skip(3);
        assert_eq!(scores(collection.search(input, &page).await).await, alone[3..7]);
        let enough = top().with_score_threshold(alone[2].1);
        assert_eq!(scores(collection.search(input, &enough).await).await, alone[..3]);
    }
}

#[tokio::test]
async fn vectors_too_small_or_large_for_graphs_are_found() {
    let collection = filled().await;
    let tiny = vec![1e-20; DIMENSIONS];
    let odd = record("odd", json!({ "bucket": 0 })).with_vector("embedding", tiny.clone());
    collection.upsert(vec![odd, record("none", json!({ "bucket": 0 }))]).await.unwrap();
    let query = SearchInput::from(vec![1.0; DIMENSIONS]);
    assert_eq!(keys(collection.search(&query, &VectorSearchOptions::top(1)).await).await, ["odd"]);
    let query = SearchInput::from(tiny);
    assert_eq!(keys(collection.search(&query, &VectorSearchOptions::top(1)).await).await, ["odd"]);
}

#[tokio::test]
async fn index_can_be_added_and_removed() {
    let store = InMemoryVectorStore::new();
    let exact = RecordDefinition::new("id")
        .with_data(DataField::integer("bucket").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS));
    let plain = create(&store, "docs", exact.clone()).await;
    plain.upsert(Clusters::new(1).records(0..ROWS)).await.unwrap();
    let options = VectorSearchOptions::top(1).with_ef_search(1);
    assert_eq!(recall(&plain, &options).await, 1.0);
    let graph = create(&store, "docs", indexed(Distance::CosineSimilarity, quick())).await;
    assert!(recall(&graph, &options).await < 1.0);
    assert!(recall(&graph, &top()).await >= 0.98);
    let plain = create(&store, "docs", exact).await;
    assert_eq!(recall(&plain, &options).await, 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_continue_during_writes_and_deletions() {
    let collection = filled().await;
    let writer = tokio::spawn({
        let collection = collection.clone();
        async move {
            for round in 0..6 {
                let from = ROWS + 400 * round;
                collection.upsert(Clusters::new(10).records(from..from + 400)).await.unwrap();
                let gone = (300 * round..300 * (round + 1)).step_by(3);
                let gone = gone.map(|number| RecordKey::from(format!("{number:06}")));
                collection.delete(&gone.collect::<Vec<_>>()).await.unwrap();
            }
        }
    });
    let mut queries = Clusters::new(5);
    while !writer.is_finished() {
        let query = SearchInput::from(queries.vector());
        let results = collection.search(&query, &top().with_vectors(true)).await.unwrap();
        for scored in results.into_vec().await.unwrap() {
            let expected = match &query {
                SearchInput::Vector(query) => {
                    Distance::CosineSimilarity.score(query, &scored.record.vectors["embedding"])
                }
                _ => unreachable!("the query is a vector"),
            };
            assert!((scored.score - expected).abs() < 1e-5);
        }
        tokio::task::yield_now().await;
    }
    writer.await.unwrap();
    let share = recall(&collection, &top()).await;
    assert!(share >= 0.98, "{share}");
}

#[tokio::test]
async fn dropped_upsert_keeps_its_records() {
    let collection = collection(indexed(Distance::CosineSimilarity, quick())).await;
    let mut upsert = collection.upsert(Clusters::new(1).records(0..ROWS));
    // The first step stores the records, later ones link them.
    assert!(upsert.as_mut().now_or_never().is_none());
    drop(upsert);
    assert!(recall(&collection, &top()).await >= 0.98);
    collection.upsert(Clusters::new(1).records(0..ROWS)).await.unwrap();
    assert!(recall(&collection, &top()).await >= 0.98);
}

#[tokio::test]
async fn invalid_graph_parameters_are_refused() {
    let store = InMemoryVectorStore::new();
    for parameters in [
        HnswParameters { connections: 1, ..quick() },
        HnswParameters { connections: 513, ..quick() },
        HnswParameters { ef_construction: 0, ..quick() },
        HnswParameters { ef_construction: 65_537, ..quick() },
        HnswParameters { ef_search: 0, ..quick() },
        HnswParameters { ef_search: u32::MAX, ..quick() },
    ] {
        let definition = indexed(Distance::CosineSimilarity, parameters);
        let error = store.stored_collection("docs", definition).err().unwrap();
        assert_eq!(option_of(&error), "embedding.index");
    }
    let max = HnswParameters { ef_construction: 65_536, ef_search: 65_536, ..quick() };
    store.stored_collection("docs", indexed(Distance::CosineSimilarity, max)).unwrap();
    let many = HnswParameters { ef_search: 65_537, ..quick() };
    let many = store.stored_collection("docs", indexed(Distance::CosineSimilarity, many));
    let error = many.err().unwrap();
    assert!(error.message().contains("ef_search: 65537"), "{error}");
    assert!(error.message().contains("expected from 1 to 65536 candidates"), "{error}");
}
