//! Types of vectors and kinds of indexes.

use std::sync::Arc;

use serde_json::json;
use textsearch_conformance::core::vector::{
    Distance, HnswParameters, IndexKind, RecordDefinition, Scored, SearchInput, StoredRecord,
    VectorCollection, VectorField, VectorSearchOptions, VectorStore,
};
use textsearch_pgvector::{IvfFlatParameters, PgVectorStore, PgVectorTable, VectorType};

use crate::{Created, config, sql};

const RECORDS: u32 = 3_000;
const DIMENSIONS: usize = 64;
const FIELD: &str = "embedding";

/// How the vectors of a collection are stored.
struct Layout {
    field: VectorField,
    table: PgVectorTable,
}

fn layout(distance: Distance, kind: VectorType, index: impl Into<Option<IndexKind>>) -> Layout {
    // Half of the lists: random vectors have no clusters, and the centers start at random.
    let lists = IvfFlatParameters::new(30).with_probes(15);
    let field = VectorField::new(FIELD, DIMENSIONS).with_distance(distance);
    let table = PgVectorTable::new().with_vector_type(FIELD, kind);
    match index.into() {
        Some(index) => Layout { field: field.with_index(index), table },
        None => Layout { field, table: table.with_ivf_flat(FIELD, lists) },
    }
}

fn graph() -> IndexKind {
    HnswParameters { ef_search: 40, ..HnswParameters::default() }.into()
}

impl Layout {
    fn definition(&self) -> RecordDefinition {
        RecordDefinition::new("id").with_vector(self.field.clone())
    }

    async fn open(&self, created: &Created) -> Arc<dyn VectorCollection> {
        let config = config().with_table(created.name(), self.table.clone());
        let store = PgVectorStore::connect(config).await.unwrap();
        store.stored_collection(created.name(), self.definition()).unwrap()
    }

    /// Loads first and builds the index later, as IVFFlat needs it.
    async fn filled(&self, created: &Created) -> Arc<dyn VectorCollection> {
        let mut unindexed = Self { field: self.field.clone(), table: self.table.clone() };
        unindexed.field.index = IndexKind::Exact;
        unindexed.table.ivf_flat.clear();
        if self.table.vector_types[FIELD] == VectorType::HalfIndex {
            unindexed.table.vector_types.clear();
        }
        let collection = unindexed.open(created).await;
        collection.ensure_exists().await.unwrap();
        let mut random = fastrand::Rng::with_seed(7);
        let records = (0..RECORDS).map(|number| {
            let data = json!({ "id": format!("{number:05}") });
            let record = StoredRecord::new(data.as_object().cloned().unwrap(), &self.definition());
            record.unwrap().with_vector(FIELD, self.vector(&mut random))
        });
        collection.upsert(records.collect()).await.unwrap();
        let collection = self.open(created).await;
        collection.ensure_exists().await.unwrap();
        sql(&format!("ANALYZE \"{}\"", created.name())).await;
        collection
    }

    fn vector(&self, random: &mut fastrand::Rng) -> Vec<f32> {
        let is_bit = self.table.vector_types[FIELD] == VectorType::Bit;
        let mut element = || if is_bit { f32::from(random.bool()) } else { random.f32() - 0.5 };
        (0..DIMENSIONS).map(|_| element()).collect()
    }
}

async fn nearest(
    collection: &dyn VectorCollection,
    query: &[f32],
    options: &VectorSearchOptions,
) -> Vec<Scored<StoredRecord>> {
    let query = SearchInput::from(query.to_vec());
    collection.search(&query, options).await.unwrap().into_vec().await.unwrap()
}

/// Searches with and without the index, and compares scores with the core's.
async fn check(name: &str, layout: Layout) {
    let created = Created::new(name).await;
    layout.filled(&created).await;
    // As a program opens it that knows no more than the name.
    let store = created.store.with_settings_of(created.name()).await.unwrap();
    let definition = store.existing_definition(created.name()).await.unwrap();
    assert_eq!(definition, layout.definition());
    let collection = store.stored_collection(created.name(), definition).unwrap();
    collection.ensure_exists().await.unwrap();
    let mut random = fastrand::Rng::with_seed(11);
    let mut same = 0;
    let mut all = 0;
    let mut differing = 0;
    for _ in 0..30 {
        let query = layout.vector(&mut random);
        let options = VectorSearchOptions::top(10).with_vectors(true);
        let near = nearest(collection.as_ref(), &query, &options).await;
        let exact = nearest(collection.as_ref(), &query, &options.with_exact(true)).await;
        assert_eq!((near.len(), exact.len()), (10, 10));
        for scored in near.iter().chain(&exact) {
            let expected = layout.field.distance.score(&query, &scored.record.vectors[FIELD]);
            assert!((scored.score - expected).abs() < 1e-4, "{} for {expected}", scored.score);
        }
        all += exact.len();
        same += exact.iter().filter(|scored| near.contains(scored)).count();
        differing += usize::from(near != exact);
    }
    println!("{name}: {same} of {all} nearest found");
    assert!(same * 10 >= all * 4, "{same} of {all}");
    let exact = layout.field.index == IndexKind::Exact && layout.table.ivf_flat.is_empty();
    // Equal results would mean that the index is never read.
    assert_eq!(differing == 0, exact);
    assert_eq!(index_of(&created).await.is_none(), exact);
    collection.delete_collection().await.unwrap();
}

async fn index_of(created: &Created) -> Option<String> {
    let indexes = "SELECT indexdef FROM pg_indexes WHERE indexdef ~ 'hnsw|ivfflat' AND tablename =";
    sql(&format!("{indexes} '{}'", created.name())).await.pop()
}

