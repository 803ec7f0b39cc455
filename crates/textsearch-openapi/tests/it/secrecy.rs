use textsearch_conformance::{Action, LogCapture, Response, Server};
use textsearch_core::{
    http::Secret,
    serde_json::{Value, json},
};
use textsearch_kernel::{Kernel, KernelArguments, KernelError};
use textsearch_openapi::{Credentials, OpenApiPlugin, OpenApiSettings};

use crate::support::{get, quick};

const SECRET: &str = "open-sesame-1234";

fn documents() -> Vec<(Value, Credentials)> {
    let with = |scheme: Value| {
        let mut document = get("/things", json!([]));
        document["security"] = json!([{ "s": [] }]);
        document["components"]["securitySchemes"]["s"] = scheme;
        document
    };
    let key = |place: &str| with(json!({ "type": "apiKey", "in": place, "name": "key" }));
    let http = |scheme: &str| with(json!({ "type": "http", "scheme": scheme }));
    vec![
        (key("header"), Credentials::Key(Secret::from(SECRET))),
        (key("query"), Credentials::Key(Secret::from(SECRET))),
        (key("cookie"), Credentials::Key(Secret::from(SECRET))),
        (http("bearer"), Credentials::Bearer(Secret::from(SECRET))),
        (http("basic"), Credentials::basic("me", SECRET)),
    ]
}

/// Everything printable about a call of a service that echoes the request.
async fn printed(document: &Value, credentials: Credentials, status: u16) -> String {
    let echo = move |request: &textsearch_conformance::RecordedRequest| {
        let text = format!("{} {:?}", request.url, request.headers);
        Action::Answer(Response::new(status, "text/plain", text))
    };
    let server = Server::start(move |request, _| echo(request)).await;
    let settings = quick().with_authenticator(credentials).with_server_url(server.url());
    let mut printed = format!("{settings:?}");
    let imported = OpenApiPlugin::from_text("P", &document.to_string(), settings).unwrap();
    printed += &format!("{imported:?}");
    let mut kernel = Kernel::new();
    kernel.add_plugin(imported.plugin).unwrap();
    let log = LogCapture::start();
    let error = kernel.invoke("P", "op", KernelArguments::new()).await.unwrap_err();
    assert_eq!(server.requests().len() as u64, if status == 503 { 3 } else { 1 });
    printed + &everything(&error) + &log.text()
}

fn everything(error: &KernelError) -> String {
    let mut text = format!("{error:?}");
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        text += &format!("{error} {error:?}");
        next = error.source();
    }
    text
}

#[tokio::test]
async fn secrets_stay_out_of_errors_logs_and_debug_output() {
    for (document, credentials) in documents() {
        for status in [400, 401, 503] {
            let printed = printed(&document, credentials.clone(), status).await;
            assert!(printed.contains("127.0.0.1"), "{printed}");
            for secret in [SECRET, "bWU6b3Blbi1zZXNhbWUtMTIzNA"] {
                assert!(!printed.contains(secret), "{printed}");
            }
        }
    }
}

#[test]
fn credentials_are_hidden_in_debug_output() {
    assert_eq!(format!("{:?}", Credentials::basic("me", SECRET)), "Basic(..)");
    assert_eq!(format!("{:?}", Credentials::Key(Secret::from(SECRET))), "Key(..)");
}

#[tokio::test]
async fn redirects_never_carry_secrets_to_another_origin() {
    for (document, credentials) in documents() {
        let thief = Server::of([Response::json(&json!(1))]).await;
        let target = thief.url().join("stolen").unwrap();
        let redirect = Response::new(307, "text/plain", "").with_header("location", target);
        let server = Server::of([redirect]).await;
        let settings: OpenApiSettings = quick().with_authenticator(credentials);
        let settings = settings.with_server_url(server.url());
        let imported = OpenApiPlugin::from_text("P", &document.to_string(), settings).unwrap();
        let mut kernel = Kernel::new();
        kernel.add_plugin(imported.plugin).unwrap();
        kernel.invoke("P", "op", KernelArguments::new()).await.unwrap_err();
        assert_eq!((server.count(), thief.count()), (1, 0));
    }
}
