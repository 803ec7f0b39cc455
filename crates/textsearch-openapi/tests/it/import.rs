use textsearch_core::{
    http::Method,
    serde_json::{Value, json},
};
use textsearch_kernel::KernelError;
use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};

use crate::support::{broken, document, import, import_with, metadata};

fn pets() -> Value {
    document(json!({
        "/pets": {
            "get": { "operationId": "pets/list", "tags": ["read"], "summary": "Lists.", "description": "Lists pets." },
            "post": { "operationId": "pets-add", "tags": ["write"], "summary": "Adds a pet." },
        },
        "/pets/{id}": { "delete": { "parameters": [{ "name": "id", "in": "path", "required": true }] } },
        "/broken/{id}": { "get": { "operationId": "broken" } },
    }))
}

fn functions(settings: OpenApiSettings) -> Vec<String> {
    import_with(&pets(), settings)
        .operations
        .into_iter()
        .map(|imported| imported.function)
        .collect()
}

#[test]
fn names_are_legal_and_keep_their_origin() {
    let imported = import(&pets());
    let functions = imported.plugin.functions();
    let names: Vec<_> = functions
        .iter()
        .map(|function| (function.name(), function.metadata().original_name.as_deref()))
        .collect();
    assert_eq!(
        names,
        [
            ("pets_list", Some("pets/list")),
            ("pets_add", Some("pets-add")),
            ("delete_pets__id_", None)
        ]
    );
    assert_eq!(functions[0].metadata().description, "Lists pets.");
    assert_eq!(functions[1].metadata().description, "Adds a pet.");
}

#[test]
fn long_and_repeated_names_are_cut_and_numbered() {
    let name = "a".repeat(100);
    let imported = import(&document(json!({
        "/a": { "get": { "operationId": name } }, "/b": { "get": { "operationId": name } },
    })));
    let names: Vec<_> =
        imported.operations.iter().map(|operation| operation.function.as_str()).collect();
    assert_eq!(names, ["a".repeat(62), format!("{}_2", "a".repeat(60))]);
}

#[test]
fn operations_say_whether_they_only_read() {
    let imported = import(&pets());
    let operations = imported.operations.iter().map(|imported| &imported.operation);
    let facts: Vec<_> = operations
        .map(|operation| (&operation.method, operation.path.as_str(), operation.read_only))
        .collect();
    assert_eq!(
        facts,
        [
            (&Method::GET, "/pets", true),
            (&Method::POST, "/pets", false),
            (&Method::DELETE, "/pets/{id}", false),
        ]
    );
    let functions = imported.plugin.functions().iter();
    let hints: Vec<_> = functions.map(|function| function.metadata().read_only).collect();
    assert_eq!(hints, [Some(true), Some(false), Some(false)]);
}

#[test]
fn one_bad_operation_does_not_lose_the_rest() {
    let imported = import(&pets());
    assert_eq!(imported.operations.len(), 3);
    let refused = &imported.refused[0];
    assert_eq!(
        (&refused.operation.method, refused.operation.path.as_str()),
        (&Method::GET, "/broken/{id}")
    );
    assert_eq!(refused.operation.operation_id.as_deref(), Some("broken"));
    assert_eq!(refused.reason, "its path has `{id}`, which no parameter declares");
}

#[test]
fn version_3_2_is_imported_and_names_what_is_left_out() {
    let streamed = |kind: &str| json!({ kind: { "itemSchema": { "type": "object" } } });
    let mut document = document(json!({
        "/pets": {
            "query": { "operationId": "find" },
            "additionalOperations": { "COPY": { "operationId": "copy" }, "a b": {} },
        },
        "/raw": { "get": { "parameters": [{ "name": "all", "in": "querystring", "content": {} }] } },
        "/events": { "get": { "responses": { "200": { "content": streamed("text/event-stream") } } } },
        "/lines": { "post": { "requestBody": { "content": streamed("text/jsonl") } } },
    }));
    document["openapi"] = json!("3.2.0");
    let imported = import(&document);
    let operation = &imported.operations[0];
    assert_eq!((imported.operations.len(), operation.function.as_str()), (1, "find"));
    assert_eq!(
        (operation.operation.method.as_str(), operation.operation.read_only),
        ("QUERY", true)
    );
    let mut reasons: Vec<_> =
        imported.refused.iter().map(|refused| refused.reason.as_str()).collect();
    reasons.sort_unstable();
    assert_eq!(
        reasons,
        [
            "its body is a stream of items (`itemSchema`), which isn't supported",
            "its method `COPY` is one of `additionalOperations`, which aren't supported",
            "its method `a b` is one of `additionalOperations`, which aren't supported",
            "its parameter `all` is the whole query (`querystring`), which isn't supported",
            "its response is a stream of items (`itemSchema`), which isn't supported",
        ]
    );
    let copy = imported
        .refused
        .iter()
        .find(|refused| refused.operation.method.as_str() == "COPY")
        .unwrap();
    assert_eq!(copy.operation.operation_id.as_deref(), Some("copy"));
}

