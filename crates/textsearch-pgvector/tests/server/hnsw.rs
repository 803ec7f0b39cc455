//! Searches with an index: as many results as exact ones, nearly the same.

use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, Distance, HnswParameters, RecordDefinition, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore,
    },
};

use crate::{Created, sql};

const RECORDS: u32 = 3_000;
const DIMENSIONS: usize = 64;

fn definition() -> RecordDefinition {
    let field = VectorField::new("embedding", DIMENSIONS);
    RecordDefinition::new("id")
        .with_data(DataField::integer("number").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_vector(
            field.with_index(HnswParameters { ef_search: 40, ..HnswParameters::default() }),
        )
}

fn vector(random: &mut fastrand::Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

async fn filled(created: &Created) -> std::sync::Arc<dyn VectorCollection> {
    let collection = created.store.stored_collection(created.name(), definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let records = (0..RECORDS).map(|number| {
        let tags = if number % 100 == 0 { json!(["rare"]) } else { json!([]) };
        let data = json!({ "id": format!("{number:05}"), "number": number, "tags": tags });
        let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition());
        record.unwrap().with_vector("embedding", vector(&mut random))
    });
    collection.upsert(records.collect()).await.unwrap();
    sql(&format!("ANALYZE \"{}\"", created.name())).await;
    collection
}

async fn nearest(
    collection: &dyn VectorCollection,
    query: &SearchInput,
    options: &VectorSearchOptions,
) -> Vec<Scored<StoredRecord>> {
    collection.search(query, options).await.unwrap().into_vec().await.unwrap()
}

fn keys(records: &[Scored<StoredRecord>]) -> Vec<String> {
    records.iter().map(|scored| scored.record.key.to_string()).collect()
}

#[tokio::test]
async fn nearly_all_of_the_nearest_are_found() {
    let created = Created::new("near").await;
    let collection = filled(&created).await;
    let mut random = fastrand::Rng::with_seed(11);
    let mut same = 0;
    let mut all = 0;
    let mut differing = 0;
    for _ in 0..50 {
        let query = SearchInput::from(vector(&mut random));
        let options = VectorSearchOptions::top(10);
        let near = keys(&nearest(collection.as_ref(), &query, &options).await);
        let exact = keys(&nearest(collection.as_ref(), &query, &options.with_exact(true)).await);
        all += exact.len();
        same += exact.iter().filter(|key| near.contains(key)).count();
        differing += usize::from(near != exact);
    }
    println!("hnsw: {same} of {all} nearest found");
    assert!(same * 10 >= all * 7, "{same} of {all}");
    // Equal results would mean that the index is never read.
    assert!(differing > 0);
}

#[tokio::test]
async fn as_many_are_found_as_without_an_index() {
    let created = Created::new("many").await;
    let collection = filled(&created).await;
    let query = SearchInput::from(vector(&mut fastrand::Rng::with_seed(13)));
    let filters = [
        (None, 3_000),
        (Some(Filter::lt("number", 20)), 20),
        (Some(Filter::lt("number", 1_500)), 1_500),
        (Some(Filter::contains("tags", "rare")), 30),
    ];
    for (filter, matching) in filters {
        for (top, skip) in [(10, 0), (10, 15), (100, 0), (999, 0), (2_000, 0), (5, 1_400)] {
            let mut options = VectorSearchOptions::top(top).with_skip(skip).with_total_count(true);
            options.filter.clone_from(&filter);
            let results = collection.search(&query, &options).await.unwrap();
            assert_eq!(results.total_count().map(|count| count.value()), Some(matching));
            let results = results.into_vec().await.unwrap();
            let expected = top.min((matching as usize).saturating_sub(skip));
            assert_eq!(results.len(), expected, "{filter:?}, top = {top}, skip = {skip}");
        }
    }
}

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
