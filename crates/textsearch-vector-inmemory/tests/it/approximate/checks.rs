//! Graphs with low recall, which searches do not use.

use serde_json::json;
use textsearch_core::vector::{Distance, HnswParameters, SearchInput, StoredRecord};
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::{ROWS, indexed, quick, top};
use crate::support::{Stored, create, record, scores};

/// Random vectors of so many elements have no structure.
const DIMENSIONS: usize = 128;

async fn wide(store: &InMemoryVectorStore, parameters: HnswParameters) -> Stored {
    let mut definition = indexed(Distance::CosineSimilarity, parameters);
    definition.vectors[0].dimensions = DIMENSIONS;
    create(store, "docs", definition).await
}

/// Records without structure, or near a few centres.
fn wide_records(is_noise: bool) -> Vec<StoredRecord> {
    let mut random = fastrand::Rng::with_seed(3);
    let mut noise = || -> Vec<f32> { (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect() };
    let centers: Vec<_> = (0..100).map(|_| noise()).collect();
    let mut vector = |number: usize| {
        let offset = noise();
        if is_noise {
            return offset;
        }
        let center = &centers[number % centers.len()];
        center.iter().zip(offset).map(|(center, offset)| center + 0.3 * offset).collect()
    };
    let record = |number: usize| {
        let record = record(&format!("{number:06}"), json!({ "bucket": 0 }));
        record.with_vector("embedding", vector(number))
    };
    (0..ROWS).map(record).collect()
}

/// Returns whether searches for noise find what exact ones do.
async fn is_exact(collection: &Stored) -> bool {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..20 {
        let query: Vec<f32> = (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect();
        let query = SearchInput::from(query);
        let exact = scores(collection.search(&query, &top().with_exact(true)).await).await;
        if scores(collection.search(&query, &top()).await).await != exact {
            return false;
        }
    }
    true
}

#[tokio::test]
async fn searches_are_exact_once_vectors_lose_their_structure() {
    let collection = wide(&InMemoryVectorStore::new(), quick()).await;
    collection.upsert(wide_records(false)).await.unwrap();
    assert!(!is_exact(&collection).await, "the graph is in use");
    collection.upsert(wide_records(true)).await.unwrap();
    assert!(is_exact(&collection).await);
}

#[tokio::test]
async fn searches_are_exact_if_fewer_candidates_lower_recall() {
    let store = InMemoryVectorStore::new();
    let collection = wide(&store, HnswParameters { ef_search: 1000, ..quick() }).await;
    collection.upsert(wide_records(true)).await.unwrap();
    let collection = wide(&store, quick()).await;
    assert!(is_exact(&collection).await);
}
