//! Recorded output of Handlebars.js: ours matches it byte for byte.

use serde_json::Value;

use crate::support::{arguments, handlebars, kernel, render};

#[tokio::test]
async fn output_matches_handlebars_js() {
    let recorded: Value =
        serde_json::from_str(include_str!("../fixtures/handlebars_js.json")).unwrap();
    let arguments = arguments(recorded["data"].clone());
    let mut differences = Vec::new();
    for case in recorded["cases"].as_array().unwrap() {
        let template = case["template"].as_str().unwrap();
        let output = render(&kernel(), &handlebars(template), &arguments).await;
        let output = output.unwrap_or_else(|error| format!("error: {error}"));
        if output != case["output"].as_str().unwrap() {
            differences.push(format!("{template:?}\n ours {output:?}\n js   {}", case["output"]));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
