use qdrant_client::qdrant::{
    CollectionConfig, CollectionInfo, CollectionParams, Distance as ServerDistance, HnswConfigDiff,
    MultiVectorConfig, VectorParams, VectorParamsMap, VectorsConfig, vectors_config::Config,
};
use textsearch_conformance::core::{
    ErrorKind,
    vector::{
        IndexKind, KeyKind, RecordDefinition, VectorField, VectorSearchOptions, VectorStoreExt,
    },
};
use textsearch_qdrant::{QdrantStore, UNNAMED_VECTOR};

use crate::recorder::Listening;

fn params(size: u64) -> VectorParams {
    VectorParams { size, distance: ServerDistance::Cosine.into(), ..VectorParams::default() }
}

async fn described(vectors: Config) -> RecordDefinition {
    let server = Listening::start().await;
    let params = CollectionParams {
        vectors_config: Some(VectorsConfig { config: Some(vectors) }),
        ..CollectionParams::default()
    };
    let config = CollectionConfig { params: Some(params), ..CollectionConfig::default() };
    server.log.lock().unwrap().info =
        CollectionInfo { config: Some(config), ..CollectionInfo::default() };
    server.log.lock().unwrap().scrolled = Some(Vec::new());
    let store = QdrantStore::new(server.config()).unwrap();
    store.existing_definition("docs").await.unwrap()
}

#[tokio::test]
async fn graphs_are_described_and_vectors_of_several_parts_left_out() {
    let exact = HnswConfigDiff { m: Some(0), ..HnswConfigDiff::default() };
    let map = [
        ("default", params(2)),
        ("exact", VectorParams { hnsw_config: Some(exact), ..params(3) }),
        (
            "many",
            VectorParams { multivector_config: Some(MultiVectorConfig::default()), ..params(4) },
        ),
    ];
    let map = map.into_iter().map(|(name, params)| (name.to_owned(), params)).collect();
    let definition = described(Config::ParamsMap(VectorParamsMap { map })).await;
    assert_eq!(definition.key.kind, KeyKind::Uuid);
    let [default, exact] = definition.vectors.as_slice() else { panic!("{definition:?}") };
    let IndexKind::Hnsw(graph) = &default.index else { panic!("{default:?}") };
    assert_eq!((graph.connections, graph.ef_construction, graph.ef_search), (16, 100, 128));
    assert_eq!((exact.dimensions, &exact.index), (3, &IndexKind::Exact));
}

#[tokio::test]
async fn an_unnamed_vector_is_searched_without_a_name() {
    assert_eq!(described(Config::Params(params(2))).await.vectors[0].name, UNNAMED_VECTOR);
    let server = Listening::start().await;
    let store = QdrantStore::new(server.config()).unwrap();
    let definition = RecordDefinition::new("id")
        .with_key_kind(KeyKind::Integer)
        .with_vector(VectorField::new(UNNAMED_VECTOR, 2));
    let collection = store.dynamic_collection("docs", definition).unwrap();
    let options = VectorSearchOptions::top(1);
    collection.search(vec![1.0, 0.0], &options).await.unwrap();
    assert_eq!(server.log.lock().unwrap().queries[0].using, None);
}

#[tokio::test]
async fn a_name_that_the_server_rejects_is_not_sent() {
    let server = Listening::start().await;
    let store = QdrantStore::new(server.config()).unwrap();
    for name in ["", "a/b"] {
        let error = store.existing_definition(name).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    }
    assert_eq!(server.log.lock().unwrap().requests, 0);
}
