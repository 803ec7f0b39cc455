//! Metadata of requests, retries and failures.

use std::time::Duration;

use prost::Message;
use textsearch_milvus::{
    ConsistencyLevel, ErrorKind, MilvusConfig, MilvusStore,
    vector::{
        DataField, Distance, GetOptions, RecordDefinition, SearchInput, VectorField,
        VectorSearchOptions, VectorStore as _,
    },
};
use tonic::Status;

use crate::scripted::{Listening, Outcome, collection, done, failed, succeeded};

/// Fields of `QueryRequest`.
#[derive(Clone, PartialEq, Message)]
struct Query {
    #[prost(string, tag = "2")]
    database: String,
    #[prost(string, tag = "4")]
    expression: String,
    #[prost(uint64, tag = "8")]
    guarantee: u64,
    #[prost(int32, tag = "11")]
    level: i32,
}

/// Fields of `DescribeCollectionResponse`.
#[derive(Clone, PartialEq, Message)]
struct Described {
    #[prost(message, optional, tag = "1")]
    status: Option<Outcome>,
    #[prost(message, repeated, tag = "13")]
    properties: Vec<Property>,
}

/// `KeyValuePair`.
#[derive(Clone, PartialEq, Message)]
struct Property {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

const TOKEN: &str = "root:sesame";

#[tokio::test]
async fn words_of_another_analysis_are_refused() {
    let definition = RecordDefinition::new("id").with_data(DataField::string("text").full_text());
    let written = serde_json::to_string(&definition).unwrap();
    for analyzer in [Some("old"), None] {
        let definition_too = [("textsearch.definition", written.as_str())].into_iter();
        let properties = definition_too.chain(analyzer.map(|value| ("textsearch.analyzer", value)));
        let property =
            |(key, value): (&str, &str)| Property { key: key.to_owned(), value: value.to_owned() };
        let described = Described {
            status: Some(Outcome::default()),
            properties: properties.map(property).collect(),
        };
        let server = Listening::start([Ok(described.encode_to_vec().into())]);
        let store = MilvusStore::new(server.config()).unwrap();
        let docs = store.stored_collection("docs", definition.clone()).unwrap();
        let error = docs.ensure_exists().await.unwrap_err();
        let expected =
            format!("the collection's words have version {}", analyzer.unwrap_or("none"));
        assert!(error.message().contains(&expected), "{error}");
        assert_eq!(server.methods(), ["DescribeCollection"]);
    }
}

#[tokio::test]
async fn token_is_sent_and_never_shown() {
    let server = Listening::start([Err(Status::unauthenticated(format!("no {TOKEN}")))]);
    let docs = collection(server.config().with_token(TOKEN));
    let error = docs.exists().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Authentication);
    assert!(!format!("{error} {error:?}").contains("sesame"), "{error:?}");
    let request = server.last();
    assert_eq!(request.method, "HasCollection");
    assert_eq!(request.metadata.get("authorization").unwrap(), "cm9vdDpzZXNhbWU=");
}

#[tokio::test]
async fn reads_send_database_and_consistency() {
    let server = Listening::start([failed(1100, false)]);
    let config = server.config().with_database("other");
    let docs = collection(config.with_consistency_level(ConsistencyLevel::Bounded));
    let error = docs.get(&["a\" or id != \"".into()], &GetOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "milvus: Query failed: the reason of 1100 (code 1100)");
    let request = server.last();
    assert_eq!(request.metadata.get("dbname").unwrap(), "other");
    let query = Query::decode(request.body).unwrap();
    let expression = r#"id in ["a\" or id != \""]"#.to_owned();
    let expected = Query { database: "other".to_owned(), expression, guarantee: 2, level: 2 };
    assert_eq!(query, expected);
}

#[tokio::test]
async fn transient_failures_are_retried() {
    let server =
        Listening::start([failed(2, true), Err(Status::unavailable("restarting")), succeeded(1)]);
    assert!(collection(server.config()).exists().await.unwrap());
    assert_eq!(server.methods().len(), 3);
}

#[tokio::test]
async fn permanent_failures_are_not_retried() {
    for (code, kind) in [(9, ErrorKind::QuotaExceeded), (1401, ErrorKind::Authentication)] {
        let server = Listening::start([failed(code, false)]);
        let error = collection(server.config()).exists().await.unwrap_err();
        assert_eq!(*error.kind(), kind);
    }
}

#[tokio::test]
async fn attempts_are_limited() {
    let server = Listening::start([failed(2, true), failed(2, true), succeeded(1)]);
    let error = collection(server.config().with_max_attempts(2)).exists().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
    assert_eq!(server.methods().len(), 2);
}

#[tokio::test]
async fn a_silent_server_is_a_timeout() {
    let server = Listening::start([]);
    let config = server.config().with_timeout(Duration::from_millis(50)).with_max_attempts(1);
    let error = collection(config).exists().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Timeout);
    assert!(error.message().contains("no response within 50ms"), "{error}");
}

#[tokio::test]
async fn an_unreachable_server_is_unavailable() {
    let config = MilvusConfig::new("http://127.0.0.1:1").with_max_attempts(1);
    let error = collection(config).exists().await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().to_lowercase().contains("connection refused"), "{error}");
}

#[tokio::test]
async fn a_collection_is_loaded_before_it_is_read() {
    let loading = 2;
    let server = Listening::start([
        failed(101, false),
        done(),
        succeeded(loading),
        succeeded(3),
        failed(100, false),
    ]);
    let docs = collection(server.config());
    let error = docs.get(&["a".into()], &GetOptions::default()).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::collection_not_found("docs"));
    let expected = ["Query", "LoadCollection", "GetLoadState", "GetLoadState", "Query"];
    assert_eq!(server.methods(), expected);
}

#[tokio::test]
async fn a_load_that_never_ends_is_a_timeout() {
    let answers = [failed(101, false), done()].into_iter();
    let server = Listening::start(answers.chain((0..99).map(|_| succeeded(2))));
    let docs = collection(server.config().with_load_timeout(Duration::from_millis(50)));
    let error = docs.get(&["a".into()], &GetOptions::default()).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Timeout);
    assert!(error.message().contains("load_timeout"), "{error}");
}

#[tokio::test]
async fn collections_of_other_programs_are_never_dropped() {
    let server = Listening::start([succeeded(0), succeeded(0)]);
    let docs = collection(server.config());
    for refused in [docs.ensure_exists().await, docs.delete_collection().await] {
        let error = refused.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert!(error.message().contains("another program"), "{error}");
    }
    assert_eq!(server.methods(), ["DescribeCollection", "DescribeCollection"]);
}

#[tokio::test]
async fn requests_that_cannot_succeed_are_not_sent() {
    let server = Listening::start([]);
    let docs = collection(server.config());
    let search = async |vector: Vec<f32>, options: VectorSearchOptions| {
        docs.search(&SearchInput::from(vector), &options).await.unwrap_err()
    };
    let options = VectorSearchOptions::top(1);
    for error in [
        search(vec![1.0], options.clone()).await,
        search(vec![0.0, 0.0], options.clone()).await,
        search(vec![1.0, 0.0], options.clone().with_vector_field("other")).await,
        search(vec![1.0, 0.0], options.with_score_threshold(f64::NAN)).await,
    ] {
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    }
    let store = MilvusStore::new(server.config()).unwrap();
    let field = VectorField::new("embedding", 2).with_distance(Distance::Manhattan);
    let refused = store.stored_collection("docs", RecordDefinition::new("id").with_vector(field));
    assert!(refused.err().unwrap().message().contains("Manhattan"));
    assert_eq!(server.methods(), [] as [String; 0]);
}
