use std::sync::{Arc, Mutex};

use textsearch_conformance::{RecordedRequest, Response};
use textsearch_core::{
    ErrorKind, async_trait,
    http::Secret,
    serde_json::{Value, json},
};
use textsearch_openapi::{
    AuthenticationRequest, Credentials, KeyPlace, OpenApiAuthenticator, OpenApiSettings,
    SecurityKind,
};

use crate::support::{Service, get, import_with, quick, reason};

/// The operation asks for `security`, among schemes of each kind.
fn secured(security: Value) -> Value {
    let mut document = get("/things", json!([]));
    document["security"] = security;
    document["components"]["securitySchemes"] = json!({
        "header": { "type": "apiKey", "in": "header", "name": "X-Key" },
        "query": { "type": "apiKey", "in": "query", "name": "key" },
        "cookie": { "type": "apiKey", "in": "cookie", "name": "session" },
        "basic": { "type": "http", "scheme": "Basic" },
        "bearer": { "type": "http", "scheme": "bearer" },
        "oauth": { "type": "oauth2", "flows": {} },
        "digest": { "type": "http", "scheme": "digest" },
    });
    document
}

async fn authenticated(
    security: Value,
    authenticator: impl OpenApiAuthenticator + 'static,
) -> RecordedRequest {
    let with = |settings: OpenApiSettings| settings.with_authenticator(authenticator);
    let service = Service::with(secured(security), Response::json(&json!(1)), with).await;
    service.request(json!({})).await
}

fn key() -> Credentials {
    Credentials::Key(Secret::from("sesame"))
}

#[tokio::test]
async fn keys_go_where_their_scheme_says() {
    let request = authenticated(json!([{ "header": [] }]), key()).await;
    assert_eq!(request.header("x-key"), Some("sesame"));
    let request = authenticated(json!([{ "query": [] }]), key()).await;
    assert_eq!(request.parameter("key"), Some("sesame"));
    let request = authenticated(json!([{ "cookie": [] }]), key()).await;
    assert_eq!(request.header("cookie"), Some("session=sesame"));
}

#[tokio::test]
async fn bearer_and_basic_are_authorization_headers() {
    let bearer = Credentials::Bearer(Secret::from("sesame"));
    let request = authenticated(json!([{ "oauth": ["read"] }]), bearer).await;
    assert_eq!(request.header("authorization"), Some("Bearer sesame"));
    let request = authenticated(json!([{ "basic": [] }]), Credentials::basic("me", "pass")).await;
    assert_eq!(request.header("authorization"), Some("Basic bWU6cGFzcw=="));
}

#[tokio::test]
async fn an_operation_without_security_gets_tokens_unless_public() {
    let bearer = Credentials::Bearer(Secret::from("sesame"));
    let request = authenticated(Value::Null, bearer.clone()).await;
    assert_eq!(request.header("authorization"), Some("Bearer sesame"));
    assert_eq!(authenticated(json!([]), bearer).await.header("authorization"), None);
}

/// Has credentials for the known schemes, and records each request.
struct Recorder {
    known: &'static [&'static str],
    asked: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl OpenApiAuthenticator for Recorder {
    async fn credentials(
        &self,
        request: &AuthenticationRequest<'_>,
    ) -> textsearch_core::Result<Option<Credentials>> {
        let scheme = request.scheme.unwrap();
        let asked = format!("{} {:?} {}", scheme.name, request.scopes, request.operation.path);
        self.asked.lock().unwrap().push(asked);
        let credentials = match scheme.kind {
            SecurityKind::ApiKey { place: KeyPlace::Header | KeyPlace::Query, .. } => key(),
            _ => Credentials::Bearer(Secret::from("sesame")),
        };
        Ok(self.known.contains(&scheme.name.as_str()).then_some(credentials))
    }
}

#[tokio::test]
async fn the_first_set_with_all_credentials_is_used() {
    let asked = Arc::default();
    let recorder = Recorder { known: &["header", "oauth"], asked: Arc::clone(&asked) };
    let security = json!([{ "header": [], "query": [] }, { "oauth": ["read"] }]);
    let request = authenticated(security, recorder).await;
    assert_eq!(request.header("authorization"), Some("Bearer sesame"));
    assert_eq!(request.header("x-key"), None);
    let expected = ["header [] /things", "query [] /things", "oauth [\"read\"] /things"];
    assert_eq!(*asked.lock().unwrap(), expected);
}

#[tokio::test]
async fn all_schemes_of_a_set_are_sent() {
    let request = authenticated(json!([{ "header": [], "query": [] }]), key()).await;
    assert_eq!(
        (request.header("x-key"), request.parameter("key")),
        (Some("sesame"), Some("sesame"))
    );
}

async fn error(security: Value, credentials: Credentials) -> textsearch_core::Error {
    let with = |settings: OpenApiSettings| settings.with_authenticator(credentials);
    let service = Service::with(secured(security), Response::json(&json!(1)), with).await;
    let error = service.call(json!({})).await.unwrap_err();
    assert_eq!(service.server.count(), 0);
    error.search_error().unwrap().clone()
}

#[tokio::test]
async fn a_call_without_credentials_names_the_schemes() {
    let error = error(json!([{ "basic": [] }, { "oauth": [] }]), key()).await;
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    assert_eq!(error.message(), "no credentials for the security schemes basic, oauth");
}

#[tokio::test]
async fn optional_security_works_without_credentials() {
    let request = authenticated(json!([{}, { "basic": [] }]), key()).await;
    assert_eq!(request.header("authorization"), None);
}

#[test]
fn unsupported_schemes_are_refused_by_name() {
    let expected = "its security scheme `digest` (http digest) isn't supported";
    assert_eq!(reason(&secured(json!([{ "digest": [] }])), quick()), expected);
    let other = secured(json!([{ "digest": [] }, { "basic": [] }]));
    assert!(import_with(&other, quick()).refused.is_empty());
    let expected = "its security scheme `x` isn't declared";
    assert_eq!(reason(&secured(json!([{ "x": [] }])), quick()), expected);
    let mut nowhere = secured(json!([{ "header": [] }]));
    nowhere["components"]["securitySchemes"]["header"]["in"] = json!("body");
    let expected =
        "its security scheme `header` has an unknown place; expected header, query, cookie";
    assert_eq!(reason(&nowhere, quick()), expected);
}

#[test]
fn places_of_keys_have_spellings() {
    assert_eq!(KeyPlace::ALL.map(KeyPlace::as_str), ["header", "query", "cookie"]);
    assert_eq!("Query".parse(), Ok(KeyPlace::Query));
}

#[test]
fn credentials_stay_within_the_origin_of_untrusted_documents() {
    let settings = || quick().with_untrusted(true).with_authenticator(key());
    let document = secured(json!([{ "header": [] }]));
    let expected = "its server `https://api.example.com/` isn't the document's; \
                    set `server_url` to send credentials there";
    assert_eq!(reason(&document, settings()), expected);
    let own = settings().with_document_url("https://api.example.com/openapi.json");
    assert!(import_with(&document, own).refused.is_empty());
    let named = settings().with_server_url("https://api.example.com");
    assert!(import_with(&document, named).refused.is_empty());
    let public = secured(json!([]));
    assert!(import_with(&public, settings()).refused.is_empty());
}
