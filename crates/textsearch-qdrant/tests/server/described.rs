//! Collections of other programs, searched by what the server says of them.

use qdrant_client::{
    Payload,
    qdrant::{
        CreateCollectionBuilder, Distance as ServerDistance, PointStruct, UpsertPointsBuilder,
        Vector, VectorParamsBuilder, VectorsConfigBuilder,
    },
};
use serde_json::{Value, json};
use textsearch_conformance::core::{
    ErrorKind, Filter,
    vector::{
        Collection, DataField, Distance, GetOptions, KeyKind, RecordDefinition, StoredRecord,
        VectorField, VectorSearchOptions, VectorStoreExt,
    },
};
use textsearch_qdrant::{QdrantStore, UNNAMED_VECTOR};

use crate::store;

fn name(case: &str) -> String {
    format!("described-{case}-{}", std::process::id())
}

/// Opens the client's connection.
async fn connected() -> QdrantStore {
    let store = store();
    textsearch_conformance::core::vector::VectorStore::collection_names(&store).await.unwrap();
    store
}

fn payload(json: Value) -> Payload {
    Payload::try_from(json).unwrap()
}

async fn write(store: &QdrantStore, name: &str, points: Vec<PointStruct>) {
    let client = store.client().unwrap();
    client.upsert_points(UpsertPointsBuilder::new(name, points).wait(true)).await.unwrap();
}

async fn titles(collection: &Collection, vector: [f32; 2], filter: Option<Filter>) -> Vec<Value> {
    let mut options = VectorSearchOptions::top(5);
    options.filter = filter;
    let records = collection.search(vector.to_vec(), &options).await.unwrap().into_vec().await;
    records.unwrap().into_iter().map(|scored| scored.record.data["title"].clone()).collect()
}

#[tokio::test]
async fn a_collection_with_an_unnamed_vector_is_searched() {
    let store = connected().await;
    let name = name("unnamed");
    let vector = VectorParamsBuilder::new(2, ServerDistance::Euclid);
    let create = CreateCollectionBuilder::new(&name).vectors_config(vector);
    store.client().unwrap().create_collection(create).await.unwrap();
    let uuid = |last: u32| format!("67e55044-10b1-426f-9247-bb680e5fe0c{last}");
    let point = |last, vector: [f32; 2], title: &str| {
        PointStruct::new(uuid(last), vector.to_vec(), payload(json!({ "title": title })))
    };
    let points = vec![point(1, [0.0, 1.0], "north"), point(2, [1.0, 0.0], "east")];
    write(&store, &name, points).await;

    let definition = store.existing_definition(&name).await.unwrap();
    assert_eq!(definition.key.kind, KeyKind::Uuid);
    let [VectorField { name: field, dimensions: 2, distance: Distance::Euclidean, .. }] =
        definition.vectors.as_slice()
    else {
        panic!("{definition:?}")
    };
    assert_eq!(field, UNNAMED_VECTOR);
    let definition = definition.with_data(DataField::string("title").filterable());
    let collection = store.dynamic_collection(&name, definition).unwrap();
    assert_eq!(titles(&collection, [0.9, 0.1], None).await, ["east", "north"]);
    let filter = Filter::eq("title", "north");
    assert_eq!(titles(&collection, [0.9, 0.1], Some(filter)).await, ["north"]);
    let counted = VectorSearchOptions::top(1).with_total_count(true);
    let counted = collection.search(vec![0.0, 1.0], &counted).await.unwrap();
    assert_eq!(counted.total_count().map(|count| count.value()), Some(2));
    let with_vectors = GetOptions::default().with_vectors(true);
    let got = collection.get(&[uuid(1).into()], &with_vectors).await.unwrap();
    assert_eq!(got[0].vectors[UNNAMED_VECTOR].as_ref(), [0.0, 1.0]);

    let data = json!({ "id": uuid(3), "title": "south" });
    let data = data.as_object().cloned().unwrap();
    let record = StoredRecord::new(data, collection.definition()).unwrap();
    collection.upsert(vec![record.with_vector(UNNAMED_VECTOR, [0.0, -1.0])]).await.unwrap();
    assert_eq!(titles(&collection, [0.0, -1.0], None).await[0], "south");
    collection.ensure_exists().await.unwrap();
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn named_vectors_and_integer_keys_are_described() {
    let store = connected().await;
    let name = name("named");
    let mut vectors = VectorsConfigBuilder::default();
    vectors.add_named_vector_params("text", VectorParamsBuilder::new(2, ServerDistance::Dot));
    vectors.add_named_vector_params("image", VectorParamsBuilder::new(3, ServerDistance::Cosine));
    let create = CreateCollectionBuilder::new(&name).vectors_config(vectors);
    store.client().unwrap().create_collection(create).await.unwrap();
    let vector =
        std::collections::HashMap::from([("text".to_owned(), Vector::from(vec![1.0, 0.0]))]);
    let data = payload(json!({ "title": "east", "meta": { "page": 3 } }));
    write(&store, &name, vec![PointStruct::new(7, vector, data)]).await;

    let definition = store.existing_definition(&name).await.unwrap();
    assert_eq!((definition.key.name.as_str(), definition.key.kind), ("id", KeyKind::Integer));
    let vectors = definition.vectors.iter();
    let vectors = vectors.map(|field| (field.name.as_str(), field.dimensions, field.distance));
    let expected = [("image", 3, Distance::CosineSimilarity), ("text", 2, Distance::DotProduct)];
    assert_eq!(vectors.collect::<Vec<_>>(), expected);
    let definition = definition.with_data(DataField::string("meta.page"));
    let collection = store.dynamic_collection(&name, definition).unwrap();
    let options = VectorSearchOptions::top(1).with_vector_field("text");
    let results =
        collection.search(vec![2.0, 0.0], &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!((results[0].score, results[0].record.key.to_string()), (2.0, "7".to_owned()));
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn a_collection_of_this_crate_is_described_as_defined() {
    let store = store();
    let name = name("ours");
    let full_text = DataField::string("text").full_text_in("en").with_mean_length(20.0);
    let made = RecordDefinition::new("key")
        .with_data(DataField::integer("year").filterable())
        .with_data(DataField::string("lang").filterable().without_text_order())
        .with_data(full_text.with_weight(2.0))
        .with_vector(VectorField::new("v", 2).with_distance(Distance::CosineDistance));
    let collection = store.dynamic_collection(&name, made.clone()).unwrap();
    collection.ensure_exists().await.unwrap();
    let mut described = store.existing_definition(&name).await.unwrap();
    described.data.sort_by_key(|field| made.data.iter().position(|other| other.name == field.name));
    assert_eq!(described, made);
    store.dynamic_collection(&name, described).unwrap().ensure_exists().await.unwrap();
    collection.delete_collection().await.unwrap();
}

#[tokio::test]
async fn a_missing_collection_is_not_described() {
    let error = store().existing_definition("described-nowhere").await.unwrap_err();
    let expected = ErrorKind::collection_not_found("described-nowhere");
    assert_eq!(*error.kind(), expected);
}
