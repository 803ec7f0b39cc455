//! Preparation of a call's arguments for the body.

use serde_json::{Value, json};
use textsearch_kernel::{KernelArguments, function::ParameterMetadata};

use crate::support::echoed;

fn count() -> ParameterMetadata {
    let schema = json!({ "type": "integer", "minimum": 1, "maximum": 50 });
    ParameterMetadata::optional("count", "Number of results", schema).with_default(2)
}

fn query() -> ParameterMetadata {
    ParameterMetadata::required("query", "What to search for", json!({ "type": "string" }))
}

#[tokio::test]
async fn defaults_are_filled_in() {
    let got = echoed([query(), count()], KernelArguments::new().with("query", "a")).await.unwrap();
    assert_eq!(got, json!({ "query": "a", "count": 2 }));
}

#[tokio::test]
async fn a_missing_required_argument_is_named() {
    let error = echoed([query(), count()], KernelArguments::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the argument `query` of `Test-Echo` is missing; required arguments: query"
    );
}

#[tokio::test]
async fn null_means_omitted() {
    let arguments = KernelArguments::new().with("query", "a").with("count", Value::Null);
    assert_eq!(
        echoed([query(), count()], arguments).await.unwrap(),
        json!({ "query": "a", "count": 2 })
    );
    let arguments = KernelArguments::new().with("query", Value::Null);
    let error = echoed([query()], arguments).await.unwrap_err();
    assert!(error.to_string().contains("is missing"), "{error}");
}

#[tokio::test]
async fn null_is_a_value_if_a_required_parameter_allows_it() {
    let parameter = ParameterMetadata::required("value", "", json!({ "type": ["string", "null"] }));
    let arguments = KernelArguments::new().with("value", Value::Null);
    assert_eq!(echoed([parameter], arguments).await.unwrap(), json!({ "value": null }));
}

#[tokio::test]
async fn drops_undeclared_arguments() {
    let arguments = KernelArguments::new().with("query", "a").with("secret", "s");
    assert_eq!(echoed([query()], arguments).await.unwrap(), json!({ "query": "a" }));
}

#[tokio::test]
async fn names_ignore_case_and_are_passed_as_declared() {
    let arguments = KernelArguments::new().with("QUERY", "a");
    assert_eq!(echoed([query()], arguments).await.unwrap(), json!({ "query": "a" }));
}

#[tokio::test]
async fn a_template_can_write_numbers_as_texts() {
    let arguments = KernelArguments::new().with("query", "5").with("count", "7");
    assert_eq!(
        echoed([query(), count()], arguments).await.unwrap(),
        json!({ "query": "5", "count": 7 })
    );
}

#[tokio::test]
async fn a_value_out_of_bounds_names_the_allowed_range() {
    let arguments = KernelArguments::new().with("query", "a").with("count", 51);
    let error = echoed([query(), count()], arguments).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the argument `count` of `Test-Echo` must be from 1 to 50: found 51"
    );
}

#[test]
fn an_argument_replaces_another_of_the_same_name() {
    let mut arguments = KernelArguments::new().with("a", 1).with("b", 2).with("A", 3);
    assert_eq!(arguments.len(), 2);
    assert_eq!(arguments.iter().collect::<Vec<_>>(), [("a", &json!(3)), ("b", &json!(2))]);
    assert_eq!(arguments.remove("a"), Some(json!(3)));
    assert!(!arguments.contains("a"));
}