#[test]
fn a_response_that_may_be_a_stream_is_read_as_json() {
    let mut content = json!({ "text/event-stream": { "itemSchema": {} } });
    content["application/json"] = json!({ "$ref": "#/components/mediaTypes/Pet" });
    let mut document = document(json!({
        "/pets": { "get": { "responses": { "200": { "content": content } } } },
    }));
    document["components"] =
        json!({ "mediaTypes": { "Pet": { "schema": { "type": "integer" } } } });
    let returned = metadata(&document).return_parameter;
    assert_eq!(*returned.schema, json!({ "type": "integer" }));
}

#[test]
fn strict_imports_fail_at_the_first_bad_operation() {
    let mut settings = OpenApiSettings::new();
    settings.strict = true;
    let error = OpenApiPlugin::from_text("P", &pets().to_string(), settings).unwrap_err();
    assert!(matches!(error, KernelError::InvalidFunction { .. }));
    let expected = "the function `GET /broken/{id}` cannot be made: \
                    its path has `{id}`, which no parameter declares";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn operations_are_chosen_by_id_and_filter() {
    let settings = OpenApiSettings::new;
    assert_eq!(functions(settings().with_operations(["pets/list"])), ["pets_list"]);
    let mut without = settings();
    without.excluded_operations = ["pets/list", "broken"].map(str::to_owned).into();
    assert_eq!(functions(without), ["pets_add", "delete_pets__id_"]);
    let filter = |operation: &textsearch_openapi::OpenApiOperation| {
        operation.tags.iter().any(|tag| tag == "write")
    };
    assert_eq!(functions(settings().with_operation_filter(filter)), ["pets_add"]);
    let imported =
        import_with(&pets(), settings().with_operation_filter(|operation| operation.read_only));
    assert_eq!((imported.operations.len(), imported.refused.len()), (1, 1));
}

#[test]
fn an_unknown_operation_in_settings_is_an_error() {
    let settings = OpenApiSettings::new().with_operations(["pets/list", "pets/lost"]);
    let error = OpenApiPlugin::from_text("P", &pets().to_string(), settings).unwrap_err();
    let expected =
        "openapi: `operations` is `pets/lost`; expected operations that the document has";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn yaml_and_json_give_the_same_plugin() {
    let yaml = "
openapi: 3.1
info: { title: T, version: 1 }
servers: [{ url: https://a.example }]
paths:
  /on/{no}:
    get:
      operationId: op
      parameters:
        - { name: no, in: path, required: true, schema: { type: string, enum: [yes, no, on] } }
      responses:
        200: { description: Fine., content: { application/json: { schema: { type: integer } } } }
";
    let imported = OpenApiPlugin::from_text("P", yaml, OpenApiSettings::new()).unwrap();
    let metadata = imported.plugin.functions()[0].metadata();
    assert_eq!(
        metadata.parameters[0].schema,
        json!({ "type": "string", "enum": ["yes", "no", "on"] })
    );
    assert_eq!(metadata.return_parameter.description, "Fine.");
}

#[test]
fn other_documents_are_refused_by_version() {
    assert_eq!(
        broken(r#"{"swagger": "2.0"}"#),
        "openapi: the document is Swagger 2.0; convert it to OpenAPI 3"
    );
    assert_eq!(
        broken(r#"{"openapi": "4.0.0"}"#),
        "openapi: the document has OpenAPI version `4.0.0`; expected 3.0 to 3.2"
    );
    let missing = "openapi: the document has no `openapi` version; expected OpenAPI 3.0 to 3.2";
    assert_eq!(broken("just: text"), missing);
    assert_eq!(broken("just text"), missing);
    assert!(broken("{\"openapi\": ").contains("EOF while parsing a value at line 1 column 12"));
}

#[test]
fn a_wrong_plugin_name_is_an_error() {
    let error = OpenApiPlugin::from_text("a-b", &pets().to_string(), OpenApiSettings::new());
    assert!(matches!(error.unwrap_err(), KernelError::InvalidName { .. }));
}
