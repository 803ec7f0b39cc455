//! Calls as a model writes them.

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelError, function::ParameterMetadata, textsearch_core::chat::ToolCall,
};

use crate::support::{echo, kernel_of};

fn kernel() -> Kernel {
    let day = ParameterMetadata::required("day", "", json!({ "type": "string" }));
    let count =
        ParameterMetadata::optional("count", "", json!({ "type": "integer" })).with_default(2);
    kernel_of([echo([day, count])])
}

async fn call(name: &str, arguments: &str) -> Result<Value, KernelError> {
    Ok(kernel().invoke_tool_call(&ToolCall::new("1", name, arguments)).await?.value.into_json())
}

#[tokio::test]
async fn a_tool_call_runs_the_function() {
    let got = call("Test-Echo", r#"{ "day": "today", "count": null }"#).await.unwrap();
    assert_eq!(got, json!({ "day": "today", "count": 2 }));
}

#[tokio::test]
async fn an_unknown_function_error_lists_the_registered_ones() {
    for name in ["Test-Missing", "Other-Echo", "Echo", "Test.Echo", "", "-"] {
        let error = call(name, "{}").await.unwrap_err();
        let expected =
            format!("there is no function `{name}`: the registered functions are Test-Echo");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_refused() {
    for (written, problem) in [
        ("[1]", "found a list"),
        ("\"today\"", "found a string"),
        ("null", "found null"),
        ("{ day: 1 }", "key must be a string at line 1 column 3"),
        ("{\"day\":\"today\"", "EOF while parsing an object at line 1 column 14"),
    ] {
        let error = call("Test-Echo", written).await.unwrap_err();
        let expected = format!("the arguments of `Test-Echo` must be a JSON object: {problem}");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn an_unknown_argument_error_lists_the_parameters() {
    let error = call("Test-Echo", r#"{ "day": "today", "unit": "c" }"#).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the argument `unit` of `Test-Echo` is unknown; use only day, count"
    );
}

#[tokio::test]
async fn no_arguments_at_all_are_an_empty_object() {
    let error = call("Test-Echo", "").await.unwrap_err();
    assert!(error.to_string().contains("`day` of `Test-Echo` is missing"), "{error}");
}

#[tokio::test]
async fn a_name_is_split_at_the_first_hyphen() {
    let mut metadata = textsearch_kernel::function::FunctionMetadata::new("get-by-id", "");
    metadata.description = "Gets.".to_owned();
    let function = textsearch_kernel::KernelFunction::new(metadata, |_| async { Ok(json!("got")) });
    let kernel = kernel_of([function.unwrap()]);
    let result =
        kernel.invoke_tool_call(&ToolCall::new("1", "Test-get-by-id", "{}")).await.unwrap();
    assert_eq!(result.value, json!("got"));
}

#[tokio::test]
async fn a_repeated_argument_is_refused() {
    for second in ["Day", "day", "d\\u0061y"] {
        let arguments = format!(r#"{{ "day": "today", "{second}": "tomorrow" }}"#);
        let error = call("Test-Echo", &arguments).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the argument `day` of `Test-Echo` is given twice (names ignore case); give it once"
        );
    }
}

#[tokio::test]
async fn errors_truncate_text_from_the_model() {
    let long = "é".repeat(100_000);
    for (name, arguments) in
        [(long.as_str(), "{}".to_owned()), ("Test-Echo", json!({ &long: 1 }).to_string())]
    {
        let message = call(name, &arguments).await.unwrap_err().to_string();
        assert!(message.chars().count() < 250, "{}", message.len());
        assert!(message.contains("é…`"), "{message}");
    }
}
