//! `/openapi.json`.

use std::collections::HashSet;

use serde_json::Value;
use textsearch_conformance::chat::{ScriptedModel, Turn};
use textsearch_openai::{OpenAiChat, OpenAiConfig};

use textsearch_server::Services;

use crate::support::{plain, start, writer, writers};

/// Collects every `$ref`.
fn references<'v>(value: &'v Value, targets: &mut Vec<&'v str>) {
    match value {
        Value::Object(members) => {
            targets.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|member| references(member, targets));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, targets)),
        _ => {}
    }
}

async fn document() -> Value {
    let model = ScriptedModel::start([Turn::text("x")]).await;
    let chat = OpenAiChat::new(OpenAiConfig::without_key(model.base_url(), "m")).unwrap();
    let services = Services::new().with_chat_completion(chat);
    let services = services.with_document_writer(writer().await);
    start(services, writers()).await.get("/openapi.json").await.ok()
}

#[tokio::test]
async fn every_field_of_answers_is_described() {
    let document = document().await;
    for name in [
        "AnswerRequest",
        "AnswerMessage",
        "Queries",
        "SearchedQuery",
        "Piece",
        "Done",
        "CitedSource",
        "CheckedCitation",
        "TokenUsage",
        "DocumentsResponse",
        "DocumentResponse",
    ] {
        let schema = &document["components"]["schemas"][name];
        for (field, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{field}: {schema}");
        }
    }
}

#[tokio::test]
async fn every_endpoint_is_described() {
    let document = document().await;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{document}");
    let mut operations = HashSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(operations.insert(id.to_owned()), "{id} twice");
            assert!(operation["responses"]["200"]["content"].is_object(), "{method} {path}");
            for response in operation["responses"].as_object().unwrap().values() {
                assert_ne!(response["description"].as_str().unwrap_or_default(), "", "{path}");
            }
            let problem = &operation["responses"]["default"]["content"];
            assert!(problem["application/problem+json"].is_object(), "{method} {path}");
        }
    }
    for id in [
        "search",
        "grounding",
        "capabilities",
        "prompt",
        "answer",
        "query_query_post",
        "upsert_upsert_post",
        "upsert_file_upsert_file_post",
        "delete_delete_delete",
    ] {
        assert!(operations.contains(id), "{id}: {operations:?}");
    }
    assert_eq!(document["security"][0]["bearer"], serde_json::json!([]));
}

#[tokio::test]
async fn only_grounding_takes_a_key_in_the_url() {
    let document = document().await;
    let operations = document["paths"].as_object().unwrap().iter();
    let operations = operations.flat_map(|(path, item)| {
        item.as_object().unwrap().values().map(move |operation| (path, operation))
    });
    let with_key =
        operations.filter(|(_, operation)| operation["security"].to_string().contains("key"));
    assert_eq!(with_key.map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["/v1/grounding"]);
}

#[tokio::test]
async fn the_form_of_a_file_is_described() {
    let document = document().await;
    let body = &document["paths"]["/upsert-file"]["post"]["requestBody"];
    let reference = &body["content"]["multipart/form-data"]["schema"]["$ref"];
    let schema = document.pointer(reference.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
    assert_eq!(schema["required"], serde_json::json!(["file"]));
    assert_eq!(schema["properties"]["file"]["type"], "string");
    assert_eq!(schema["properties"]["metadata"]["type"], serde_json::json!(["string", "null"]));
}

#[tokio::test]
async fn every_reference_leads_somewhere() {
    let document = document().await;
    let mut targets = Vec::new();
    references(&document, &mut targets);
    assert!(targets.len() > 10);
    for reference in targets {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    assert!(document["components"]["schemas"]["Filter"]["oneOf"].is_array());
}

#[tokio::test]
async fn only_what_is_served_is_described() {
    let document = plain().await.get("/openapi.json").await.ok();
    let paths = document["paths"].as_object().unwrap();
    for missing in ["/v1/answer", "/query", "/upsert", "/upsert-file", "/delete"] {
        assert!(!paths.contains_key(missing), "{missing}");
    }
    assert!(paths.contains_key("/v1/search"));
}

#[tokio::test]
async fn the_description_states_limits_and_alternatives() {
    let document = document().await;
    let schemas = &document["components"]["schemas"];
    let search = &schemas["SearchRequest"]["properties"];
    assert_eq!(search["top"]["maximum"], 50);
    assert_eq!(search["source"]["minLength"], 1);
    assert_eq!(search["filter"]["anyOf"][2]["type"], "null");
    assert!(schemas["SearchResponse"]["properties"]["results"]["items"]["anyOf"].is_array());
    assert_eq!(schemas["WrittenDocument"]["properties"]["id"]["maxLength"], 512);
    let metrics = &document["paths"]["/metrics"]["get"]["responses"]["200"]["content"];
    assert!(metrics["application/openmetrics-text"].is_object(), "{metrics}");
    let done = &schemas["AnswerEvent"]["oneOf"][4]["properties"];
    assert_eq!(done["event"]["const"], "done");
    assert_eq!(done["data"]["contentSchema"]["$ref"], "#/components/schemas/Done");
}
