//! Collections with an HNSW index.

use std::sync::Arc;

use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, IndexKind, RecordDefinition, SearchInput, StoredRecord, VectorCollection,
        VectorField, VectorSearchOptions, VectorStore as _,
    },
};

use crate::{Created, keys, nearest, record};

const DIMENSIONS: usize = 16;
const RECORDS: u32 = 3_000;

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::integer("number").filterable())
        .with_data(DataField::date_time("day").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS).with_index(IndexKind::hnsw()))
}

fn vector(random: &mut fastrand::Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

async fn filled(created: &Created) -> Arc<dyn VectorCollection> {
    let collection = created.store.stored_collection(created.name(), definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let mut random = fastrand::Rng::with_seed(3);
    let records = (0..RECORDS).map(|number| {
        let day = format!("2024-01-{:02}T00:00:00Z", number % 30 + 1);
        let data = json!({ "id": format!("{number:05}"), "number": number, "day": day });
        record(&definition(), data).with_vector("embedding", vector(&mut random))
    });
    collection.upsert(records.collect::<Vec<StoredRecord>>()).await.unwrap();
    collection
}

#[tokio::test]
async fn nearly_all_of_the_nearest_are_found() {
    let created = Created::new("near").await;
    let collection = filled(&created).await;
    let mut random = fastrand::Rng::with_seed(11);
    let mut same = 0;
    let mut all = 0;
    for _ in 0..20 {
        let query = SearchInput::from(vector(&mut random));
        let options = VectorSearchOptions::top(10);
        let near = keys(&nearest(collection.as_ref(), &query, &options).await);
        let exact = keys(&nearest(collection.as_ref(), &query, &options.with_exact(true)).await);
        all += exact.len();
        same += exact.iter().filter(|key| near.contains(key)).count();
    }
    println!("hnsw: {same} of {all} nearest found");
    assert!(same * 10 >= all * 7, "{same} of {all}");
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn as_many_are_found_as_without_an_index() {
    let created = Created::new("many").await;
    let collection = filled(&created).await;
    let query = SearchInput::from(vector(&mut fastrand::Rng::with_seed(13)));
    let day: Filter = r#"day = date "2024-01-07T00:00:00Z""#.parse().unwrap();
    let filters = [
        (None, 3_000),
        (Some(Filter::lt("number", 20)), 20),
        (Some(Filter::lt("number", 1_500)), 1_500),
        (Some(day), 100),
    ];
    for (filter, matching) in filters {
        for (top, skip) in [(10, 0), (10, 15), (999, 0), (2_000, 0), (5, 1_400)] {
            let mut options = VectorSearchOptions::top(top).with_skip(skip).with_total_count(true);
            options.filter.clone_from(&filter);
            let results = collection.search(&query, &options).await.unwrap();
            assert_eq!(results.total_count().map(|count| count.value()), Some(matching));
            let results = results.into_vec().await.unwrap();
            let expected = top.min((matching as usize).saturating_sub(skip));
            assert_eq!(results.len(), expected, "{filter:?}, top = {top}, skip = {skip}");
        }
    }
    collection.delete_collection().await.unwrap();
}
