//! Handles with another definition than the collection's.

use serde_json::{Value, json};
use textsearch_chroma::{
    ErrorKind, Filter,
    vector::{
        DataField, Distance, GetOptions, IndexKind, RecordDefinition, ScanOptions, SearchInput,
        StoredRecord, VectorField, VectorSearchOptions,
    },
};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};

use crate::server::{
    chroma_of, config, definition, fault, notes, notes_of, ranked_response, record,
};

/// The collection of [`definition`] holds records of two tenants without metadata of the tenant.
fn by_tenant() -> RecordDefinition {
    definition().with_data(DataField::string("tenant").filterable())
}

fn document(key: &str) -> String {
    let tenant = if key == "x" { "a" } else { "b" };
    json!({ "id": key, "year": 1, "tenant": tenant }).to_string()
}

/// Answers as Chroma does without metadata: `$ne` selects every record, `$eq` none.
fn tenants(request: &RecordedRequest) -> Action {
    let body = request.json();
    let is_equal = body["where"]["tenant"]["$eq"].is_string();
    let ids: Vec<String> = match body["ids"].as_array() {
        Some(ids) => ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect(),
        None if is_equal => Vec::new(),
        None => vec!["x".to_owned(), "y".to_owned()],
    };
    let documents: Vec<String> = ids.iter().map(|id| document(id)).collect();
    Action::Answer(Response::json(&json!({ "ids": ids, "documents": documents })))
}

fn bodies(server: &Server, action: &str) -> Vec<Value> {
    let requests = server.requests();
    let requests = requests.iter().filter(|request| request.path.ends_with(action));
    requests.map(RecordedRequest::json).collect()
}

#[tokio::test]
async fn a_deletion_spares_records_without_metadata_that_do_not_match() {
    let server = chroma_of(|_| definition(), |request, _| tenants(request)).await;
    let notes = notes_of(config(&server), by_tenant());
    notes.delete_matching(&Filter::ne("tenant", "a")).await.unwrap();
    assert_eq!(bodies(&server, "/delete"), [json!({ "ids": ["y"] })]);
}

#[tokio::test]
async fn a_scan_finds_records_without_metadata() {
    let server = chroma_of(|_| definition(), |request, _| tenants(request)).await;
    let options = ScanOptions::default().with_filter(Filter::eq("tenant", "a"));
    let results = notes_of(config(&server), by_tenant()).scan(&options).await.unwrap();
    let keys: Vec<String> =
        results.into_vec().await.unwrap().iter().map(|record| record.key.to_string()).collect();
    assert_eq!(keys, ["x"]);
}

#[tokio::test]
async fn a_search_sends_no_filter_on_fields_without_metadata() {
    let server = chroma_of(
        |_| definition(),
        |request, _| {
            if request.path.ends_with("/query") {
                ranked_response(&[("a", 0.1), ("b", 0.2)])
            } else {
                Action::Answer(Response::json(&2))
            }
        },
    )
    .await;
    let options = VectorSearchOptions::top(1).with_filter(Filter::ne("tenant", "a"));
    let input = SearchInput::from(vec![1.0, 0.0]);
    let results = notes_of(config(&server), by_tenant()).search(&input, &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap().len(), 1);
    let queries = bodies(&server, "/query");
    assert!(!queries.is_empty() && queries.iter().all(|query| query["where"].is_null()));
}

#[tokio::test]
async fn a_search_by_another_distance_is_refused() {
    let server = chroma_of(|_| definition(), |_, _| ranked_response(&[("a", 0.1)])).await;
    let field = VectorField::new("embedding", 2).with_index(IndexKind::hnsw());
    let euclidean = field.with_distance(Distance::Euclidean);
    let notes = notes_of(config(&server), RecordDefinition::new("id").with_vector(euclidean));
    let input = SearchInput::from(vec![1.0, 0.0]);
    let error = notes.search(&input, &VectorSearchOptions::top(1)).await.err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
    assert!(error.message().contains("Euclidean"), "{error}");
    assert!(bodies(&server, "/query").is_empty());
}

#[tokio::test]
async fn an_upsert_with_other_metadata_is_refused() {
    for (stored, opened) in [(definition(), by_tenant()), (by_tenant(), definition())] {
        let server = chroma_of(move |_| stored.clone(), |request, _| tenants(request)).await;
        let notes = notes_of(config(&server), opened);
        let error = notes.upsert(["a", "b", "c"].map(record).into()).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
        let message = error.message();
        assert!(
            message.contains("tenant") && message.contains("as in the collection"),
            "{message}"
        );
        assert!(!message.contains("interrupted"), "{message}");
        assert!(bodies(&server, "/upsert").is_empty());
    }
}

/// A new collection of Chroma takes the number of dimensions from the first record.
#[tokio::test]
async fn an_upsert_without_the_collections_vector_is_refused() {
    let server = chroma_of(|_| definition(), |request, _| tenants(request)).await;
    let opened = RecordDefinition::new("id").with_data(DataField::integer("year").filterable());
    let data = json!({ "id": "a" }).as_object().cloned().unwrap();
    let record = StoredRecord::new(data, &opened).unwrap();
    let error = notes_of(config(&server), opened).upsert(vec![record]).await.unwrap_err();
    assert!(error.message().contains("embedding"), "{error}");
    assert!(bodies(&server, "/upsert").is_empty());
}

#[tokio::test]
async fn a_handle_that_knows_the_key_alone_reads() {
    let server = chroma_of(|_| by_tenant(), |request, _| tenants(request)).await;
    let notes = notes_of(config(&server), RecordDefinition::new("id"));
    let scanned = notes.scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    assert_eq!(scanned.len(), 2);
    let read = notes.get(&["y".into()], &GetOptions::default()).await.unwrap();
    assert_eq!(read[0].data["tenant"], json!("b"));
}

/// The collection is made again between the choice of the condition and the request.
#[tokio::test]
async fn a_collection_made_again_without_the_metadata_loses_nothing() {
    let server = chroma_of(
        |lookup| if lookup == 0 { by_tenant() } else { definition() },
        |request, before| match before {
            0 => fault(404, "NotFoundError", "Collection [6f1c] does not exist."),
            _ => tenants(request),
        },
    )
    .await;
    let notes = notes_of(config(&server), by_tenant());
    let filter = Filter::ne("tenant", "a");
    let error = notes.delete_matching(&filter).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
    notes.delete_matching(&filter).await.unwrap();
    assert_eq!(bodies(&server, "/delete"), [json!({ "ids": ["y"] })]);
}

#[tokio::test]
async fn the_server_filters_if_the_definitions_agree() {
    let server = chroma_of(|_| definition(), |request, _| tenants(request)).await;
    notes(config(&server)).delete_matching(&Filter::eq("year", 1)).await.unwrap();
    let condition = json!({ "year": { "$eq": 1 } });
    assert_eq!(bodies(&server, "/delete"), [json!({ "ids": ["x", "y"], "where": condition })]);
}
