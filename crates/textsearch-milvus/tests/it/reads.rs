//! Scans and searches whose responses are wrong or too large.

use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use textsearch_milvus::{
    ErrorKind, MilvusStore,
    vector::{
        DataField, GetOptions, RecordDefinition, ScanOptions, VectorField, VectorSearchOptions,
        VectorStore as _,
    },
};
use tonic::Status;

use crate::scripted::{Listening, Outcome, collection};

#[derive(Clone, PartialEq, Message)]
struct Queried {
    #[prost(message, optional, tag = "1")]
    status: Option<Outcome>,
    #[prost(message, repeated, tag = "2")]
    columns: Vec<Column>,
}

#[derive(Clone, PartialEq, Message)]
struct Column {
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, optional, tag = "3")]
    scalars: Option<Scalars>,
}

/// The list of the kind that the column has.
#[derive(Clone, PartialEq, Message)]
struct Scalars {
    #[prost(message, optional, tag = "3")]
    longs: Option<Longs>,
    #[prost(message, optional, tag = "6")]
    texts: Option<Texts>,
    #[prost(message, optional, tag = "9")]
    json: Option<Texts>,
}

#[derive(Clone, PartialEq, Message)]
struct Longs {
    #[prost(int64, repeated, tag = "1")]
    data: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Texts {
    #[prost(string, repeated, tag = "1")]
    data: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct Searched {
    #[prost(message, optional, tag = "1")]
    status: Option<Outcome>,
    #[prost(message, optional, tag = "2")]
    results: Option<Results>,
}

#[derive(Clone, PartialEq, Message)]
struct Results {
    #[prost(int64, repeated, tag = "6")]
    counts: Vec<i64>,
}

/// Fields of `QueryRequest`.
#[derive(Clone, PartialEq, Message)]
struct Query {
    #[prost(string, tag = "4")]
    expression: String,
}

/// Fields of `SearchRequest`.
#[derive(Clone, PartialEq, Message)]
struct Search {
    #[prost(message, repeated, tag = "9")]
    parameters: Vec<Pair>,
    #[prost(int64, tag = "12")]
    searches: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

impl Search {
    /// A search for holders of words asks for as many as the server ranks.
    fn is_for_holders(&self) -> bool {
        self.parameters.iter().any(|pair| pair.key == "topk" && pair.value == "16384")
    }
}

fn queried(columns: impl IntoIterator<Item = (&'static str, Scalars)>) -> Result<Bytes, Status> {
    let column =
        |(name, scalars): (&str, _)| Column { name: name.to_owned(), scalars: Some(scalars) };
    let columns = columns.into_iter().map(column).collect();
    Ok(Queried { status: Some(Outcome::default()), columns }.encode_to_vec().into())
}

fn counted(count: i64) -> Result<Bytes, Status> {
    queried([(
        "count(*)",
        Scalars { longs: Some(Longs { data: vec![count] }), ..Scalars::default() },
    )])
}

#[tokio::test]
async fn repeated_pages_are_an_error() {
    let keys: Vec<String> = (0..1_000).map(|key| format!("{key:03}")).collect();
    let data = keys.iter().map(|key| format!(r#"{{"id":"{key}"}}"#)).collect();
    let keys = Scalars { texts: Some(Texts { data: keys }), ..Scalars::default() };
    let data = Scalars { json: Some(Texts { data }), ..Scalars::default() };
    let page = queried([("id", keys), ("textsearch_data", data)]);
    let server = Listening::start([page.clone(), page.clone(), page]);
    let config = server.config().with_timeout(Duration::from_secs(5)).with_max_attempts(1);
    let error = collection(config).scan(&ScanOptions::default()).await.err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Undecodable, "{error}");
    assert!(error.message().contains("don't follow the previous page"), "{error}");
    let expressions = server.bodies::<Query>("Query").into_iter().map(|query| query.expression);
    assert_eq!(expressions.collect::<Vec<_>>(), ["", r#"id > "999""#]);
}

#[tokio::test]
async fn long_keys_are_read_by_several_requests() {
    let page = || {
        let none = || Texts { data: Vec::new() };
        let keys = Scalars { texts: Some(none()), ..Scalars::default() };
        let data = Scalars { json: Some(none()), ..Scalars::default() };
        queried([("id", keys), ("textsearch_data", data)])
    };
    let server = Listening::start([page(), page(), page()]);
    let keys: Vec<_> = (0..40).map(|key| format!("{key:060000}").as_str().into()).collect();
    let records = collection(server.config()).get(&keys, &GetOptions::default()).await.unwrap();
    assert!(records.is_empty());
    let queries = server.bodies::<Query>("Query");
    let sizes: Vec<usize> = queries.iter().map(|query| query.expression.len()).collect();
    assert!(sizes.len() == 3 && sizes.iter().all(|size| *size <= 1 << 20), "{sizes:?}");
}

/// Searches for three words, on a server that refuses to find holders of more than `max` terms at
/// once. Returns how many terms each request has.
async fn terms_of_requests(max: i64) -> (Vec<i64>, Listening) {
    let server = Listening::start_with(move |request| {
        if request.method == "Query" {
            return Some(counted(9));
        }
        let search = Search::decode(request.body.clone()).unwrap();
        if search.is_for_holders() && search.searches > max {
            return Some(Err(Status::resource_exhausted("message larger than max")));
        }
        let counts = vec![0; usize::try_from(search.searches).unwrap()];
        let results = Some(Results { counts });
        Some(Ok(Searched { status: Some(Outcome::default()), results }.encode_to_vec().into()))
    });
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text())
        .with_vector(VectorField::new("embedding", 2));
    let store = MilvusStore::new(server.config()).unwrap();
    let docs = store.stored_collection("docs", definition).unwrap();
    let results =
        docs.full_text_search("red green blue", &VectorSearchOptions::top(3)).await.unwrap();
    assert!(results.into_vec().await.unwrap().is_empty());
    let searches = server.bodies::<Search>("Search").into_iter();
    let searches = searches.filter(Search::is_for_holders).map(|search| search.searches);
    (searches.collect(), server)
}

#[tokio::test]
async fn holders_of_fewer_words_are_requested_if_too_many() {
    let (requests, server) = terms_of_requests(2).await;
    assert_eq!(requests, [4, 2, 2]);
    assert_eq!(server.bodies::<Query>("Query").len(), 1, "the number of all records");
}

#[tokio::test]
async fn a_word_with_too_many_holders_is_counted() {
    let (requests, server) = terms_of_requests(0).await;
    assert_eq!(requests, [4, 2, 1, 1, 1, 1]);
    let queries = server.bodies::<Query>("Query");
    let of_terms = |query: &&Query| query.expression.starts_with("array_contains(");
    assert_eq!(queries.iter().filter(of_terms).count(), 3);
    assert!(queries.iter().any(|query| query.expression.starts_with("array_length(")));
}
