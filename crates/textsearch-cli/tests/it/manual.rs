use serde_json::json;

use crate::support::Workplace;

fn papers() -> Workplace {
    let papers = r#"{"id":"a","text":"Dense retrieval","year":2020,"count":3,"tag":["survey"]}"#;
    Workplace::with(&[("papers.jsonl", papers)])
}

#[test]
fn the_manual_shows_function_parameters_and_return_value() {
    let manual = papers().json(&["manual", "--from", "papers.jsonl", "--top", "7"]);
    assert_eq!(manual.as_array().unwrap().len(), 1);
    assert_eq!(manual[0]["name"], "SearchPlugin.GetSearchResults");
    let parameters = &manual[0]["parameters"];
    assert_eq!(parameters["required"], json!(["query"]));
    assert_eq!(parameters["properties"]["count"]["default"], 7);
    let schema = &manual[0]["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(schema["type"], "array");
    assert!(schema["items"]["properties"]["Link"].is_object());
}

#[test]
fn record_fields_become_parameters_unless_names_clash() {
    let manual = papers().json(&["manual", "--from", "papers.jsonl"]);
    let properties = manual[0]["parameters"]["properties"].as_object().unwrap();
    assert!(properties.contains_key("year_min") && properties.contains_key("tag"));
    assert!(!properties.contains_key("count_min"), "{properties:?}");
}

#[test]
fn kind_selects_the_function_and_format_its_shape() {
    let arguments = ["manual", "--from", "papers.jsonl", "--format", "openai", "--kind", "records"];
    let tools = papers().json(&arguments);
    assert_eq!(tools[0]["type"], "function");
    assert_eq!(tools[0]["function"]["name"], "SearchPlugin-GetRecords");
    assert_eq!(tools[0]["function"]["parameters"]["required"], json!(["query"]));
}

#[test]
fn a_field_held_by_the_fixed_filter_is_no_parameter() {
    let fixed = "year = 2020 and tag exists";
    let manual = papers().json(&["manual", "--from", "papers.jsonl", "--fixed-filter", fixed]);
    let properties = manual[0]["parameters"]["properties"].as_object().unwrap();
    assert!(properties.contains_key("tag"), "{properties:?}");
    assert!(!properties.keys().any(|name| name.starts_with("year")), "{properties:?}");
}
