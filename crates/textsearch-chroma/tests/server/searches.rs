//! Searches and filters on a server, next to the core's own evaluation.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_chroma::ChromaStore;
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, IndexKind, RecordDefinition, ScanOptions, StoredRecord, VectorCollection,
        VectorField, VectorSearchOptions, VectorStore,
    },
};

fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::integer("number").filterable())
        .with_data(DataField::string("text").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::date_time("at").filterable())
        .with_data(DataField::string("chroma:document").filterable())
        .with_vector(VectorField::new("embedding", 8).with_index(IndexKind::hnsw()))
}

/// An empty collection of its own.
async fn created(name: &str) -> Arc<dyn VectorCollection> {
    let store: ChromaStore = crate::store().await.unwrap();
    let collection = store.stored_collection(&format!("chroma-{name}"), definition()).unwrap();
    collection.delete_collection().await.unwrap();
    collection.ensure_exists().await.unwrap();
    collection
}

fn record(number: usize, data: Value, vector: Option<Vec<f32>>) -> StoredRecord {
    let mut data = data.as_object().cloned().unwrap();
    data.insert("id".to_owned(), format!("{number:05}").into());
    let record = StoredRecord::new(data, &definition()).unwrap();
    match vector {
        Some(vector) => record.with_vector("embedding", vector),
        None => record,
    }
}

fn vector(random: &mut fastrand::Rng) -> Vec<f32> {
    (0..8).map(|_| random.f32() - 0.5).collect()
}

/// Values of every kind, near the edges where a server may round or cut.
fn value(random: &mut fastrand::Rng) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!("a"),
        json!("ab"),
        json!("ab\"c\\d*[e]?\n50%_é"),
        json!("2024-05-01T00:00:00Z"),
        json!("2024-05-01T00:00:00.0000005Z"),
        json!(["a", "b"]),
        json!(["ab"]),
        json!([]),
        json!(["a", 1]),
        json!(-2),
        json!(-1.5),
        json!(-1),
        json!(0.0),
        json!(1),
        json!(1.5),
        json!(2),
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992.0),
        json!(i64::MAX),
        json!(u64::MAX),
    ];
    values[random.usize(..values.len())].clone()
}

fn comparison(random: &mut fastrand::Rng) -> String {
    let field = ["number", "text", "tags", "at", "`chroma:document`", "id"][random.usize(..6)];
    let values = [
        "true",
        r#""a""#,
        r#""ab\"c""#,
        r#""d*[e]?\n50%_é""#,
        r#""D*[E]""#,
        r#""00003""#,
        r#"["a", "b"]"#,
        r#"date "2024-05-01T00:00:00Z""#,
        "-1.5",
        "-1",
        "0",
        "1.0",
        "1.5",
        "2",
        "9007199254740992.0",
        "9007199254740993",
    ];
    let value = values[random.usize(..values.len())];
    let other = values[random.usize(..values.len())];
    match random.usize(..11) {
        0 => format!("{field} exists"),
        1 => format!("{field} in [{value}, {other}]"),
        2 => format!("{field} starts_with {value}"),
        3 => format!("{field} contains {value}"),
        4 | 5 => format!("{field} = {value}"),
        6 => format!("{field} != {value}"),
        place => format!("{field} {} {value}", ["<", "<=", ">", ">="][place - 7]),
    }
}

fn filter(random: &mut fastrand::Rng, depth: usize) -> String {
    match random.usize(..6) {
        0 if depth > 0 => format!("not ({})", filter(random, depth - 1)),
        1 | 2 if depth > 0 => {
            format!("({} and {})", filter(random, depth - 1), filter(random, depth - 1))
        }
        3 if depth > 0 => {
            format!("({} or {})", filter(random, depth - 1), filter(random, depth - 1))
        }
        _ => comparison(random),
    }
}

async fn searched(
    collection: &dyn VectorCollection,
    query: &[f32],
    options: &VectorSearchOptions,
) -> Vec<String> {
    let results =
        collection.search(&query.into(), options).await.unwrap().into_vec().await.unwrap();
    results.into_iter().map(|scored| scored.record.key.to_string()).collect()
}

