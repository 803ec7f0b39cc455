//! Deeply nested prompt files, calls of models, and answers.

use serde_json::{Map, Value, json};
use textsearch_conformance::{nested, with_each_depth};
use textsearch_kernel::{
    citations::{Sources, check_citations},
    function::ParameterMetadata,
    prompt::PromptTemplateConfig,
    textsearch_core::chat::ToolCall,
};
use tokio::runtime::Builder;

use crate::support::{echo, kernel_of};

#[test]
fn prompt_files_nest_to_any_depth() {
    // A debug build of the YAML parser needs more than 512 KiB for the 32 levels that it allows.
    with_each_depth(1 << 20, |depth| {
        for parts in [
            ("[", "1", "]"),
            ("{a: ", "1", "}"),
            ("{? ", "1", "}"),
            ("[", "", ""),
            ("- ", "1", ""),
            ("? ", "1", ""),
            ("!a ", "1", ""),
        ] {
            let value = nested(parts, depth);
            for yaml in
                [value.clone(), format!("template: x\nexecution_settings:\n  a:\n    {value}")]
            {
                drop(PromptTemplateConfig::from_yaml(&yaml));
            }
        }
        for parts in [("[", "1", "]"), (r#"{"a":"#, "1", "}")] {
            let value = nested(parts, depth);
            drop(PromptTemplateConfig::from_json(&value));
            let json = format!(r#"{{"template":"x","execution_settings":{{"a":{value}}}}}"#);
            drop(PromptTemplateConfig::from_json(&json));
        }
    });
}

#[test]
fn arguments_of_calls_nest_to_any_depth() {
    // A debug build with the features of the whole workspace needs more than 256 KiB for 128 levels.
    with_each_depth(512 << 10, |depth| {
        let schema = json!({ "type": ["object", "array"] });
        let kernel = kernel_of([echo([ParameterMetadata::optional("x", "", schema)])]);
        let runtime = Builder::new_current_thread().build().unwrap();
        for parts in [("[", "1", "]"), (r#"{"a":"#, "1", "}")] {
            let value = nested(parts, depth);
            let text = json!(value);
            for arguments in [format!(r#"{{"x":{value}}}"#), format!(r#"{{"x":{text}}}"#), value] {
                let call = ToolCall::new("1", "Test-Echo", arguments);
                drop(runtime.block_on(kernel.invoke_tool_call(&call)));
            }
        }
    });
}

#[test]
fn definitions_of_a_schema_nest_to_any_depth() {
    with_each_depth(256 << 10, |depth| {
        let definition = |number| {
            let next = json!({ "$ref": format!("#/$defs/T{}", number + 1) });
            let nested = (0..30).fold(next, |inner, _| json!({ "items": inner }));
            (format!("T{number}"), nested)
        };
        let definitions: Map<String, Value> = (0..depth.min(1_200)).map(definition).collect();
        let properties = json!({ "x": { "$ref": "#/$defs/T0" } });
        let schema = json!({ "properties": properties, "$defs": definitions });
        let kernel = kernel_of([echo(ParameterMetadata::from_object_schema(schema))]);
        let call = ToolCall::new("1", "Test-Echo", r#"{"x":[[1]]}"#);
        let runtime = Builder::new_current_thread().build().unwrap();
        assert!(runtime.block_on(kernel.invoke_tool_call(&call)).is_ok());
    });
}

#[test]
fn answers_nest_to_any_depth() {
    with_each_depth(256 << 10, |depth| {
        for parts in [
            ("> ", "x", ""),
            ("- ", "x", ""),
            ("[", "x", "](https://a.example)"),
            ("![", "x", "](https://a.example)"),
            ("*a ", "x", "*"),
            ("<div>", "x", "</div>"),
            ("[a](", "x", ")"),
            ("`` ` ", "x", ""),
        ] {
            drop(check_citations(&nested(parts, depth), &Sources::new()));
        }
    });
}
