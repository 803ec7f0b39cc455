//! Plugins from OpenAPI documents.

use textsearch_core::http::{HttpClient, HttpRequest, Method, Url};
use textsearch_kernel::{KernelPlugin, Result};

use crate::{
    CONNECTOR, OpenApiSettings,
    document::Document,
    import::{Importer, parse_document_url},
};

/// A plugin whose functions call the operations of a service, and what became of each operation.
///
/// ```
/// use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};
///
/// let document = r#"{
///     "openapi": "3.1.0",
///     "servers": [{ "url": "https://api.example.com" }],
///     "paths": { "/tides/{harbour}": { "get": {
///         "operationId": "tides",
///         "parameters": [{ "name": "harbour", "in": "path", "required": true, "schema": { "type": "string" } }]
///     } } }
/// }"#;
/// let imported = OpenApiPlugin::from_text("Harbours", document, OpenApiSettings::new())?;
/// assert_eq!(imported.operations[0].function, "tides");
/// assert!(imported.operations[0].operation.read_only);
/// assert_eq!(imported.operations[0].server.as_str(), "https://api.example.com/");
/// assert!(imported.refused.is_empty());
/// # Ok::<(), textsearch_kernel::KernelError>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OpenApiPlugin {
    /// The plugin, for [`Kernel::add_plugin`](textsearch_kernel::Kernel::add_plugin).
    pub plugin: KernelPlugin,
    /// The imported operations, in the order of the plugin's functions.
    pub operations: Vec<ImportedOperation>,
    /// The operations that can't be imported.
    pub refused: Vec<RefusedOperation>,
}

/// An operation of an OpenAPI document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenApiOperation {
    /// The method.
    pub method: Method,
    /// The path in the document, such as `/pets/{id}`.
    pub path: String,
    /// The `operationId`, if any.
    pub operation_id: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// Whether the method promises not to change anything: `GET`, `HEAD` and `OPTIONS`.
    pub read_only: bool,
}

/// An operation that became a function.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportedOperation {
    /// The name of the function in the plugin.
    pub function: String,
    /// The operation.
    pub operation: OpenApiOperation,
    /// The server that the function calls.
    pub server: Url,
}

/// An operation that can't be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedOperation {
    /// The operation.
    pub operation: OpenApiOperation,
    /// The reason.
    pub reason: String,
}

impl OpenApiPlugin {
    /// Imports an OpenAPI document, version 3.0 to 3.2, in JSON or YAML as the plugin `name`.
    ///
    /// # Errors
    ///
    /// Returns [`Search`](textsearch_kernel::KernelError::Search) with
    /// [`Undecodable`](textsearch_core::ErrorKind::Undecodable) if the document can't be read or is
    /// too large, or with [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if a
    /// setting is wrong; [`InvalidName`](textsearch_kernel::KernelError::InvalidName) if `name` isn't a plugin name;
    /// and, with [`strict`](OpenApiSettings::strict) settings,
    /// [`InvalidFunction`](textsearch_kernel::KernelError::InvalidFunction) for the first operation that can't be
    /// imported.
    pub fn from_text(
        name: impl Into<String>,
        document: &str,
        settings: OpenApiSettings,
    ) -> Result<Self> {
        let document = Document::parse(document, settings.max_document_bytes)?;
        Importer::new(name.into(), &document, &settings)?.import()
    }

    /// Fetches a document and imports it as the plugin `name`. The document counts as
    /// [untrusted](OpenApiSettings::untrusted).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_text`](Self::from_text), and [`Search`](textsearch_kernel::KernelError::Search) if
    /// the document can't be fetched.
    pub async fn from_url(
        name: impl Into<String>,
        url: impl Into<String>,
        settings: OpenApiSettings,
    ) -> Result<Self> {
        let parsed = parse_document_url(&url.into())?;
        let client = match &settings.http_client {
            Some(client) => client.clone(),
            None => {
                let limit = settings.max_document_bytes;
                HttpClient::new(CONNECTOR, settings.http.clone().with_max_body_bytes(limit))?
            }
        };
        let response = client.send(HttpRequest::get(parsed)).await?;
        let settings = settings.with_document_url(response.url).with_untrusted(true);
        Self::from_text(name, &String::from_utf8_lossy(&response.body), settings)
    }
}