#[tokio::test]
async fn random_filters_keep_what_the_core_keeps() {
    let collection = created("filters").await;
    let mut random = fastrand::Rng::with_seed(5);
    let records: Vec<StoredRecord> = (0..60)
        .map(|number| {
            let data = json!({
                "number": value(&mut random), "text": value(&mut random),
                "tags": value(&mut random), "at": value(&mut random),
                "chroma:document": value(&mut random),
            });
            let vector = (number % 7 != 0).then(|| vector(&mut random));
            record(number, data, vector)
        })
        .collect();
    collection.upsert(records.clone()).await.unwrap();
    for _ in 0..100 {
        let text = filter(&mut random, 3);
        let filter: Filter = text.parse().unwrap();
        let matching = records.iter().filter(|record| filter.matches_object(&record.data));
        let expected: Vec<String> = matching.clone().map(|record| record.key.to_string()).collect();
        let scan = ScanOptions::default().with_filter(filter.clone());
        let scanned = collection.scan(&scan).await.unwrap().into_vec().await.unwrap();
        let scanned: Vec<String> = scanned.iter().map(|record| record.key.to_string()).collect();
        assert_eq!(scanned, expected, "{text}");
        let expected = matching.filter(|record| !record.vectors.is_empty()).count();
        let query = vector(&mut random);
        let all = VectorSearchOptions::top(100).with_filter(filter);
        let whole = searched(collection.as_ref(), &query, &all).await;
        assert_eq!(whole.len(), expected, "{text}");
        let mut window = all.with_skip(2).with_total_count(true);
        window.top = 3;
        let results = collection.search(&query.as_slice().into(), &window).await.unwrap();
        assert_eq!(results.total_count().unwrap().value(), expected as u64, "{text}");
        let page = searched(collection.as_ref(), &query, &window).await;
        let end = whole.len().min(5);
        assert_eq!(page, whole.get(2..end).unwrap_or_default(), "{text}");
    }
    collection.delete_collection().await.unwrap();
}

/// Chroma's graph reaches about a third of them.
#[tokio::test]
async fn all_of_many_equal_vectors_are_found_in_key_order() {
    let collection = created("equal").await;
    let equal = || Some(vec![0.5; 8]);
    let records = (0..2_000).map(|number| record(number, json!({ "number": number }), equal()));
    collection.upsert(records.collect()).await.unwrap();
    let keys = |numbers: std::ops::Range<usize>| -> Vec<String> {
        numbers.map(|number| format!("{number:05}")).collect()
    };
    let query = [0.5; 8];
    let options = VectorSearchOptions::top(10);
    assert_eq!(searched(collection.as_ref(), &query, &options).await, keys(0..10));
    let deep = options.clone().with_skip(1_500);
    assert_eq!(searched(collection.as_ref(), &query, &deep).await, keys(1_500..1_510));
    let few = options.with_filter(Filter::ge("number", 1_995));
    assert_eq!(searched(collection.as_ref(), &query, &few).await, keys(1_995..2_000));
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn tenants_and_databases_share_nothing() {
    let collection = created("shared").await;
    collection.upsert(vec![record(1, json!({}), None)]).await.unwrap();
    let config = crate::config().with_tenant("textsearch-other").with_database("textsearch-other");
    crate::create_database(&config).await;
    let other = ChromaStore::new(config).unwrap();
    let other = other.stored_collection("chroma-shared", definition()).unwrap();
    other.delete_collection().await.unwrap();
    assert!(!other.exists().await.unwrap());
    other.ensure_exists().await.unwrap();
    let scan = ScanOptions::default();
    assert_eq!(other.scan(&scan).await.unwrap().into_vec().await.unwrap().len(), 0);
    other.delete_collection().await.unwrap();
    assert_eq!(collection.scan(&scan).await.unwrap().into_vec().await.unwrap().len(), 1);
    collection.delete_collection().await.unwrap();
}
