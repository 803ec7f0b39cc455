use std::time::Duration;

use textsearch_conformance::{RecordedRequest, Response, Server};
use textsearch_core::{
    http::HttpSettings,
    serde_json::{Value, json},
};
use textsearch_kernel::{Kernel, KernelArguments, KernelError, Result, function::FunctionMetadata};
use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};

/// One service and a kernel with its plugin `P`.
pub(crate) struct Service {
    pub(crate) server: Server,
    pub(crate) kernel: Kernel,
}

impl Service {
    /// The operation `POST /things/{id}` or another one is called `op`.
    pub(crate) async fn new(document: Value) -> Self {
        Self::with(document, Response::json(&json!("done")), |settings| settings).await
    }

    pub(crate) async fn with(
        document: Value,
        response: Response,
        settings: impl FnOnce(OpenApiSettings) -> OpenApiSettings,
    ) -> Self {
        let server = Server::of([response]).await;
        let mut strict = quick().with_server_url(server.url());
        strict.strict = true;
        let settings = settings(strict);
        let mut kernel = Kernel::new();
        let imported = OpenApiPlugin::from_text("P", &document.to_string(), settings).unwrap();
        kernel.add_plugin(imported.plugin).unwrap();
        Self { server, kernel }
    }

    pub(crate) async fn call(&self, arguments: Value) -> Result<Value> {
        let Value::Object(arguments) = arguments else { return Ok(Value::Null) };
        let result = self.kernel.invoke("P", "op", KernelArguments::from(arguments)).await;
        result.map(|result| result.value.into_json())
    }

    pub(crate) async fn request(&self, arguments: Value) -> RecordedRequest {
        self.call(arguments).await.unwrap();
        self.server.requests().pop().unwrap()
    }

    /// Checks that nothing was sent.
    pub(crate) async fn refused(&self, arguments: Value) -> String {
        let error = self.call(arguments).await.unwrap_err();
        assert!(matches!(error, KernelError::InvalidArgument { .. }), "{error:?}");
        assert_eq!(self.server.count(), 0);
        error.to_string()
    }
}

pub(crate) fn quick() -> OpenApiSettings {
    let settings = HttpSettings::default().with_proxy(false);
    OpenApiSettings::new().with_http_settings(
        settings.with_backoff(Duration::from_millis(1), Duration::from_millis(1)),
    )
}

pub(crate) fn document(paths: Value) -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Test", "version": "1" },
        "servers": [{ "url": "https://api.example.com" }],
        "paths": paths,
    })
}

/// A document with the operation `op`.
pub(crate) fn operation(method: &str, path: &str, mut operation: Value) -> Value {
    operation["operationId"] = json!("op");
    document(json!({ path: { method: operation } }))
}

pub(crate) fn get(path: &str, parameters: Value) -> Value {
    operation("get", path, json!({ "parameters": parameters }))
}

pub(crate) fn post(media_type: &str, schema: Value) -> Value {
    let body = json!({ "required": true, "content": { media_type: { "schema": schema } } });
    operation("post", "/things", json!({ "requestBody": body }))
}

pub(crate) fn import(document: &Value) -> OpenApiPlugin {
    import_with(document, OpenApiSettings::new())
}

pub(crate) fn import_with(document: &Value, settings: OpenApiSettings) -> OpenApiPlugin {
    OpenApiPlugin::from_text("P", &document.to_string(), settings).unwrap()
}

/// The message of the error for a document that can't be imported at all.
pub(crate) fn broken(text: &str) -> String {
    OpenApiPlugin::from_text("P", text, OpenApiSettings::new()).unwrap_err().to_string()
}

/// The reason why the only operation can't be imported.
pub(crate) fn reason(document: &Value, settings: OpenApiSettings) -> String {
    let imported = import_with(document, settings);
    assert_eq!(imported.refused.len(), 1, "{imported:?}");
    imported.refused[0].reason.clone()
}

pub(crate) fn metadata(document: &Value) -> FunctionMetadata {
    let mut settings = OpenApiSettings::new();
    settings.strict = true;
    let imported = import_with(document, settings);
    imported.plugin.functions()[0].metadata().as_ref().clone()
}
