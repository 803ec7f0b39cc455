use textsearch_conformance::{Response, Server};
use textsearch_core::serde_json::{Value, json};
use textsearch_kernel::{Kernel, KernelArguments};
use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};

use crate::support::{get, quick, reason};

/// The path that a call requests; `servers` gets the server's URL.
async fn path(servers: impl Fn(&str) -> Value, settings: OpenApiSettings) -> String {
    let server = Server::of([Response::json(&json!(1))]).await;
    let mut document = get("/things", json!([]));
    document["servers"] = servers(server.url().as_str());
    let imported = OpenApiPlugin::from_text("P", &document.to_string(), settings).unwrap();
    assert!(imported.refused.is_empty(), "{:?}", imported.refused);
    let mut kernel = Kernel::new();
    kernel.add_plugin(imported.plugin).unwrap();
    kernel.invoke("P", "op", KernelArguments::new()).await.unwrap();
    server.requests()[0].path.clone()
}

#[tokio::test]
async fn the_path_of_the_server_is_kept() {
    let servers =
        |url: &str| json!([{ "url": format!("{url}api/v2/") }, { "url": "https://b.example" }]);
    assert_eq!(path(servers, quick()).await, "/api/v2/things");
}

#[tokio::test]
async fn variables_have_defaults_and_values_from_settings() {
    let servers = |url: &str| {
        let version = json!({ "default": "v1", "enum": ["v1", "v2"] });
        json!([{ "url": format!("{url}{{version}}"), "variables": { "version": version } }])
    };
    assert_eq!(path(servers, quick()).await, "/v1/things");
    assert_eq!(path(servers, quick().with_server_variable("version", "v2")).await, "/v2/things");
    let mut document = get("/things", json!([]));
    document["servers"] = servers("https://api.example.com/");
    assert_eq!(
        reason(&document, quick().with_server_variable("version", "v3")),
        "its server URL doesn't allow `v3` for the variable `version`"
    );
}

#[tokio::test]
async fn the_servers_of_an_operation_come_first() {
    let server = Server::of([Response::json(&json!(1))]).await;
    let mut document = get("/things", json!([]));
    document["paths"]["/things"]["get"]["servers"] =
        json!([{ "url": format!("{}own", server.url()) }]);
    let imported = OpenApiPlugin::from_text("P", &document.to_string(), quick()).unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(imported.plugin).unwrap();
    kernel.invoke("P", "op", KernelArguments::new()).await.unwrap();
    assert_eq!(server.requests()[0].path, "/own/things");
}

#[test]
fn relative_servers_need_the_url_of_the_document() {
    let mut document = get("/things", json!([]));
    document["servers"] = json!([{ "url": "/api" }]);
    let expected = "its server URL is relative or broken; set `server_url` or `document_url`";
    assert_eq!(reason(&document, quick()), expected);
    let settings = quick().with_document_url("https://api.example.com/docs/openapi.json?v=1");
    let imported = OpenApiPlugin::from_text("P", &document.to_string(), settings).unwrap();
    assert!(imported.refused.is_empty());
}

#[test]
fn servers_with_a_user_or_another_scheme_are_refused() {
    for url in ["ftp://a.example", "https://me:sesame@a.example", "https://a.example?x=1"] {
        let mut document = get("/things", json!([]));
        document["servers"] = json!([{ "url": url }]);
        let reason = reason(&document, quick());
        assert!(reason.ends_with("not a plain http or https URL"), "{reason}");
        assert!(!reason.contains("sesame"), "{reason}");
    }
}

#[test]
fn a_wrong_server_url_is_named() {
    let settings = quick().with_server_url("api.example.com");
    let error = OpenApiPlugin::from_text("P", &get("/t", json!([])).to_string(), settings);
    let expected = "openapi: `server_url` is relative or broken; set `server_url` or `document_url`; \
                    expected an absolute http or https URL without user, query and fragment";
    assert_eq!(error.unwrap_err().to_string(), expected);
}
