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
        endpoints::grounding,
        endpoints::documents,
        endpoints::document,
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
        if services.sources.iter().all(|source| source.document_store.is_none()) {
            paths.retain(|path, _| !path.starts_with("/v1/documents"));
        }
        if services.document_writer.is_none() || !config.needs_token() {
            paths.retain(|path, _| !RETRIEVAL.contains(&path.as_str()));
        }
        let operations = paths.values_mut().filter_map(Value::as_object_mut);
        operations.flat_map(Map::values_mut).for_each(add_problems);
    }
    if let Some(schemas) = object(&mut document, "/components/schemas") {
        add_core_schemas(schemas);
        schemas.insert("AnswerEvent".to_owned(), answer_event());
        add_limits(schemas, config);
    }
    if config.needs_token() {
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

/// An event as sent: a name, and data that is JSON.
fn answer_event() -> Value {
    let events = [
        ("queries", "Queries", "The question was rewritten."),
        ("call", "Call", "A search is finished."),
        ("text", "Piece", "More text of the answer."),
        ("refusal", "Piece", "More text of a refusal, which replaces the answer."),
        ("done", "Done", "The answer is complete. The last event."),
        ("error", "Problem", "The answer failed. The last event."),
    ];
    let events = events.map(|(event, data, description)| {
        let data = json!({ "$ref": format!("#/components/schemas/{data}") });
        json!({
            "type": "object",
            "description": description,
            "properties": {
                "event": { "const": event },
                "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": data },
            },
            "required": ["event", "data"],
        })
    });
    json!({ "oneOf": events })
}

/// The limits that the configuration sets.
fn add_limits(schemas: &mut Map<String, Value>, config: &ServerConfig) {
    let ServerConfig { max_top, max_skip, .. } = config;
    for (schema, member, max) in [
        ("SearchRequest", "top", max_top),
        ("SearchRequest", "skip", max_skip),
        ("AnswerRequest", "top", max_top),
        ("Query", "top_k", max_top),
    ] {
        let members = schemas.get_mut(schema).and_then(|schema| schema.get_mut("properties"));
        let member = members.and_then(|members| members.get_mut(member)?.as_object_mut());
        if let Some(member) = member {
            member.insert("maximum".to_owned(), json!(max));
        }
    }
    if let Some(form) = schemas.get_mut("FileForm").and_then(Value::as_object_mut) {
        form.insert("additionalProperties".to_owned(), json!(false));
    }
}

fn add_security(document: &mut Value) {
    let bearer = json!({ "type": "http", "scheme": "bearer" });
    let key = json!({ "type": "apiKey", "in": "query", "name": "key" });
    if let Some(components) = object(document, "/components") {
        components.insert("securitySchemes".to_owned(), json!({ "bearer": bearer, "key": key }));
    }
    if let Some(root) = document.as_object_mut() {
        root.insert("security".to_owned(), json!([{ "bearer": [] }]));
    }
    if let Some(grounding) = object(document, "/paths/~1v1~1grounding/post") {
        grounding.insert("security".to_owned(), json!([{ "bearer": [] }, { "key": [] }]));
    }
}
