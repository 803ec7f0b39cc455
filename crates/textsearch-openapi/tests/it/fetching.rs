use textsearch_conformance::{Action, Response, Server};
use textsearch_core::{
    http::HttpSettings,
    serde_json::{Value, json},
};
use textsearch_kernel::{Kernel, KernelArguments};
use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};

use crate::support::{get, quick};

/// Serves the document at `/openapi.json`, and answers all other requests.
async fn server(document: impl Fn(&str) -> Value + Send + Sync + 'static) -> Server {
    let answer = move |request: &textsearch_conformance::RecordedRequest| {
        let host = request.header("host").unwrap();
        match request.path.as_str() {
            "/openapi.json" => Response::json(&document(&format!("http://{host}"))),
            _ => Response::json(&json!("called")),
        }
    };
    Server::start(move |request, _| Action::Answer(answer(request))).await
}

async fn fetched(server: &Server, settings: OpenApiSettings) -> OpenApiPlugin {
    let url = server.url().join("openapi.json").unwrap();
    OpenApiPlugin::from_url("P", url, settings).await.unwrap()
}

async fn call(imported: OpenApiPlugin) -> Value {
    let mut kernel = Kernel::new();
    kernel.add_plugin(imported.plugin).unwrap();
    kernel.invoke("P", "op", KernelArguments::new()).await.unwrap().value.into_json()
}

fn with_server(url: &str) -> Value {
    let mut document = get("/things", json!([]));
    document["servers"] = json!([{ "url": url }]);
    document
}

#[tokio::test]
async fn relative_servers_lead_to_the_documents_host() {
    let server = server(|_| with_server("/api")).await;
    assert_eq!(call(fetched(&server, quick()).await).await, "called");
    assert_eq!(server.requests()[1].path, "/api/things");
}

#[tokio::test]
async fn fetched_documents_lead_to_no_other_local_address() {
    let server = server(|_| with_server("http://127.0.0.1:1")).await;
    let refused = fetched(&server, quick()).await.refused;
    let expected = "its server: `127.0.0.1` is a loopback address: not allowed; \
                    set `server_url` or `allowed_host`";
    assert_eq!(refused[0].reason, expected);
}

#[tokio::test]
async fn the_application_can_allow_a_local_host() {
    let service = Server::of([Response::json(&json!("other"))]).await;
    let (url, host) = (service.url(), service.url().authority().to_owned());
    let server = server(move |_| with_server(url.as_str())).await;
    let settings = quick().with_allowed_host(host).unwrap();
    assert_eq!(call(fetched(&server, settings).await).await, "other");
    let settings = quick().with_server_url(service.url());
    assert_eq!(call(fetched(&server, settings).await).await, "other");
}

#[tokio::test]
async fn documents_over_the_limit_are_refused() {
    let server = server(|_| json!({ "openapi": "3.0.0", "x": "y".repeat(5_000) })).await;
    let url = server.url().join("openapi.json").unwrap();
    let mut settings = quick();
    settings.max_document_bytes = 1_000;
    let error = OpenApiPlugin::from_url("P", url, settings).await.unwrap_err();
    assert!(error.to_string().contains("1000"), "{error}");
}

#[tokio::test]
async fn a_missing_document_is_an_error_with_its_status() {
    let server = Server::of([Response::new(404, "text/plain", "nothing here")]).await;
    let settings =
        OpenApiSettings::new().with_http_settings(HttpSettings::default().with_proxy(false));
    let error = OpenApiPlugin::from_url("P", server.url(), settings).await.unwrap_err();
    assert!(error.to_string().contains("answered 404 Not Found: nothing here"), "{error}");
}

#[tokio::test]
async fn calls_stay_within_the_origin_of_their_server() {
    let other = Server::of([Response::json(&json!("other"))]).await;
    let redirect = Response::new(307, "text/plain", "").with_header("location", other.url());
    let service = Server::of([redirect]).await;
    let document = with_server(service.url().as_str()).to_string();
    let settings = quick().with_untrusted(true).with_allowed_host("127.0.0.1").unwrap();
    let imported = OpenApiPlugin::from_text("P", &document, settings).unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(imported.plugin).unwrap();
    kernel.invoke("P", "op", KernelArguments::new()).await.unwrap_err();
    assert_eq!((service.count(), other.count()), (1, 0));
}
