//! The retrieval-plugin interface.

use serde_json::{Value, json};
use textsearch_server::{AccessToken, Right, Server, ServerConfig, Services};

use crate::support::{ACME, ADMIN, GLOBEX, TestServer, searched_writer, start, writer, writers};

async fn server() -> TestServer {
    start(Services::new().with_document_writer(writer().await), writers()).await
}

async fn chunks_of(server: &TestServer, query: &str, filter: Value) -> Vec<Value> {
    let query = json!({ "query": query, "filter": filter, "top_k": 20 });
    let answer = server.post("/query", json!({ "queries": [query] })).await.ok();
    answer["results"][0]["results"].as_array().unwrap().clone()
}

async fn texts(server: &TestServer, query: &str) -> Vec<String> {
    let chunks = chunks_of(server, query, Value::Null).await;
    let mut texts: Vec<_> =
        chunks.iter().map(|chunk| chunk["text"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

async fn store(server: &TestServer, id: &str, text: &str) {
    let document = json!({ "id": id, "text": text });
    let stored = server.post("/upsert", json!({ "documents": [document] })).await.ok();
    assert_eq!(stored, json!({ "ids": [id] }));
}

#[tokio::test]
async fn documents_make_a_round_trip() {
    let server = server().await.with_token(ACME);
    let metadata = json!({
        "source": "file", "source_id": "f1", "url": "https://acme.example/plan",
        "created_at": "2026-01-02T03:04:05Z", "author": "Ann",
    });
    let document = json!({ "id": "plan", "text": "Acme sells anvils.", "metadata": metadata });
    let stored = server.post("/upsert", json!({ "documents": [document] })).await.ok();
    assert_eq!(stored, json!({ "ids": ["plan"] }));

    let chunks = chunks_of(&server, "anvils", Value::Null).await;
    let chunk = &chunks[0];
    assert_eq!(chunk["id"], "plan#0");
    assert_eq!(chunk["text"], "Acme sells anvils.");
    assert!(chunk["score"].as_f64() > Some(0.0) && chunk["embedding"].is_null(), "{chunk}");
    let mut expected = metadata.clone();
    expected["document_id"] = json!("plan");
    expected["tenant"] = json!("acme");
    assert_eq!(chunk["metadata"], expected);

    let deleted = server.delete("/delete", json!({ "ids": ["plan"] })).await.ok();
    assert_eq!(deleted, json!({ "success": true }));
    assert!(chunks_of(&server, "anvils", Value::Null).await.is_empty());
}

#[tokio::test]
async fn a_result_is_named_by_the_id_as_written() {
    let server = start(searched_writer().await, writers()).await.with_token(ACME);
    store(&server, "plan", "Acme sells anvils.").await;
    let answer = server.post("/v1/search", json!({ "query": "anvils" })).await.ok();
    assert_eq!(answer["results"][0]["Name"], "plan");
}

#[tokio::test]
async fn documents_without_an_id_get_one() {
    let server = server().await.with_token(ADMIN);
    let documents = json!([{ "text": "One." }, { "text": "Two." }]);
    let stored = server.post("/upsert", json!({ "documents": documents })).await.ok();
    let ids = stored["ids"].as_array().unwrap();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn filters_narrow_a_query() {
    let server = server().await.with_token(ADMIN);
    let document = |id: &str, author: &str, date: &str| json!({ "id": id, "text": "An anvil.", "metadata": { "author": author, "created_at": date } });
    let documents = [document("a", "Ann", "2026-01-01"), document("b", "Bob", "2026-02-01")];
    server.post("/upsert", json!({ "documents": documents })).await.ok();
    for (filter, id) in [
        (json!({ "author": "Ann" }), "a"),
        (json!({ "start_date": "2026-01-15" }), "b"),
        (json!({ "end_date": "2026-01-15" }), "a"),
        (json!({ "document_id": "b" }), "b"),
    ] {
        let chunks = chunks_of(&server, "anvil", filter.clone()).await;
        assert_eq!(chunks.len(), 1, "{filter}");
        assert_eq!(chunks[0]["metadata"]["document_id"], id, "{filter}");
    }
    let query = json!({ "query": "x", "filter": { "start_date": "soon" } });
    let problem = server.post("/query", json!({ "queries": [query] })).await.problem(400);
    assert_eq!(problem["field"], "start_date");
}

#[tokio::test]
async fn tenants_find_only_their_own_documents() {
    let server = server().await;
    store(&server.with_token(ACME), "plan", "Acme sells anvils.").await;
    store(&server.with_token(GLOBEX), "plan", "Globex sells lasers.").await;
    assert_eq!(texts(&server.with_token(ACME), "sells").await, ["Acme sells anvils."]);
    assert_eq!(texts(&server.with_token(GLOBEX), "sells").await, ["Globex sells lasers."]);
    assert_eq!(texts(&server.with_token(ADMIN), "sells").await.len(), 2);
}

#[tokio::test]
async fn tenants_delete_only_their_own_documents() {
    let server = server().await;
    let acme = server.with_token(ACME);
    let globex = server.with_token(GLOBEX);
    store(&globex, "plan", "Globex sells lasers.").await;
    let stored = chunks_of(&server.with_token(ADMIN), "lasers", Value::Null).await;
    let stored_id = stored[0]["metadata"]["document_id"].as_str().unwrap().to_owned();
    for body in [
        json!({ "ids": ["plan", stored_id] }),
        json!({ "filter": { "document_id": stored_id } }),
        json!({ "filter": {}, "ids": ["plan"] }),
        json!({ "delete_all": true }),
    ] {
        acme.delete("/delete", body).await.ok();
        assert_eq!(texts(&globex, "lasers").await.len(), 1);
    }
    globex.delete("/delete", json!({ "delete_all": true })).await.ok();
    assert!(texts(&globex, "lasers").await.is_empty());
}

#[tokio::test]
async fn a_tenant_cannot_write_for_another() {
    let server = server().await;
    let acme = server.with_token(ACME);
    let globex = server.with_token(GLOBEX);
    store(&globex, "plan", "Globex sells lasers.").await;
    let stored = chunks_of(&server.with_token(ADMIN), "lasers", Value::Null).await;
    let stored_id = stored[0]["metadata"]["document_id"].as_str().unwrap();
    store(&acme, stored_id, "Overwritten.").await;
    let forged = json!({ "text": "Forged.", "metadata": { "tenant": "globex" } });
    let problem = acme.post("/upsert", json!({ "documents": [forged] })).await.problem(400);
    assert_eq!(problem["field"], "tenant");
    assert_eq!(texts(&globex, "lasers sells forged overwritten").await, ["Globex sells lasers."]);
}

#[tokio::test]
async fn the_filter_must_say_whose_documents_are_written() {
    for filter in ["tenant != \"acme\"", "tenant = \"a\" or tenant = \"b\"", "document_id = \"a\""]
    {
        let token = AccessToken::new("acme", ACME)
            .with_rights([Right::Upsert])
            .with_fixed_filter(filter.parse().unwrap());
        let services = Services::new().with_document_writer(writer().await);
        let error = Server::new(services, ServerConfig::new().with_token(token)).unwrap_err();
        assert!(error.to_string().contains("does not keep apart what"), "{error}");
    }
}

#[tokio::test]
async fn a_readers_token_cannot_write() {
    let token = AccessToken::new("reader", ACME).with_rights([Right::Search]);
    let services = Services::new().with_document_writer(writer().await);
    let server = start(services, ServerConfig::new().with_token(token)).await.with_token(ACME);
    server.post("/upsert", json!({ "documents": [] })).await.problem(403);
    server.delete("/delete", json!({ "delete_all": true })).await.problem(403);
    server.post("/query", json!({ "queries": [{ "query": "x" }] })).await.ok();
}

#[tokio::test]
async fn mistakes_in_documents_are_named() {
    let server = server().await.with_token(ADMIN);
    for (document, field) in [
        (json!({ "text": " " }), "text"),
        (json!({ "id": "", "text": "x" }), "id"),
        (json!({ "text": "x", "metadata": { "colour": "red" } }), "colour"),
        (json!({ "text": "x", "metadata": { "fingerprint": "x" } }), "fingerprint"),
    ] {
        let answer = server.post("/upsert", json!({ "documents": [document] })).await;
        assert_eq!(answer.problem(400)["field"], field);
    }
    server.delete("/delete", json!({})).await.problem(400);
    server.post("/query", json!({ "queries": [] })).await.problem(400);
    let query = json!({ "query": "x", "top_k": 1000 });
    server.post("/query", json!({ "queries": [query] })).await.problem(400);
}

#[tokio::test]
async fn a_write_has_at_most_a_thousand_items() {
    let server = server().await.with_token(ACME);
    let documents = vec![json!({ "text": "a" }); 1_001];
    let problem = server.post("/upsert", json!({ "documents": documents })).await.problem(400);
    assert_eq!(
        (&problem["field"], &problem["allowed"][0]),
        (&json!("documents"), &json!("at most 1000"))
    );
    let problem = server.delete("/delete", json!({ "ids": vec!["a"; 1_001] })).await.problem(400);
    assert_eq!(problem["field"], "ids");
}

#[tokio::test]
async fn an_id_has_a_limit() {
    let server = server().await.with_token(ACME);
    store(&server, &"é".repeat(256), "Long.").await;
    for id in ["x".repeat(513), "a\nb".to_owned(), "a\u{85}b".to_owned(), String::new()] {
        let body = json!({ "documents": [{ "id": id, "text": "x" }] });
        let problem = server.post("/upsert", body).await.problem(400);
        assert_eq!(problem["field"], "id");
        assert_eq!(problem["allowed"], json!(["1 to 512 bytes without control characters"]));
    }
    let metadata = json!({ "source_id": "x".repeat(513) });
    let body = json!({ "documents": [{ "text": "x", "metadata": metadata }] });
    assert_eq!(server.post("/upsert", body).await.problem(400)["field"], "source_id");
}

#[tokio::test]
async fn unknown_metadata_lists_only_shown_fields() {
    let services = Services::new().with_document_writer(writer().await);
    let mut config = writers();
    config.shown_fields = Some(vec!["source".to_owned()]);
    let server = start(services, config).await.with_token(ACME);
    let document = json!({ "text": "x", "metadata": { "author": "Ann" } });
    let problem = server.post("/upsert", json!({ "documents": [document] })).await.problem(400);
    assert_eq!(problem["allowed"], json!(["source", "tenant"]));
}
