//! Prompt configurations from YAML and JSON.

use serde_json::json;
use textsearch_kernel::{KernelError, prompt::PromptTemplateConfig};

/// In the format of Semantic Kernel's prompt files.
const STORY: &str = r#"
name: GenerateStory
description: A function that generates a story about a topic.
template: |
  <message role="system">Tell a story.</message>
  <message role="user">About {{$topic}}, {{$length}} sentences.</message>
template_format: semantic-kernel
input_variables:
  - name: topic
    description: The topic of the story.
    is_required: true
    json_schema: '{"type":"string"}'
  - name: length
    description:
    default: 3
    json_schema: { type: integer }
    allow_dangerously_set_content: true
output_variable:
  description: The generated story.
execution_settings:
  default:
    temperature: 0.6
    stop_sequences: ["END"]
  service1:
    model_id: gpt-4
    temperature: 0.2
"#;

#[test]
fn a_prompt_file_is_read() {
    let config = PromptTemplateConfig::from_yaml(STORY).unwrap();
    assert_eq!(config.name, "GenerateStory");
    assert!(config.template.starts_with("<message role=\"system\">Tell a story.</message>\n"));
    let topic = config.input_variable("Topic").unwrap();
    assert!(topic.is_required && topic.default.is_none());
    assert_eq!(topic.json_schema, Some(json!({ "type": "string" })));
    let length = config.input_variable("length").unwrap();
    assert_eq!((length.description.as_str(), &length.default), ("", &Some(json!(3))));
    assert_eq!(length.json_schema, Some(json!({ "type": "integer" })));
    assert!(config.is_variable_trusted("length") && !config.is_variable_trusted("topic"));
    assert_eq!(config.output_variable.as_ref().unwrap().description, "The generated story.");
    let settings = &config.execution_settings["default"];
    assert_eq!(settings.get("temperature"), Some(&json!(0.6)));
    assert_eq!(settings.get("stop_sequences"), Some(&json!(["END"])));
    assert_eq!(config.execution_settings["service1"].get("model_id"), Some(&json!("gpt-4")));
}

#[test]
fn json_and_yaml_make_the_same_prompt() {
    let config = PromptTemplateConfig::from_yaml(STORY).unwrap();
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(PromptTemplateConfig::from_json(&json).unwrap(), config);
}

#[test]
fn the_config_of_a_prompt_folder_is_read() {
    let json = r#"{
        "schema": 1,
        "type": "completion",
        "description": "Gets the intent of the user.",
        "execution_settings": { "default": { "max_tokens": 1000, "temperature": 0 } },
        "input_variables": [{ "name": "request", "description": "What was asked.", "is_required": true }]
    }"#;
    let config = PromptTemplateConfig::from_json(json).unwrap();
    assert_eq!(config.template_format, "semantic-kernel");
    assert!(config.input_variable("request").unwrap().is_required);
}

#[test]
fn an_unknown_field_error_lists_the_known_fields() {
    let yaml = "name: a\ntemplate: b\ninput_variables:\n  - name: c\n    defualt: d\n";
    let Err(KernelError::InvalidPromptConfig { message, .. }) =
        PromptTemplateConfig::from_yaml(yaml)
    else {
        panic!("it is misspelt");
    };
    assert!(
        message.contains("defualt") && message.contains("allow_dangerously_set_content"),
        "{message}"
    );
    assert!(message.contains("line 5"), "{message}");
    assert!(!message.contains('\n'), "{message}");
    let error = PromptTemplateConfig::from_json("{\n\"nmae\": 1}").unwrap_err().to_string();
    assert!(error.contains("nmae") && error.contains("line 2"), "{error}");
}

#[test]
fn an_invalid_configuration_is_an_error_with_its_line() {
    for yaml in
        ["name: [a", "- a\n- b", "name: a\nname: b", "template:\n\t- x", "execution_settings: 5"]
    {
        let error = PromptTemplateConfig::from_yaml(yaml).unwrap_err().to_string();
        assert!(error.contains("line "), "{yaml:?}: {error}");
    }
}

#[test]
fn a_small_file_cannot_grow_large() {
    let mut bomb =
        String::from("execution_settings:\n  a: &a0 { x: [y, y, y, y, y, y, y, y, y, y] }\n");
    for level in 1..12 {
        let last = level - 1;
        bomb.push_str(&format!(
            "  b{level}: &a{level} {{ x: [{}] }}\n",
            vec![format!("*a{last}"); 10].join(", ")
        ));
    }
    assert!(PromptTemplateConfig::from_yaml(&bomb).is_err());
    let deep = format!("execution_settings: {}{}", "{a: ".repeat(10_000), "}".repeat(10_000));
    assert!(PromptTemplateConfig::from_yaml(&deep).is_err());
    let deep = format!("{{\"execution_settings\":{}", "{\"a\":".repeat(10_000));
    assert!(PromptTemplateConfig::from_json(&deep).is_err());
}

#[test]
fn a_repeated_key_is_named() {
    let json = r#"{
        "template": "a",
        "execution_settings": { "default": { "temperature": 0, "temperature": 1 } }
    }"#;
    let error = PromptTemplateConfig::from_json(json).unwrap_err().to_string();
    assert!(error.contains("the key `temperature` is there twice"), "{error}");
    assert!(error.contains("line 3"), "{error}");
    let yaml =
        "template: a\nexecution_settings:\n  default:\n    temperature: 0\n    temperature: 1\n";
    let error = PromptTemplateConfig::from_yaml(yaml).unwrap_err().to_string();
    assert!(error.contains("the key `temperature` is there twice at line 5"), "{error}");
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_prompt() {
    let json = PromptTemplateConfig::from_json("\u{feff}{\"template\": \"a\"}").unwrap();
    let yaml = PromptTemplateConfig::from_yaml("\u{feff}template: a\n").unwrap();
    assert_eq!((json.template.as_str(), yaml.template.as_str()), ("a", "a"));
}

#[test]
fn an_empty_prompt_file_is_an_error() {
    let expected =
        "the prompt configuration cannot be read: it is empty; write at least a field `template`";
    for text in ["", "\u{feff} \n"] {
        assert_eq!(PromptTemplateConfig::from_yaml(text).unwrap_err().to_string(), expected);
        assert_eq!(PromptTemplateConfig::from_json(text).unwrap_err().to_string(), expected);
    }
}
