//! Requests that searches send, and how they read the responses.

use std::sync::Arc;

use qdrant_client::qdrant::{
    CollectionConfig, CollectionInfo, Condition, Filter as Conditions, PayloadSchemaInfo,
    PayloadSchemaType, with_payload_selector::SelectorOptions,
};
use serde_json::json;
use textsearch_qdrant::{
    ErrorKind, Filter, QdrantStore,
    vector::{
        Fusion, KeyKind, RecordDefinition, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorCollection, VectorField, VectorSearchOptions, VectorStore as _,
    },
};
use tonic::Status;

use crate::recorder::{Listening, collection, definition, point, retrieved};

fn input() -> SearchInput {
    vec![1.0, 0.0].into()
}

async fn keys(
    results: textsearch_conformance::core::SearchResults<Scored<StoredRecord>>,
) -> Vec<String> {
    let results = results.into_vec().await.unwrap();
    results.iter().map(|scored| scored.record.key.to_string()).collect()
}

#[tokio::test]
async fn ties_beyond_the_last_result_are_ordered_by_key() {
    let server = Listening::start().await;
    let ties = (0..20).rev().map(|number| point(&format!("{number:02}"), 0.5));
    server.log.lock().unwrap().points =
        std::iter::once(point("best", 0.9)).chain(ties).chain([point("worst", 0.1)]).collect();
    let docs = collection(server.config());
    let results = docs.search(&input(), &VectorSearchOptions::top(3)).await.unwrap();
    assert_eq!(keys(results).await, ["best", "00", "01"]);
    let next = docs.search(&input(), &VectorSearchOptions::top(2).with_skip(3)).await.unwrap();
    assert_eq!(keys(next).await, ["02", "03"]);
}

#[tokio::test]
async fn search_without_ties_is_one_request() {
    let server = Listening::start().await;
    server.log.lock().unwrap().points = (0..10_u8)
        .map(|number| point(&number.to_string(), 1.0 - f32::from(number) / 10.0))
        .collect();
    let docs = collection(server.config());
    let results = docs.search(&input(), &VectorSearchOptions::top(3)).await.unwrap();
    assert_eq!(keys(results).await, ["0", "1", "2"]);
    let log = server.log.lock().unwrap();
    assert_eq!((log.requests, log.queries[0].limit), (1, Some(4)));
    assert_eq!(log.queries[0].using.as_deref(), Some("embedding"));
}

#[tokio::test]
async fn search_batch_is_one_request() {
    let server = Listening::start().await;
    server.log.lock().unwrap().points = vec![point("a", 0.9), point("b", 0.5)];
    let docs = collection(server.config());
    let inputs = [input(), "words".into(), vec![0.0, 1.0].into()];
    let results = docs.search_batch(&inputs, &VectorSearchOptions::top(1)).await.unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(server.log.lock().unwrap().requests, 1);
}

#[tokio::test]
async fn text_query_without_full_text_names_missing_generator() {
    let server = Listening::start().await;
    let definition = RecordDefinition::new("id").with_vector(VectorField::new("embedding", 2));
    let store = QdrantStore::new(server.config()).unwrap();
    let docs = store.stored_collection("docs", definition).unwrap();
    let options = VectorSearchOptions::top(1);
    for error in [
        docs.search(&"words".into(), &options).await.unwrap_err(),
        docs.search_batch(&["words".into()], &options).await.unwrap_err(),
        docs.hybrid_search("words", None, &options).await.unwrap_err(),
    ] {
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
        assert!(error.message().contains("with_embedding_generator"), "{error}");
    }
    assert_eq!(server.log.lock().unwrap().requests, 0);
}

#[tokio::test]
async fn hybrid_search_requests_both_rankings_at_once() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    let options = VectorSearchOptions::top(5).with_fusion(Fusion::reciprocal_rank(60));
    docs.hybrid_search("some words", Some(Arc::from([1.0, 0.0])), &options).await.unwrap();
    let log = server.log.lock().unwrap();
    let asked: Vec<_> =
        log.queries.iter().map(|query| (query.using.as_deref(), query.limit)).collect();
    assert_eq!(asked, [(Some("embedding"), Some(1001)), (Some("_textsearch_terms"), Some(1001))]);
    assert_eq!(log.requests, 1);
}

