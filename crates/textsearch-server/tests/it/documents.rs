//! `/v1/documents`, and the text around results.

use serde_json::{Value, json};
use textsearch_conformance::chat::{ScriptedModel, Turn};
use textsearch_core::{Filter, vector::DataField};
use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};
use textsearch_openai::{OpenAiChat, OpenAiConfig};
use textsearch_server::{AccessToken, SearchSource, ServerConfig, Services};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::answer::asked;
use crate::support::{ACME, ADMIN, GLOBEX, TestServer, plain, start, values};

/// A document each of two tenants, and a large one.
async fn services() -> Services {
    let schema = DocumentSchema::default().with_metadata(DataField::string("tenant"));
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await.unwrap();
    let document = |id: &str, tenant: &str, text: &str| {
        let document = Document::markdown(id, text).with_link(format!("https://{tenant}.example/"));
        document.with_metadata("tenant", tenant)
    };
    let plan = "# Plan\n\nAcme sells anvils.\n\n# Secret\n\nAcme buys iron.\n\n# Prices\n\nAn anvil costs 7.";
    let documents = [
        document("plans/a b.md", "acme", plan),
        document("large", "acme", &"More about anvils. ".repeat(5_000)),
        document("lasers", "globex", "# Lasers\n\nGlobex sells lasers."),
    ];
    store.upsert(documents).await.unwrap();
    let source = SearchSource::new("docs", store.text_search()).with_document_store(store);
    Services::new().with_source(source)
}

fn tenants() -> ServerConfig {
    let tenant = |name: &str| Filter::eq("tenant", name);
    let open = tenant("acme").and(Filter::ne("headings", "Secret"));
    ServerConfig::new()
        .with_token(AccessToken::new("acme", ACME).with_fixed_filter(open))
        .with_token(AccessToken::new("globex", GLOBEX).with_fixed_filter(tenant("globex")))
        .with_token(AccessToken::new("admin", ADMIN))
}

async fn server() -> TestServer {
    start(services().await, tenants()).await
}

