//! Deeply nested OpenAPI documents.

use textsearch_conformance::{nested, with_each_depth};
use textsearch_core::serde_json::{Map, json};
use textsearch_openapi::{OpenApiPlugin, OpenApiSettings};

use crate::support::post;

fn import(text: &str) {
    drop(OpenApiPlugin::from_text("P", text, OpenApiSettings::new()));
}

#[test]
fn documents_nest_to_any_depth() {
    // A debug build of the YAML parser needs more than 1 MiB for the 48 levels that it allows.
    with_each_depth(2 << 20, |depth| {
        for parts in [
            ("[", "1", "]"),
            (r#"{"a": "#, "1", "}"),
            (r#"{"items": "#, "true", "}"),
            (r#"{"allOf": ["#, "true", "]}"),
            (r#"{"properties": {"a": "#, "true", "}}"),
        ] {
            let value = nested(parts, depth);
            import(&value);
            let document = post("application/json", json!("SCHEMA")).to_string();
            let document = document.replace("\"SCHEMA\"", &value);
            import(&document);
            // A document that isn't JSON is read as YAML.
            import(&format!("# YAML\n{document}"));
        }
    });
}

#[test]
fn components_nest_to_any_depth() {
    with_each_depth(256 << 10, |depth| {
        let component = |number: usize| {
            let next = json!({ "$ref": format!("#/components/schemas/S{}", number + 1) });
            let nested = (0..30).fold(next, |inner, _| json!({ "items": inner }));
            (format!("S{number}"), nested)
        };
        let schemas: Map<_, _> = (0..depth.min(1_200)).map(component).collect();
        let mut document = post("application/json", json!({ "$ref": "#/components/schemas/S0" }));
        document["components"] = json!({ "schemas": schemas });
        import(&document.to_string());
    });
}
