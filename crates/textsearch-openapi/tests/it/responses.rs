use textsearch_conformance::Response;
use textsearch_core::{
    ErrorKind,
    http::HttpSettings,
    serde_json::{Value, json},
};

use crate::support::{Service, get, metadata, operation};

async fn answered(response: Response) -> textsearch_kernel::Result<Value> {
    Service::with(get("/things", json!([])), response, |settings| settings)
        .await
        .call(json!({}))
        .await
}

#[tokio::test]
async fn json_becomes_a_value() {
    let response = Response::json(&json!({ "a": [1] }));
    assert_eq!(answered(response).await.unwrap(), json!({ "a": [1] }));
    let response = Response::new(201, "application/problem+json; charset=utf-8", "{\"a\": 1}");
    assert_eq!(answered(response).await.unwrap(), json!({ "a": 1 }));
}

#[tokio::test]
async fn text_becomes_a_string() {
    let response = Response::new(200, "text/csv", "a,b");
    assert_eq!(answered(response).await.unwrap(), json!("a,b"));
}

#[tokio::test]
async fn an_empty_response_is_null() {
    let response = Response::new(204, "application/json", "");
    assert_eq!(answered(response).await.unwrap(), Value::Null);
}

#[tokio::test]
async fn other_content_types_are_named_in_the_error() {
    let error = answered(Response::new(200, "image/png", "\u{1}")).await.unwrap_err();
    let error = error.search_error().unwrap();
    assert!(
        error.message().ends_with("answered with `image/png`; expected JSON or text"),
        "{error}"
    );
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
}

#[tokio::test]
async fn broken_json_is_an_error_with_its_place() {
    let error = answered(Response::new(200, "application/json", "{\"a\": x}")).await.unwrap_err();
    let message = error.search_error().unwrap().message();
    assert!(message.ends_with("answered with broken JSON at line 1, column 7"), "{message}");
}

#[tokio::test]
async fn too_long_responses_are_errors_with_the_limit() {
    let response = Response::json(&"x".repeat(2_000));
    let limit = |settings: textsearch_openapi::OpenApiSettings| {
        let http: HttpSettings = settings.http.clone().with_max_body_bytes(1_000);
        settings.with_http_settings(http)
    };
    let service = Service::with(get("/things", json!([])), response, limit).await;
    let error = service.call(json!({})).await.unwrap_err();
    assert!(error.search_error().unwrap().message().contains("1000"), "{error:?}");
}

#[tokio::test]
async fn requests_accept_the_documented_media_type() {
    let responses =
        json!({ "200": { "description": "", "content": { "application/vnd.acme+json": {} } } });
    let service = Service::new(operation("get", "/t", json!({ "responses": responses }))).await;
    let request = service.request(json!({})).await;
    let expected = "application/vnd.acme+json, application/json, text/*;q=0.5";
    assert_eq!(request.header("accept"), Some(expected));
}

#[test]
fn the_first_json_response_describes_the_result() {
    let responses = json!({
        "201": { "description": "Made.", "content": { "application/json": { "schema": { "type": "integer" } } } },
        "202": { "description": "Queued." },
        "404": { "description": "Gone.", "content": { "application/json": { "schema": { "type": "null" } } } },
    });
    let returned =
        metadata(&operation("get", "/t", json!({ "responses": responses }))).return_parameter;
    assert_eq!(
        (returned.description.as_str(), &*returned.schema),
        ("Made.", &json!({ "type": "integer" }))
    );
}