#[tokio::test]
async fn response_with_too_few_rankings_is_undecodable() {
    let server = Listening::start().await;
    {
        let mut log = server.log.lock().unwrap();
        log.points = vec![point("a", 0.9)];
        log.max_rankings = Some(1);
    }
    let docs = collection(server.config());
    let inputs = [input(), "words".into()];
    let options = VectorSearchOptions::top(5);
    let errors = [
        docs.hybrid_search("some words", Some(Arc::from([1.0, 0.0])), &options).await.unwrap_err(),
        docs.search_batch(&inputs, &options).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(*error.kind(), ErrorKind::Undecodable, "{error}");
        assert!(error.message().contains("batch of 2 searches has the results of 1"), "{error}");
    }
}

#[tokio::test]
async fn hybrid_search_ranks_deeper_beyond_first_thousand() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    let options = VectorSearchOptions::top(100_000).with_skip(1_000);
    docs.hybrid_search("some words", Some(Arc::from([1.0, 0.0])), &options).await.unwrap();
    let log = server.log.lock().unwrap();
    let limits: Vec<_> = log.queries.iter().map(|query| query.limit).collect();
    assert_eq!((limits, log.requests), (vec![Some(10_001), Some(10_001)], 1));
}

#[tokio::test]
async fn rejects_hybrid_search_beyond_ten_thousand() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    for (skip, top) in [(10_000, 1), (usize::MAX, usize::MAX)] {
        let options = VectorSearchOptions::top(top).with_skip(skip);
        let vector = Some(Arc::from([1.0, 0.0]));
        let refused = docs.hybrid_search("some words", vector, &options).await.unwrap_err();
        let ErrorKind::InvalidOptions { option, .. } = refused.kind() else { panic!("{refused}") };
        assert_eq!(option, "skip");
        assert!(refused.message().contains("less than 10000 for a hybrid search"), "{refused}");
    }
    assert_eq!(server.log.lock().unwrap().requests, 0);
}

fn of_records(keys: &[&str], filter: &Conditions) -> Option<Conditions> {
    let ids = keys.iter().map(|key| point(key, 0.0).id.unwrap());
    Some(Conditions::must([Condition::from(filter.clone()), Condition::has_id(ids)]))
}

#[tokio::test]
async fn hybrid_search_drops_records_that_no_longer_match() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    let options = VectorSearchOptions::top(5).with_filter(Filter::eq("lang", "en"));
    {
        let mut log = server.log.lock().unwrap();
        log.points = vec![point("a", 0.9), point("b", 0.5)];
        // `a` has become German since it was ranked.
        log.scrolled = Some(vec![retrieved("b")]);
    }
    let vector = Some(Arc::from([1.0, 0.0]));
    let results = docs.hybrid_search("some words", vector, &options).await.unwrap();
    assert_eq!(keys(results).await, ["b"]);
    let log = server.log.lock().unwrap();
    let filter = log.queries[0].filter.as_ref().unwrap();
    assert_eq!(log.scrolls[0].filter, of_records(&["a", "b"], filter));
    assert_eq!(log.requests, 2);
}

#[tokio::test]
async fn scan_requests_records_with_its_filter() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    server.log.lock().unwrap().scrolled = Some(vec![retrieved("b"), retrieved("a")]);
    let scan = ScanOptions::default().with_filter(Filter::eq("lang", "en"));
    let records = docs.scan(&scan).await.unwrap().into_vec().await.unwrap();
    let keys: Vec<_> = records.iter().map(|record| record.key.to_string()).collect();
    assert_eq!(keys, ["a", "b"]);
    let log = server.log.lock().unwrap();
    let filter = log.scrolls[0].filter.as_ref().unwrap();
    assert_eq!(log.scrolls[1].filter, of_records(&["a", "b"], filter));
}