#[tokio::test]
async fn ivf_flat_finds_most_of_the_nearest() {
    use Distance::{CosineSimilarity, DotProduct, Euclidean};
    for distance in [CosineSimilarity, DotProduct, Euclidean] {
        check("ivf-flat", layout(distance, VectorType::Single, None)).await;
    }
}

#[tokio::test]
async fn lists_are_built_once_there_are_vectors_for_them() {
    let created = Created::new("lists").await;
    for kind in [VectorType::Single, VectorType::HalfIndex] {
        let layout = layout(Distance::Euclidean, kind, None);
        let collection = layout.open(&created).await;
        collection.ensure_exists().await.unwrap();
        assert_eq!(index_of(&created).await, None);
        let mut random = fastrand::Rng::with_seed(7);
        for (records, is_indexed) in [(0..29, false), (29..30, true)] {
            let records = records.map(|number| {
                let data = json!({ "id": format!("{number:05}") });
                let data = data.as_object().cloned().unwrap();
                let record = StoredRecord::new(data, &layout.definition()).unwrap();
                record.with_vector(FIELD, layout.vector(&mut random))
            });
            collection.upsert(records.collect()).await.unwrap();
            collection.ensure_exists().await.unwrap();
            assert_eq!(index_of(&created).await.is_some(), is_indexed);
        }
        let query = layout.vector(&mut random);
        let results = nearest(collection.as_ref(), &query, &VectorSearchOptions::top(5)).await;
        assert_eq!(results.len(), 5);
        collection.delete_collection().await.unwrap();
    }
}

#[tokio::test]
async fn half_vectors_are_ranked_by_every_distance() {
    let of_bits = [Distance::Hamming, Distance::Jaccard];
    for distance in Distance::ALL.into_iter().filter(|distance| !of_bits.contains(distance)) {
        check("half", layout(distance, VectorType::Half, IndexKind::Exact)).await;
        check("half", layout(distance, VectorType::Half, graph())).await;
    }
    check("half", layout(Distance::Euclidean, VectorType::Half, None)).await;
}

#[tokio::test]
async fn an_index_of_half_vectors_keeps_whole_scores() {
    check("half-index", layout(Distance::EuclideanSquared, VectorType::HalfIndex, graph())).await;
    check("half-index", layout(Distance::CosineDistance, VectorType::HalfIndex, None)).await;
}

#[tokio::test]
async fn bits_are_ranked_by_hamming() {
    check("bits", layout(Distance::Hamming, VectorType::Bit, IndexKind::Exact)).await;
    check("bits", layout(Distance::Hamming, VectorType::Bit, graph())).await;
    check("bits", layout(Distance::Hamming, VectorType::Bit, None)).await;
}

#[tokio::test]
async fn bits_are_ranked_by_jaccard() {
    check("jaccard", layout(Distance::Jaccard, VectorType::Bit, IndexKind::Exact)).await;
    check("jaccard", layout(Distance::Jaccard, VectorType::Bit, graph())).await;
}

#[tokio::test]
async fn bits_without_ones_are_far_by_jaccard() {
    let created = Created::new("jaccard-zeros").await;
    let collection = layout(Distance::Jaccard, VectorType::Bit, IndexKind::Exact);
    let definition = collection.definition();
    let collection = collection.open(&created).await;
    collection.ensure_exists().await.unwrap();
    let data = json!({ "id": "zeros" }).as_object().cloned().unwrap();
    let record = StoredRecord::new(data, &definition).unwrap();
    collection.upsert(vec![record.with_vector(FIELD, [0.0; DIMENSIONS])]).await.unwrap();
    let options = VectorSearchOptions::top(1);
    let results = nearest(collection.as_ref(), &[0.0; DIMENSIONS], &options).await;
    assert_eq!(results[0].score, Distance::Jaccard.score(&[0.0], &[0.0]));
}

#[tokio::test]
async fn manhattan_has_a_graph() {
    check("manhattan", layout(Distance::Manhattan, VectorType::Single, graph())).await;
}

#[tokio::test]
async fn numbers_beyond_half_search_the_whole_vectors() {
    let created = Created::new("beyond-half").await;
    let layout = layout(Distance::Euclidean, VectorType::HalfIndex, graph());
    let collection = layout.filled(&created).await;
    let query = vec![1e6; DIMENSIONS];
    let results = nearest(collection.as_ref(), &query, &VectorSearchOptions::top(5)).await;
    assert_eq!(results.len(), 5);
    let data = json!({ "id": "large" }).as_object().cloned().unwrap();
    let record = StoredRecord::new(data, &layout.definition()).unwrap();
    let error = collection.upsert(vec![record.with_vector(FIELD, query)]).await.unwrap_err();
    assert!(error.message().contains("`embedding` has elements that are too large"), "{error}");
}

#[tokio::test]
async fn another_index_or_type_is_refused() {
    let created = Created::new("other-index").await;
    let built = layout(Distance::Euclidean, VectorType::Single, None);
    built.filled(&created).await;
    let before = index_of(&created).await;
    for (other, expected) in [
        (layout(Distance::Euclidean, VectorType::Single, graph()), "IvfFlatParameters"),
        (layout(Distance::Euclidean, VectorType::Half, IndexKind::Exact), "Single"),
        (layout(Distance::Euclidean, VectorType::HalfIndex, None), "Single"),
    ] {
        let error = other.open(&created).await.ensure_exists().await.unwrap_err();
        assert!(error.message().contains(expected), "{error}");
    }
    let exact = layout(Distance::Euclidean, VectorType::Single, IndexKind::Exact);
    exact.open(&created).await.ensure_exists().await.unwrap();
    built.open(&created).await.ensure_exists().await.unwrap();
    assert_eq!(index_of(&created).await, before);
}
