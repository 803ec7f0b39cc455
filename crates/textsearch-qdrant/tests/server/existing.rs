//! Tests of existing collections.

use qdrant_client::{
    Payload,
    qdrant::{
        CreateFieldIndexCollectionBuilder, FieldType, PointStruct, UpsertPointsBuilder,
        quantization_config, vectors_config,
    },
};
use serde_json::json;
use textsearch_conformance::core::{
    Filter,
    vector::{
        DataField, Distance, Distribution, GetOptions, HnswParameters, KeyKind, Quantization,
        RecordDefinition, ScanOptions, StoredRecord, VectorField, VectorStore,
    },
};

use crate::store;

fn definition() -> RecordDefinition {
    let vector = VectorField::new("embedding", 2)
        .with_index(HnswParameters { connections: 8, ..HnswParameters::default() })
        .with_quantization(Quantization::Scalar)
        .on_disk();
    RecordDefinition::new("id")
        .with_data(DataField::string("lang").filterable())
        .with_vector(vector)
}

fn name(case: &str) -> String {
    format!("existing-{case}-{}", std::process::id())
}

#[tokio::test]
async fn mismatch_names_existing_value() {
    let store = store();
    let name = name("mismatch");
    let collection = store.stored_collection(&name, definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let cases = [
        (
            RecordDefinition::new("id").with_vector(VectorField::new("embedding", 3)),
            "the definition of `embedding` is 3 dimensions, Cosine; expected 2 dimensions, Cosine",
        ),
        (
            RecordDefinition::new("id")
                .with_vector(VectorField::new("embedding", 2).with_distance(Distance::Euclidean)),
            "the definition of `embedding` is 2 dimensions, Euclid; expected 2 dimensions, Cosine",
        ),
        (
            RecordDefinition::new("id").with_vector(VectorField::new("other", 2)),
            "the definition of `other` is 2 dimensions, Cosine; expected `embedding`",
        ),
        (
            definition().with_key_kind(KeyKind::Integer),
            "the definition of `key` is {\"kind\":\"integer\",\"name\":\"id\"}; \
             expected {\"kind\":\"string\",\"name\":\"id\"}",
        ),
    ];
    for (other, expected) in cases {
        let other = store.stored_collection(&name, other).unwrap();
        let error = other.ensure_exists().await.unwrap_err();
        assert!(error.message().starts_with(expected), "{error}");
    }
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn changed_parameter_names_existing_value() {
    let store = store();
    let name = name("parameters");
    let spread = Distribution { replication_factor: Some(1), ..Distribution::default() };
    let made = definition().with_distribution(spread);
    let collection = store.stored_collection(&name, made).unwrap();
    collection.ensure_exists().await.unwrap();
    collection.ensure_exists().await.unwrap();
    let vector = || VectorField::new("embedding", 2);
    let graph =
        || vector().with_index(HnswParameters { connections: 8, ..HnswParameters::default() });
    let with = |vector| {
        let definition =
            RecordDefinition::new("id").with_data(DataField::string("lang").filterable());
        definition.with_vector(vector)
    };
    let copies = Distribution { replication_factor: Some(2), ..Distribution::default() };
    let cases = [
        (
            with(
                vector().with_index(HnswParameters { connections: 9, ..HnswParameters::default() }),
            ),
            "the definition of `embedding.index` is a graph of 9 connections from 200 candidates; expected a graph of 8",
        ),
        (
            with(graph().with_quantization(Quantization::Binary)),
            "the definition of `embedding.quantization` is binary; expected scalar",
        ),
        (
            with(graph()).with_distribution(copies),
            "the definition of `distribution.replication_factor` is 2; expected 1",
        ),
    ];
    for (other, expected) in cases {
        let other = store.stored_collection(&name, other).unwrap();
        let error = other.ensure_exists().await.unwrap_err();
        assert!(error.message().starts_with(expected), "{error}");
    }
    // Settings that the definition leaves to the server match any value.
    for other in [graph(), vector()] {
        store.stored_collection(&name, with(other)).unwrap().ensure_exists().await.unwrap();
    }
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn new_filterable_field_gets_its_index() {
    let store = store();
    let name = name("index");
    let first = store.stored_collection(&name, definition()).unwrap();
    first.ensure_exists().await.unwrap();
    let wider = definition().with_data(DataField::integer("year").filterable());
    store.stored_collection(&name, wider).unwrap().ensure_exists().await.unwrap();
    let client = store.client().unwrap();
    let info = client.collection_info(&name).await.unwrap().result.unwrap();
    let mut indexed: Vec<&str> = info.payload_schema.keys().map(String::as_str).collect();
    indexed.sort_unstable();
    assert_eq!(indexed, ["_textsearch.odd", "lang", "year"]);
    first.delete_collection().await.unwrap();
}

#[tokio::test]
async fn creates_collection_as_defined() {
    let store = store();
    let name = name("made");
    let collection = store.stored_collection(&name, definition()).unwrap();
    collection.ensure_exists().await.unwrap();
    let client = store.client().unwrap();
    let info = client.collection_info(&name).await.unwrap().result.unwrap();
    let params = info.config.unwrap().params.unwrap().vectors_config.unwrap().config.unwrap();
    let vectors_config::Config::ParamsMap(mut params) = params else { panic!("{params:?}") };
    let params = params.map.remove("embedding").unwrap();
    assert_eq!(params.hnsw_config.unwrap().m, Some(8));
    let packed = params.quantization_config.unwrap().quantization.unwrap();
    assert!(matches!(packed, quantization_config::Quantization::Scalar(_)), "{packed:?}");
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn reads_points_of_other_programs() {
    let store = store();
    let name = name("foreign");
    let definition = definition().with_key_kind(KeyKind::Integer);
    let collection = store.stored_collection(&name, definition).unwrap();
    collection.ensure_exists().await.unwrap();
    let payload = Payload::try_from(json!({ "lang": "en" })).unwrap();
    let vectors = std::collections::HashMap::from([("embedding".to_owned(), vec![1.0, 0.0])]);
    let points = vec![PointStruct::new(7, vectors, payload)];
    let client = store.client().unwrap();
    client.upsert_points(UpsertPointsBuilder::new(&name, points).wait(true)).await.unwrap();

    let records =
        collection.get(&[7.into()], &GetOptions::default().with_vectors(true)).await.unwrap();
    assert_eq!(records[0].data, json!({ "id": 7, "lang": "en" }).as_object().cloned().unwrap());
    assert_eq!(records[0].vectors["embedding"].as_ref(), [1.0, 0.0]);
    let filter = Filter::eq("lang", "en").and(Filter::eq("id", 7));
    let scanned = collection.scan(&ScanOptions::default().with_filter(filter)).await.unwrap();
    assert_eq!(scanned.into_vec().await.unwrap().len(), 1);
    collection.delete_collection().await.unwrap();
}

fn record(definition: &RecordDefinition, data: serde_json::Value) -> StoredRecord {
    let record = StoredRecord::new(data.as_object().cloned().unwrap(), definition).unwrap();
    record.with_vector("embedding", [1.0, 0.0])
}

#[tokio::test]
async fn rejects_other_filterable_fields_than_stored() {
    let store = store();
    let name = name("filterable");
    let first = store.stored_collection(&name, definition()).unwrap();
    first.ensure_exists().await.unwrap();
    let wider = definition().with_data(DataField::integer("year").filterable());
    let second = store.stored_collection(&name, wider.clone()).unwrap();
    second.ensure_exists().await.unwrap();
    second.upsert(vec![record(&wider, json!({ "id": "a", "year": 7 }))]).await.unwrap();

    second.ensure_exists().await.unwrap();
    let error = first.ensure_exists().await.unwrap_err();
    assert!(error.message().contains("`year` is not filterable"), "{error}");
    let widest = wider.with_data(DataField::string("author").filterable());
    let widest = store.stored_collection(&name, widest).unwrap();
    let error = widest.ensure_exists().await.unwrap_err();
    assert!(error.message().contains("`author` is filterable as string"), "{error}");
    first.delete_collection().await.unwrap();
}

#[tokio::test]
async fn rejects_definition_that_would_lose_stored_data() {
    let store = store();
    let name = name("narrower");
    let text = || DataField::string("text");
    let wide = definition().with_data(text().full_text_in("en"));
    let wide = wide.with_vector(VectorField::new("picture", 3));
    let first = store.stored_collection(&name, wide.clone()).unwrap();
    first.ensure_exists().await.unwrap();
    let both = record(&wide, json!({ "id": "a", "lang": "en", "text": "a text" }));
    first.upsert(vec![both.with_vector("picture", [1.0, 0.0, 0.0])]).await.unwrap();
    first.ensure_exists().await.unwrap();

    let refused = async |narrower: RecordDefinition| {
        let narrower = store.stored_collection(&name, narrower).unwrap();
        narrower.ensure_exists().await.unwrap_err().to_string()
    };
    let error = refused(definition().with_data(text().full_text_in("en"))).await;
    assert!(error.contains("the definition of `picture` is missing; expected a vector"), "{error}");
    let without_words = definition().with_data(text());
    let error = refused(without_words.with_vector(VectorField::new("picture", 3))).await;
    assert!(error.contains("the definition of `text` is a field without full text"), "{error}");
    first.delete_collection().await.unwrap();
}

#[tokio::test]
async fn integer_ranges_respect_fractions_of_bounds() {
    let store = store();
    let name = name("fractions");
    let definition = definition().with_data(DataField::integer("year").filterable());
    let collection = store.stored_collection(&name, definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let years =
        (-3..4).map(|year| record(&definition, json!({ "id": year.to_string(), "year": year })));
    collection.upsert(years.collect()).await.unwrap();
    let count = async |filter: Filter| {
        let scanned = collection.scan(&ScanOptions::default().with_filter(filter)).await.unwrap();
        scanned.into_vec().await.unwrap().len()
    };
    assert_eq!(count(Filter::lt("year", 1.5)).await, 5);
    assert_eq!(count(Filter::gt("year", 1.5)).await, 2);
    assert_eq!(count(Filter::le("year", -1.5)).await, 2);
    assert_eq!(count(Filter::ge("year", -1.5)).await, 5);
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn rejects_substrings_on_foreign_text_index() {
    let store = store();
    let name = name("words");
    let definition = definition();
    let plain = RecordDefinition::new("id").with_vector(definition.vectors[0].clone());
    let made = store.stored_collection(&name, plain).unwrap();
    made.ensure_exists().await.unwrap();
    made.upsert(vec![record(&definition, json!({ "id": "a", "lang": "en-GB" }))]).await.unwrap();
    let part = ScanOptions::default().with_filter(Filter::contains("lang", "n-G"));
    let collection = store.stored_collection(&name, definition).unwrap();
    let records = collection.scan(&part).await.unwrap().into_vec().await.unwrap();
    assert_eq!(records.len(), 1);

    let index = CreateFieldIndexCollectionBuilder::new(&name, "lang", FieldType::Text).wait(true);
    store.client().unwrap().create_field_index(index).await.unwrap();
    let refused = collection.scan(&part).await.unwrap_err();
    assert!(refused.message().contains("text index finds words"), "{refused}");
    made.delete_collection().await.unwrap();
}

#[tokio::test]
async fn a_scan_by_identifier_skips() {
    let store = store();
    let name = name("skip");
    let definition = definition().with_key_kind(KeyKind::Integer);
    let collection = store.stored_collection(&name, definition.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let records = (0..5).map(|number| record(&definition, json!({ "id": number })));
    collection.upsert(records.collect()).await.unwrap();
    let scanned = collection.scan(&ScanOptions::default().with_skip(3)).await.unwrap();
    let keys: Vec<_> =
        scanned.into_vec().await.unwrap().into_iter().map(|record| record.key).collect();
    assert_eq!(keys, [3.into(), 4.into()]);
    collection.delete_collection().await.unwrap();
}