#[tokio::test]
async fn records_are_skipped_without_their_payloads() {
    let server = Listening::start().await;
    let store = QdrantStore::new(server.config()).unwrap();
    let definition = definition().with_key_kind(KeyKind::Integer);
    let docs = store.stored_collection("docs", definition).unwrap();
    docs.scan(&ScanOptions::default().with_skip(3)).await.unwrap();
    let log = server.log.lock().unwrap();
    let payload = log.scrolls[0].with_payload.clone().unwrap();
    assert_eq!(payload.selector_options, Some(SelectorOptions::Enable(false)));
}

#[tokio::test]
async fn rejects_text_order_in_foreign_collection() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    let ordered = Filter::lt("lang", "en");
    let options = VectorSearchOptions::top(1).with_filter(ordered.clone());
    let errors = [
        docs.search(&input(), &options).await.unwrap_err(),
        docs.full_text_search("words", &options).await.unwrap_err(),
        docs.delete_matching(&ordered).await.unwrap_err(),
        docs.scan(&ScanOptions::default().with_filter(ordered)).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error}");
        assert!(error.message().contains("another program"), "{error}");
    }
    let equal = VectorSearchOptions::top(1).with_filter(Filter::eq("lang", "en"));
    docs.search(&input(), &equal).await.unwrap();
    assert_eq!(server.log.lock().unwrap().queries.len(), 1);
}

#[tokio::test]
async fn rejects_substrings_where_server_finds_words() {
    let server = Listening::start().await;
    let docs = collection(server.config());
    let part = VectorSearchOptions::top(1).with_filter(Filter::contains("lang", "n"));
    docs.search(&input(), &part).await.unwrap();
    let mut index = PayloadSchemaInfo::default();
    index.set_data_type(PayloadSchemaType::Text);
    server.log.lock().unwrap().info.payload_schema.insert("lang".to_owned(), index);
    let error = docs.search(&input(), &part).await.unwrap_err();
    let ErrorKind::UnsupportedFilter { field, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(field, "lang");
    assert!(error.message().contains("finds words, not substrings"), "{error}");
    assert_eq!(server.log.lock().unwrap().queries.len(), 1);
}

fn made_with_lang() -> CollectionInfo {
    let known =
        json!({ "key": { "name": "id", "kind": "string" }, "filterable": { "lang": "string" } });
    let metadata = [("textsearch".to_owned(), known.into())].into();
    let config = CollectionConfig { metadata, ..CollectionConfig::default() };
    CollectionInfo { config: Some(config), ..CollectionInfo::default() }
}

async fn filtered_by_lang(server: &Listening) -> (Arc<dyn VectorCollection>, ScanOptions) {
    let docs = collection(server.config());
    let scan = ScanOptions::default().with_filter(Filter::lt("lang", "en"));
    server.log.lock().unwrap().info = made_with_lang();
    server.log.lock().unwrap().scrolled = Some(Vec::new());
    docs.scan(&scan).await.unwrap();
    (docs, scan)
}

#[tokio::test]
async fn recreated_collection_is_checked_again() {
    let server = Listening::start().await;
    let (docs, scan) = filtered_by_lang(&server).await;
    server.fail([Some(Status::not_found("Not found: Collection `docs` doesn't exist!"))]);
    docs.search(&input(), &VectorSearchOptions::top(1)).await.unwrap_err();
    // Another program has recreated it.
    server.log.lock().unwrap().info = CollectionInfo::default();
    let error = docs.scan(&scan).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error}");
}

#[tokio::test]
async fn ensure_exists_checks_collection_again() {
    let server = Listening::start().await;
    let (docs, scan) = filtered_by_lang(&server).await;
    server.log.lock().unwrap().info = CollectionInfo::default();
    // It doesn't match the definition.
    docs.ensure_exists().await.unwrap_err();
    let error = docs.scan(&scan).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error}");
}
