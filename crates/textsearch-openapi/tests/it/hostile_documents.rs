use std::time::Instant;

use textsearch_core::serde_json::{Value, json};
use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};

use crate::support::{broken, document, get, import, reason};

#[test]
fn deep_nesting_is_refused_with_the_limit() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let json = format!(
            "{{\"openapi\":\"3.0.0\",\"x\":{}0{}}}",
            open.repeat(100_000),
            close.repeat(100_000)
        );
        assert!(broken(&json).contains("at most 128 levels"), "{}", broken(&json));
        let yaml = format!("openapi: 3.0.0\nx: {}0{}", open.repeat(100_000), close.repeat(100_000));
        assert!(broken(&yaml).contains("at most 48 levels"), "{}", broken(&yaml));
    }
}

#[test]
fn documents_over_the_size_limit_are_refused() {
    let mut settings = OpenApiSettings::new();
    settings.max_document_bytes = 10;
    let error = OpenApiPlugin::from_text("P", "openapi: 3.0.0", settings).unwrap_err();
    assert_eq!(error.to_string(), "openapi: the document has 14 bytes, more than 10");
}

#[test]
fn yaml_bombs_are_refused() {
    let mut yaml = "openapi: 3.0.0\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        yaml += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    let started = Instant::now();
    assert!(broken(&yaml).contains("can't be read as YAML"), "{}", broken(&yaml));
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn schemas_that_multiply_stay_within_bounds() {
    let mut schemas = json!({ "S0": { "type": "string", "description": "x".repeat(1_000) } });
    for level in 1..30 {
        let reference = json!({ "$ref": format!("#/components/schemas/S{}", level - 1) });
        let properties: Value =
            ["a", "b", "c", "d"].iter().map(|name| (name.to_string(), reference.clone())).collect();
        schemas[format!("S{level}")] = json!({ "type": "object", "properties": properties });
    }
    let mut document = get(
        "/t",
        json!([{ "name": "p", "in": "query", "schema": { "$ref": "#/components/schemas/S29" } }]),
    );
    document["components"] = json!({ "schemas": schemas });
    let schema =
        import(&document).plugin.functions()[0].metadata().parameters[0].schema.to_string();
    assert!((10_000..1_000_000).contains(&schema.len()), "{}", schema.len());
}

#[test]
fn many_operations_with_large_schemas_stay_within_bounds() {
    let branch = json!({ "type": "object", "description": "x".repeat(100_000) });
    let mut paths = json!({});
    for number in 0..2_000 {
        let parameter =
            json!({ "name": "p", "in": "query", "schema": { "$ref": "#/components/schemas/S" } });
        paths[format!("/t{number}")] = json!({ "get": { "parameters": [parameter] } });
    }
    let mut document = document(paths);
    document["components"] = json!({ "schemas": { "S": branch } });
    let imported = import(&document);
    let parameters =
        imported.plugin.functions().iter().map(|function| &function.metadata().parameters[0]);
    let length: usize = parameters.map(|parameter| parameter.schema.to_string().len()).sum();
    assert_eq!(imported.operations.len() + imported.refused.len(), 2_000);
    let reason = "the document's operations are too large together";
    assert!(imported.refused.iter().all(|refused| refused.reason == reason));
    assert!(length < 140_000_000, "{length}");
}

fn multipart(name: &str, content_type: &str) -> Value {
    let file = json!({ "type": "string", "format": "binary", "description": "y".repeat(100_000) });
    let schema = json!({ "type": "object", "properties": { name: file } });
    let encoding = json!({ name: { "contentType": content_type } });
    json!({ "content": { "multipart/form-data": { "schema": schema, "encoding": encoding } } })
}

/// Each path is one line that refers to the same item.
#[test]
fn shared_parts_are_not_copied_without_bound() {
    let long = "x".repeat(1_000_000);
    let many: Vec<Value> = (0..290)
        .map(|number| {
            json!({
                "name": format!("p{number}"), "in": "query", "description": "y".repeat(2_000),
            })
        })
        .collect();
    let items = [
        json!({ "get": { "operationId": long, "tags": vec!["t"; 100_000], "description": long } }),
        json!({ "get": { "parameters": many } }),
        json!({ "get": { "parameters": [{ "name": long, "in": "query" }] } }),
        json!({ "get": { "servers": [{ "url": long }] } }),
        json!({ "get": { "security": vec![json!({ "s": [] }); 100_000] } }),
        json!({ "get": { "requestBody": { "content": { long.as_str(): {} } } } }),
        json!({ "get": { "requestBody": multipart(&"\u{1}".repeat(100_000), "text/x") } }),
        json!({ "get": { "requestBody": multipart("a", &long) } }),
        json!({ "get": { "responses": { "200": { "content": { long.as_str(): {} }, "description": long } } } }),
        json!({ "get": { "parameters": [{ "$ref": format!("#/{long}") }] } }),
    ];
    for item in items {
        let paths: Value = (0..300)
            .map(|number| (format!("/t{number}"), json!({ "$ref": "#/components/pathItems/i" })))
            .collect();
        let mut document = document(paths);
        document["components"] =
            json!({ "pathItems": { "i": item }, "securitySchemes": { "s": { "type": "oauth2" } } });
        let started = Instant::now();
        let imported = import(&document);
        assert_eq!(imported.operations.len() + imported.refused.len(), 300);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
        assert!(format!("{imported:?}").len() < 200_000_000);
    }
}

#[test]
fn operations_are_read_in_linear_time() {
    textsearch_conformance::assert_linear(1_000, |count| {
        let operation = json!({ "get": { "operationId": "list", "summary": "Lists." } });
        let paths: Value =
            (0..count).map(|number| (format!("/t{number}"), operation.clone())).collect();
        assert_eq!(import(&document(paths)).operations.len(), count);
    });
}

#[test]
fn too_many_operations_are_an_error_with_the_limit() {
    let paths: Value =
        (0..10_001).map(|number| (format!("/t{number}"), json!({ "get": {} }))).collect();
    let error = broken(&document(paths).to_string());
    assert_eq!(error, "openapi: the document has more than 10000 operations");
}

#[test]
fn untrusted_documents_lead_only_to_public_addresses() {
    let cases = [
        ("http://169.254.169.254/latest", "the address of a cloud metadata service"),
        ("http://0x7f.1:8080", "a loopback address"),
        ("http://[::ffff:10.0.0.1]", "a private address"),
        ("http://localhost", "a name of the local machine or network"),
    ];
    for (url, rule) in cases {
        let mut document = get("/t", json!([]));
        document["servers"] = json!([{ "url": url }]);
        let reason = reason(&document, OpenApiSettings::new().with_untrusted(true));
        assert!(reason.starts_with("its server: `") && reason.contains(rule), "{reason}");
    }
}

#[test]
fn paths_that_leave_the_server_are_refused() {
    for path in ["/../admin", "/a/%2e%2E/b", "/./a", "/a/..;/../b", "/a/..", "/a/..;x/b"] {
        assert_eq!(
            reason(&get(path, json!([])), OpenApiSettings::new()),
            "its path leaves the server's path",
            "{path}"
        );
    }
    let id = json!([{ "name": "id", "in": "path", "style": "matrix", "schema": {} }]);
    let reason = |path, parameters| self::reason(&get(path, parameters), OpenApiSettings::new());
    assert_eq!(reason("/a/..{id}", id), "its path leaves the server's path");
    let reason_of_query = reason("/a?b={c}", json!([]));
    assert_eq!(reason_of_query, "its path has parameters in its query");
    let reason = reason("things", json!([]));
    assert_eq!(reason, "its path doesn't start with `/`");
}

#[test]
fn paths_never_change_the_host() {
    for path in ["//evil.example/a", "/\\evil.example", "/@evil.example"] {
        let mut imported = import(&get(path, json!([])));
        assert!(imported.refused.is_empty());
        assert_eq!(imported.operations.remove(0).operation.path, path);
    }
}

#[test]
fn odd_values_never_panic() {
    let odd = [
        json!(null),
        json!(1),
        json!("x"),
        json!([]),
        json!([[]]),
        json!({}),
        json!({ "$ref": 1 }),
    ];
    for value in &odd {
        for pointer in
            ["/paths", "/paths/~1t", "/paths/~1t/get", "/components", "/servers", "/info"]
        {
            let mut document = get("/t", json!([]));
            document["components"] = json!({});
            *document.pointer_mut(pointer).unwrap() = value.clone();
            let _ = OpenApiPlugin::from_text("P", &document.to_string(), OpenApiSettings::new());
        }
        for key in
            ["parameters", "requestBody", "responses", "security", "servers", "tags", "operationId"]
        {
            let mut document = get("/t", json!([]));
            document["paths"]["/t"]["get"][key] = value.clone();
            let _ = OpenApiPlugin::from_text("P", &document.to_string(), OpenApiSettings::new());
        }
    }
}
