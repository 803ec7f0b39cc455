use serde_json::{Value, json};
use textsearch_conformance::chat::Turn;
use textsearch_openai::{ChatOptions, ErrorKind, ResponseFormat, ToolDefinition};

use crate::support::Talk;

fn strict_tool(parameters: Value) -> ChatOptions {
    let mut tool = ToolDefinition::new("Find", "Finds.", parameters);
    tool.strict = Some(true);
    ChatOptions::new().with_tools([tool])
}

async fn rewritten(parameters: Value) -> Value {
    let talk = Talk::with([Turn::text("Yes.")]).await;
    talk.ask(&strict_tool(parameters)).await.unwrap();
    talk.model.assert_valid();
    let function = &talk.model.requests()[0].body["tools"][0]["function"];
    assert_eq!(function["strict"], true);
    function["parameters"].clone()
}

async fn refused(parameters: Value) -> String {
    let talk = Talk::with([]).await;
    let error = talk.ask(&strict_tool(parameters)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
    error.message().to_owned()
}

#[tokio::test]
async fn optional_arguments_may_be_null_and_all_are_required() {
    let schema = rewritten(json!({
        "type": "object",
        "title": "Arguments",
        "properties": {
            "query": { "type": "string", "description": "What to find.", "maxLength": 9 },
            "count": { "type": "integer", "format": "uint32", "minimum": 0, "default": 2 },
            "order": { "enum": ["up", "down"], "type": "string" },
            "filter": { "$ref": "#/$defs/Filter" },
            "sites": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["query"],
        "$defs": {
            "Filter": {
                "oneOf": [
                    { "type": "object", "properties": { "site": { "const": "a" } }, "required": ["site"] },
                    { "type": "null" },
                ],
            },
        },
    }))
    .await;
    let site = json!({ "enum": ["a"] });
    let expected = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "What to find." },
            "count": { "type": ["integer", "null"], "minimum": 0 },
            "order": { "enum": ["up", "down", null], "type": ["string", "null"] },
            "filter": { "anyOf": [{ "$ref": "#/$defs/Filter" }, { "type": "null" }] },
            "sites": { "type": ["array", "null"], "items": { "type": "string" } },
        },
        "required": schema["required"],
        "additionalProperties": false,
        "$defs": {
            "Filter": {
                "anyOf": [
                    {
                        "type": "object", "properties": { "site": site }, "required": ["site"],
                        "additionalProperties": false,
                    },
                    { "type": "null" },
                ],
            },
        },
    });
    assert_eq!(schema, expected);
    assert_eq!(schema["required"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn a_tool_without_arguments_is_an_empty_object() {
    let expected = json!({
        "type": "object", "properties": {}, "required": [], "additionalProperties": false,
    });
    assert_eq!(rewritten(json!({ "type": "object" })).await, expected);
}

#[tokio::test]
async fn inexpressible_schemas_are_rejected_with_their_place() {
    let with = |property: Value| json!({ "type": "object", "properties": { "a": property } });
    let cases = [
        (json!({ "type": "string" }), "", "its root is not an object, or has anyOf or oneOf"),
        (with(json!(true)), ".properties.a", "it allows any value"),
        (with(json!({ "description": "x" })), ".properties.a", "it allows any value"),
        (with(json!({ "type": "object" })), ".properties.a", "it allows properties of any name"),
        (
            with(json!({ "type": "object", "additionalProperties": { "type": "string" } })),
            ".properties.a",
            "it allows properties of any name",
        ),
        (with(json!({ "type": "string", "not": {} })), ".properties.a", "it says `not`"),
        (with(json!({ "type": "array" })), ".properties.a", "its items may be any value"),
        (
            with(json!({
                "type": "object", "properties": { "b": { "type": "string" } },
                "oneOf": [{ "type": "object", "properties": { "c": { "type": "string" } } }],
            })),
            ".properties.a",
            "it has alternatives beside its properties",
        ),
        (
            json!({
                "type": "object",
                "properties": { "a": { "$ref": "#", "required": ["b"] } },
            }),
            ".properties.a.properties.a",
            "it has other keywords beside `$ref`",
        ),
    ];
    for (schema, place, why) in cases {
        let expected = format!(
            "`tools.Find.parameters{place}` is a schema that cannot be strict ({why}); expected a \
             schema that OpenAI can enforce, or no `strict`"
        );
        assert_eq!(refused(schema).await, expected);
    }
}

#[tokio::test]
async fn nulls_for_omitted_arguments_are_removed() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string" },
            "count": { "type": "integer" },
            "site": { "type": ["string", "null"] },
        },
        "required": ["query"],
    });
    let arguments = json!({ "query": "a", "count": null, "site": null });
    let turn = Turn::tool_call("Find", &arguments);
    let talk = Talk::with([turn.clone(), turn]).await;
    let options = strict_tool(parameters);
    for response in [talk.ask(&options).await.unwrap(), talk.streamed(&options).await.unwrap()] {
        let call = response.message.tool_calls().next().unwrap();
        assert_eq!(call.arguments, "{\"query\":\"a\",\"site\":null}");
    }
}

