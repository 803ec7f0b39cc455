//! Searches with an index: as many results as exact ones, nearly the same. The tests of other
//! connectors include this file.

use std::sync::Arc;

use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, HnswParameters, RecordDefinition, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore as _,
    },
};

use crate::{Created, IS_APPROXIMATE};

pub(crate) const RECORDS: u32 = 3_000;
const DIMENSIONS: usize = 64;

pub(crate) fn definition() -> RecordDefinition {
    let field = VectorField::new("embedding", DIMENSIONS);
    RecordDefinition::new("id")
        .with_data(DataField::integer("number").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::date_time("day").filterable())
        .with_vector(
            field.with_index(HnswParameters { ef_search: 40, ..HnswParameters::default() }),
        )
}

pub(crate) fn vector(random: &mut fastrand::Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

pub(crate) async fn filled(created: &Created) -> Arc<dyn VectorCollection> {
    let collection = created.store.stored_collection(created.name(), definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let records = (0..RECORDS).map(|number| {
        let tags = if number % 100 == 0 { json!(["rare"]) } else { json!([]) };
        let day = format!("2024-01-{:02}T00:00:00Z", number % 30 + 1);
        let data =
            json!({ "id": format!("{number:05}"), "number": number, "tags": tags, "day": day });
        let record = StoredRecord::new(data.as_object().cloned().unwrap(), &definition());
        record.unwrap().with_vector("embedding", vector(&mut random))
    });
    collection.upsert(records.collect()).await.unwrap();
    created.settle().await;
    collection
}

pub(crate) async fn nearest(
    collection: &dyn VectorCollection,
    query: &SearchInput,
    options: &VectorSearchOptions,
) -> Vec<Scored<StoredRecord>> {
    collection.search(query, options).await.unwrap().into_vec().await.unwrap()
}

pub(crate) fn keys(records: &[Scored<StoredRecord>]) -> Vec<String> {
    records.iter().map(|scored| scored.record.key.to_string()).collect()
}

#[tokio::test]
async fn an_index_has_nearly_all_of_the_nearest() {
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
    println!("hnsw: {same} of {all} nearest found, {differing} searches differ");
    assert!(same * 10 >= all * 7, "{same} of {all}");
    // Equal results would mean that the index is never read.
    assert!(differing > 0 || !IS_APPROXIMATE);
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn an_index_finds_as_many_as_an_exact_search() {
    let created = Created::new("many").await;
    let collection = filled(&created).await;
    let query = SearchInput::from(vector(&mut fastrand::Rng::with_seed(13)));
    let day: Filter = r#"day = date "2024-01-07T00:00:00Z""#.parse().unwrap();
    let filters = [
        (None, 3_000),
        (Some(Filter::lt("number", 20)), 20),
        (Some(Filter::lt("number", 1_500)), 1_500),
        (Some(Filter::contains("tags", "rare")), 30),
        (Some(day), 100),
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
    collection.delete_collection().await.unwrap();
}
