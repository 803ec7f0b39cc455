//! The description of the API, generated from the endpoints.

use bytes::Bytes;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use textsearch_core::{Filter, TextSearchResult};
use utoipa::{
    OpenApi,
    openapi::{
        Ref, RefOr, Schema,
        schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Type},
    },
};

use crate::{
    ServerConfig, Services, endpoints,
    problem::{CONTENT_TYPE, Problem},
    retrieval,
};

/// The paths of the retrieval-plugin interface.
const RETRIEVAL: [&str; 4] = ["/query", "/upsert", "/upsert-file", "/delete"];

const FILTER: &str = "Filter";
const RESULT: &str = "TextSearchResult";

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

/// OpenAPI 3.1 takes JSON schemas as they are.
fn add_core_schemas(schemas: &mut Map<String, Value>) {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let _filter = generator.subschema_for::<Filter>();
    let _result = generator.subschema_for::<TextSearchResult>();
    schemas.extend(generator.take_definitions(true));
}

fn reference(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).build().into()
}

/// A filter as text or as an object.
pub(crate) fn filter_schema() -> Schema {
    OneOfBuilder::new().item(text()).item(reference(FILTER)).build().into()
}

/// Texts, results or records.
pub(crate) fn results_schema() -> Schema {
    let record = ObjectBuilder::new().schema_type(Type::Object);
    let item = OneOfBuilder::new().item(text()).item(reference(RESULT)).item(record);
    ArrayBuilder::new().items(item).build().into()
}