fn ids(answer: &Value) -> Vec<&str> {
    let documents = answer["documents"].as_array().unwrap();
    documents.iter().map(|document| document["Id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_document_is_read_by_its_encoded_id() {
    let server = server().await.with_token(ADMIN);
    for id in ["plans%2Fa%20b.md", "plans%2Fa%20b.md%232"] {
        let answer = server.get(&format!("/v1/documents/{id}")).await.ok();
        let document = &answer["document"];
        assert_eq!(document["Id"], "plans/a b.md");
        assert_eq!(document["Link"], "https://acme.example/#plan");
        assert_eq!(document["Metadata"], json!({ "tenant": "acme" }));
        let text = document["Text"].as_str().unwrap();
        assert!(text.starts_with("# Plan") && text.ends_with("An anvil costs 7."), "{text}");
    }
}

#[tokio::test]
async fn a_large_document_is_read_page_by_page() {
    let server = server().await.with_token(ACME);
    let first = server.get("/v1/documents/large").await.ok();
    let next = first["document"]["NextOffset"].as_u64().unwrap();
    let last = server.get(&format!("/v1/documents/large?offset={next}")).await.ok();
    assert_eq!(last["document"]["NextOffset"], Value::Null);
    let text = [&first, &last].map(|page| page["document"]["Text"].as_str().unwrap()).concat();
    assert_eq!(text, "More about anvils. ".repeat(5_000).trim_end());
}

#[tokio::test]
async fn another_tenants_document_looks_like_none() {
    let server = server().await;
    let unknown = server.with_token(ACME).get("/v1/documents/nothing").await;
    for path in ["lasers", "lasers%230", "lasers?offset=0", "large?offset=18446744073709551615"] {
        let hidden = server.with_token(ACME).get(&format!("/v1/documents/{path}")).await;
        assert_eq!(hidden.text, unknown.text, "{path}");
        hidden.problem(404);
    }
    server.with_token(GLOBEX).get("/v1/documents/lasers").await.ok();
}

#[tokio::test]
async fn hidden_sections_are_not_read() {
    let server = server().await.with_token(ACME);
    let answer = server.get("/v1/documents/plans%2Fa%20b.md").await.ok();
    let text = answer["document"]["Text"].as_str().unwrap();
    assert_eq!(text, "# Plan\n\nAcme sells anvils.\n\n…\n\n# Prices\n\nAn anvil costs 7.");
}

#[tokio::test]
async fn a_list_has_only_the_tenants_documents() {
    let server = server().await;
    let all = server.with_token(ADMIN).get("/v1/documents?top=2&skip=1").await.ok();
    assert_eq!(ids(&all), ["lasers", "plans/a b.md"]);
    assert_eq!(all["total_count"], json!({ "exact": 3 }));
    let acme = server.with_token(ACME);
    let own = acme.get("/v1/documents").await.ok();
    assert_eq!(
        (ids(&own), &own["total_count"]),
        (vec!["large", "plans/a b.md"], &json!({ "exact": 2 }))
    );
    let filter = "/v1/documents?filter=tenant%20%3D%20%22globex%22%20or%20true";
    assert_eq!(ids(&acme.get(filter).await.ok()), ["large", "plans/a b.md"]);
}

#[tokio::test]
async fn wrong_requests_for_documents_are_explained() {
    let server = server().await.with_token(ADMIN);
    for (path, member) in [
        ("/v1/documents?top=51", json!("top")),
        ("/v1/documents?filter=x", json!("filter")),
        ("/v1/documents?filter=secret%20%3D%201", json!("secret")),
        ("/v1/documents?source=other", json!("source")),
        ("/v1/documents?pages=1", Value::Null),
        ("/v1/documents/large?offset=-1", Value::Null),
        ("/v1/documents/%FF", json!("id")),
    ] {
        assert_eq!(server.get(path).await.problem(400)["field"], member, "{path}");
    }
}

#[tokio::test]
async fn a_search_shows_what_is_around_its_results() {
    let server = server().await;
    let search = |token, around: &str, per_document: bool| {
        let body = json!({ "query": "iron costs", "around": around, "per_document": per_document });
        let server = server.with_token(token);
        async move { server.post("/v1/search", body).await }
    };
    let plain = search(ADMIN, "none", false).await.ok();
    assert_eq!(values(&plain).len(), 2);
    for per_document in [false, true] {
        let whole = search(ADMIN, "document", per_document).await.ok();
        let expected = "# Plan\n\nAcme sells anvils.\n\n# Secret\n\nAcme buys iron.\n\n# Prices\n\nAn anvil costs 7.";
        assert_eq!(values(&whole), [expected]);
    }
    let hidden = search(ACME, "document", false).await.ok();
    assert_eq!(values(&hidden), ["# Prices\n\nAn anvil costs 7."]);
    assert_eq!(search(ADMIN, "everything", false).await.problem(400)["status"], 400);
}

#[tokio::test]
async fn a_source_without_documents_says_so() {
    let server = plain().await;
    let body = json!({ "query": "x", "around": "section" });
    let problem = server.post("/v1/search", body).await.problem(400);
    assert_eq!((&problem["field"], &problem["allowed"]), (&json!("around"), &json!(["none"])));
    server.get("/v1/documents").await.problem(404);
    server.get("/v1/documents/x").await.problem(404);
    let described = server.get("/openapi.json").await.ok();
    assert!(described["paths"].get("/v1/documents/{id}").is_none());
    let source = &server.get("/v1/capabilities").await.ok()["sources"][0];
    assert_eq!((&source["documents"], &source["around"]), (&json!(false), &json!(false)));
}

#[tokio::test]
async fn documents_are_described() {
    let server = server().await.with_token(ADMIN);
    let described = server.get("/openapi.json").await.ok();
    let page = &described["components"]["schemas"]["DocumentPage"]["properties"];
    assert_eq!(page["Text"]["type"], "string");
    let read = &described["paths"]["/v1/documents/{id}"]["get"];
    let names = read["parameters"].as_array().unwrap().iter().map(|parameter| &parameter["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["id", "source", "offset"]);
}

#[tokio::test]
async fn mcp_clients_fetch_only_their_own_documents() {
    let server = server().await;
    let call = |token, name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        let server = server.with_token(token);
        async move { server.mcp("tools/call", params).await.ok()["result"].clone() }
    };
    let search = call(GLOBEX, "search", json!({ "query": "sells" })).await;
    let entries = search["structuredContent"]["results"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["title"]), (1, &json!("Lasers")));
    let id = &entries[0]["id"];
    let own = call(GLOBEX, "fetch", json!({ "id": id })).await;
    assert_eq!(own["structuredContent"]["text"], "# Lasers\n\nGlobex sells lasers.");
    let hidden = call(ACME, "fetch", json!({ "id": id })).await;
    assert_eq!(
        (&hidden["isError"], &hidden),
        (&json!(true), &call(ACME, "fetch", json!({ "id": "x" })).await)
    );
}

#[tokio::test]
async fn templates_read_documents_under_the_filter() {
    let server = server().await.with_token(ACME);
    let template = "{{#each (docs-ListDocuments)}}{{Id}} {{/each}}";
    let listed = server.post("/v1/prompt", json!({ "template": template })).await.ok();
    assert_eq!(listed["text"], "large plans/a b.md ");
    let template = "{{json (docs-GetDocument 'lasers')}}";
    let hidden = server.post("/v1/prompt", json!({ "template": template })).await;
    assert!(hidden.status != 200 && !hidden.text.contains("Globex"), "{}", hidden.text);
}

#[tokio::test]
async fn an_answer_sees_more_of_documents_than_chunks() {
    let model = ScriptedModel::start(["1", "2", "3"].map(Turn::text)).await;
    let chat = OpenAiChat::new(OpenAiConfig::without_key(model.base_url(), "m")).unwrap();
    let server = start(services().await.with_chat_completion(chat), tenants()).await;
    let ask = |token, body: Value| {
        let server = server.with_token(token);
        async move { assert_eq!(server.post("/v1/answer", body).await.status, 200) }
    };
    ask(ADMIN, json!({ "question": "What costs 7?", "around": "document" })).await;
    ask(ACME, json!({ "question": "What costs 7?", "around": "document" })).await;
    ask(ACME, json!({ "question": "What costs 7?", "mode": "tools" })).await;
    let requests = model.requests();
    assert!(requests[0].last_user_text().contains("Acme sells anvils."));
    assert!(!requests[1].last_user_text().contains("Acme buys iron."));
    let tools = ["GetSearchResults", "GetDocument", "ListDocuments"];
    assert_eq!(requests[2].tool_names(), tools.map(|name| format!("docs-{name}")));
    let both = json!({ "question": "x", "mode": "tools", "around": "section" });
    server.with_token(ACME).post("/v1/answer", both).await.problem(400);
}

#[tokio::test]
async fn the_sources_of_answers_are_read_by_their_ids() {
    for mode in ["results", "tools"] {
        let search = Turn::tool_call("docs-GetSearchResults", &json!({ "query": "lasers" }));
        let turns =
            if mode == "tools" { vec![search, Turn::text("[1]")] } else { vec![Turn::text("[1]")] };
        let model = ScriptedModel::start(turns).await;
        let chat = OpenAiChat::new(OpenAiConfig::without_key(model.base_url(), "m")).unwrap();
        let server = start(services().await.with_chat_completion(chat), tenants()).await;
        let server = server.with_token(GLOBEX);
        let events = asked(&server, json!({ "question": "lasers", "mode": mode })).await;
        let id = events.last().unwrap().1["sources"][0]["id"].as_str().unwrap();
        let page = server.get(&format!("/v1/documents/{}", id.replace('#', "%23"))).await.ok();
        assert_eq!(page["document"]["Id"], "lasers");
    }
}
