//! The description of the API, generated from the endpoints.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use crate::{
    ServerConfig, Services, endpoints,
    problem::{CONTENT_TYPE, Problem},
    retrieval,
    schemas::add_core_schemas,
};

/// The paths of the retrieval-plugin interface.
const RETRIEVAL: [&str; 4] = ["/query", "/upsert", "/upsert-file", "/delete"];

#[derive(OpenApi)]
#[openapi(
    info(
        title = "textsearch",
        description = "Search, prompts with search results, and cited answers. Errors are problem details (RFC 9457)."
    ),
    paths(
        endpoints::search,
        endpoints::capabilities,
        endpoints::prompt,
        endpoints::answer,
        endpoints::health,
        endpoints::metrics,
        retrieval::query,
        retrieval::upsert,
        retrieval::upsert_file,
        retrieval::delete,
    ),
    components(schemas(Problem))
)]
struct Api;

/// Describes only the endpoints that the server has.
pub(crate) fn document(services: &Services, config: &ServerConfig) -> Bytes {
    let mut document = serde_json::to_value(Api::openapi()).unwrap_or_default();
    if let Some(paths) = object(&mut document, "/paths") {
        if services.chat_completion.is_none() {
            paths.remove("/v1/answer");
        }
        if services.document_writer.is_none() || config.tokens.is_empty() {
            paths.retain(|path, _| !RETRIEVAL.contains(&path.as_str()));
        }
        let operations = paths.values_mut().filter_map(Value::as_object_mut);
        operations.flat_map(Map::values_mut).for_each(add_problems);
    }
    if let Some(schemas) = object(&mut document, "/components/schemas") {
        add_core_schemas(schemas);
    }
    if !config.tokens.is_empty() {
        add_security(&mut document);
    }
    document.to_string().into()
}

fn object<'v>(document: &'v mut Value, pointer: &str) -> Option<&'v mut Map<String, Value>> {
    document.pointer_mut(pointer)?.as_object_mut()
}

/// Every endpoint may fail.
fn add_problems(operation: &mut Value) {
    if let Some(responses) = object(operation, "/responses") {
        let schema = json!({ "$ref": "#/components/schemas/Problem" });
        let content = json!({ CONTENT_TYPE: { "schema": schema } });
        let problem = json!({ "description": "A problem", "content": content });
        responses.insert("default".to_owned(), problem);
    }
}

fn add_security(document: &mut Value) {
    let scheme = json!({ "type": "http", "scheme": "bearer" });
    if let Some(components) = object(document, "/components") {
        components.insert("securitySchemes".to_owned(), json!({ "bearer": scheme }));
    }
    if let Some(root) = document.as_object_mut() {
        root.insert("security".to_owned(), json!([{ "bearer": [] }]));
    }
}