#[tokio::test]
async fn self_referential_choices_terminate() {
    let itself = json!({ "anyOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }] });
    let parameters = json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/$defs/a" } },
        "$defs": { "a": itself },
    });
    let talk = Talk::with([Turn::tool_call("Find", &json!({ "a": null }))]).await;
    let response = talk.ask(&strict_tool(parameters)).await.unwrap();
    assert_eq!(response.message.tool_calls().next().unwrap().arguments, "{}");
}

#[tokio::test]
async fn a_described_reference_becomes_its_definition() {
    let schema = rewritten(json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/$defs/Node", "description": "The first." },
            "b": { "$ref": "#/$defs/Node", "title": "B" },
            // A variant of an enum with its tag among the fields.
            "c": {
                "$ref": "#/$defs/Leaf", "type": "object",
                "properties": { "kind": { "type": "string", "const": "leaf" } },
                "required": ["kind"],
            },
        },
        "required": ["a", "b", "c"],
        "$defs": {
            "Node": {
                "type": "object", "description": "A node.",
                "properties": { "next": { "$ref": "#/$defs/Node", "description": "The next." } },
                "required": ["next"],
            },
            "Leaf": {
                "type": "object", "properties": { "name": { "type": "string" } },
                "required": ["name"],
            },
        },
    }))
    .await;
    let node = json!({ "$ref": "#/$defs/Node" });
    let within = |description: &str, next: &Value| {
        json!({
            "type": "object", "description": description, "properties": { "next": next },
            "required": ["next"], "additionalProperties": false,
        })
    };
    let properties = &schema["properties"];
    assert_eq!(properties["a"], within("The first.", &node));
    assert_eq!(properties["b"], node);
    assert_eq!(schema["$defs"]["Node"], within("A node.", &within("The next.", &node)));
    let kind = json!({ "type": "string", "enum": ["leaf"] });
    let leaf = json!({
        "type": "object", "properties": { "kind": kind, "name": { "type": "string" } },
        "required": ["kind", "name"], "additionalProperties": false,
    });
    assert_eq!(properties["c"], leaf);
}

#[tokio::test]
async fn a_reference_to_the_root_leaves_out_the_definitions() {
    let tag = json!({ "type": "string", "const": "x" });
    let schema = rewritten(json!({
        "type": "object",
        "properties": { "a": { "type": ["array", "null"], "items": { "$ref": "#/$defs/X" } } },
        "required": ["a"],
        "$defs": { "X": { "$ref": "#", "properties": { "tag": tag }, "required": ["tag"] } },
    }))
    .await;
    let items = json!({ "type": ["array", "null"], "items": { "$ref": "#/$defs/X" } });
    let expected = json!({
        "type": "object",
        "properties": { "a": items, "tag": { "type": "string", "enum": ["x"] } },
        "required": ["a", "tag"],
        "additionalProperties": false,
    });
    assert_eq!(schema["$defs"]["X"], expected);
}

#[tokio::test]
async fn references_that_name_each_other_stay_within_bounds() {
    let both = |name: usize| {
        let next = json!({ "$ref": format!("#/$defs/{}", name + 1), "description": "x" });
        json!({ "type": "object", "properties": { "a": next, "b": next } })
    };
    let mut definitions: serde_json::Map<String, Value> =
        (0..40).map(|name| (name.to_string(), both(name))).collect();
    definitions.insert("40".to_owned(), json!({ "type": "string" }));
    let schema = rewritten(json!({
        "type": "object", "properties": { "a": { "$ref": "#/$defs/0" } }, "$defs": definitions,
    }))
    .await;
    assert!(schema.to_string().len() < 100_000);
}

#[tokio::test]
async fn a_response_format_can_be_strict_too() {
    let talk = Talk::with([Turn::text("{\"a\":1}")]).await;
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let format = ResponseFormat::JsonSchema { name: "form".into(), schema, strict: true };
    let mut options = ChatOptions::new();
    options.response_format = Some(format);
    talk.ask(&options).await.unwrap();
    talk.model.assert_valid();
}

#[tokio::test]
async fn nullable_becomes_a_type_and_unknown_keywords_are_dropped() {
    let schema = rewritten(json!({
        "type": "object",
        "nullable": true,
        "x-internal": 1,
        "properties": {
            "a": { "type": "string", "nullable": true, "enum": ["b", null], "markdownDescription": "c" },
            "d": { "type": "integer", "nullable": false, "x-order": 2 },
        },
        "required": ["a", "d"],
    }))
    .await;
    let expected = json!({
        "type": "object",
        "properties": {
            "a": { "type": ["string", "null"], "enum": ["b", null] },
            "d": { "type": "integer" },
        },
        "required": ["a", "d"],
        "additionalProperties": false,
    });
    assert_eq!(schema, expected);
}
