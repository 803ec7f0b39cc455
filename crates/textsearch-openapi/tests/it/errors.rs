use textsearch_conformance::{Action, Response, Server};
use textsearch_core::{ErrorKind, serde_json::json};
use textsearch_kernel::{Kernel, KernelArguments, KernelError};
use textsearch_openapi::OpenApiPlugin;

use crate::support::{Service, get, operation, quick};

async fn failed(status: u16) -> KernelError {
    let response = Response::json(&json!({ "detail": "no such harbour" })).with_status(status);
    let service = Service::with(get("/things", json!([])), response, |settings| settings).await;
    service.call(json!({})).await.unwrap_err()
}

#[tokio::test]
async fn refused_arguments_show_status_and_body() {
    for status in [400, 404, 422] {
        let error = failed(status).await;
        let expected = format!(
            "the arguments of `P-op` were refused by the service with status {status}: \
             {{\"detail\":\"no such harbour\"}}"
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn long_error_bodies_are_cut() {
    let response = Response::new(400, "text/plain", "x".repeat(100_000));
    let service = Service::with(get("/things", json!([])), response, |settings| settings).await;
    let error = service.call(json!({})).await.unwrap_err().to_string();
    assert!(error.chars().count() < 500 && error.contains("xxx"), "{error}");
}

#[tokio::test]
async fn other_failures_keep_the_kind_of_the_core() {
    let kinds = [
        (401, ErrorKind::Authentication),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Unavailable),
    ];
    for (status, kind) in kinds {
        let error = failed(status).await;
        assert!(matches!(error, KernelError::FunctionFailed { .. }), "{error:?}");
        assert_eq!(error.search_error().unwrap().kind(), &kind);
    }
}

#[tokio::test]
async fn only_idempotent_methods_are_retried_after_a_500() {
    for (method, expected) in [("get", 2), ("put", 2), ("delete", 2), ("post", 1), ("patch", 1)] {
        let server = Server::start(|_, before| {
            let status = if before == 0 { 500 } else { 200 };
            Action::Answer(Response::json(&json!(1)).with_status(status))
        });
        let server = server.await;
        let document = operation(method, "/things", json!({})).to_string();
        let settings = quick().with_server_url(server.url());
        let imported = OpenApiPlugin::from_text("P", &document, settings).unwrap();
        let mut kernel = Kernel::new();
        kernel.add_plugin(imported.plugin).unwrap();
        let result = kernel.invoke("P", "op", KernelArguments::new()).await;
        assert_eq!((result.is_ok(), server.count()), (expected == 2, expected), "{method}");
    }
}
