//! Calls by models outside the kernel's chats.

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelError, KernelFunction, KernelPlugin, TextSearchPlugins,
    chat::{CallError, CallErrorKind, FunctionChoiceBehavior, ToolAnswer},
    function::{
        FunctionInvocationContext, FunctionInvocationFilter, FunctionMetadata, Next,
        ParameterMetadata,
    },
    search::SearchPluginOptions,
    textsearch_core::{FixedSearch, TextSearchResult, async_trait, chat::ToolCall},
};

use crate::support::kernel_of;

fn function(
    name: &str,
    body: impl Fn() -> Result<Value, KernelError> + Send + Sync + 'static,
) -> KernelFunction {
    KernelFunction::new(FunctionMetadata::new(name, ""), move |_| {
        let returned = body();
        async move { returned }
    })
    .unwrap()
}

async fn answer(kernel: &Kernel, name: &str, max: usize) -> Result<ToolAnswer, CallError> {
    let offered = kernel.offered_functions(&FunctionChoiceBehavior::auto()).unwrap();
    kernel.answer_call(&ToolCall::new("1", name, ""), &offered, max).await
}

#[tokio::test]
async fn an_answer_has_no_control_characters() {
    let kernel = kernel_of([function("Say", || Ok(json!({ "a\u{0}": "b\u{1b}[31m" })))]);
    let answer = answer(&kernel, "Test-Say", 100).await.unwrap();
    assert_eq!(answer.value, json!({ "a": "b[31m" }));
    assert_eq!(answer.text, r#"{"a":"b[31m"}"#);
    assert!(!answer.truncated);
}

#[tokio::test]
async fn a_long_answer_is_cut_to_the_limit() {
    let kernel = kernel_of([function("Say", || Ok(json!(vec!["twenty characters ..."; 9])))]);
    let answer = answer(&kernel, "Test-Say", 120).await.unwrap();
    assert!(answer.truncated && answer.text.len() <= 120, "{}", answer.text);
    assert_eq!(answer.value["truncated"], true);
    assert_eq!(answer.result.value.to_json().as_array().unwrap().len(), 9);
}

#[tokio::test]
async fn a_failure_hides_its_cause() {
    let kernel = kernel_of([function("Say", || Err(KernelError::failed("Test-Say", "10.0.0.7")))]);
    let error = answer(&kernel, "Test-Say", 100).await.unwrap_err();
    assert_eq!(error.report(), json!({ "error": "failed", "message": "the function failed" }));
}

#[tokio::test]
async fn a_reported_error_reaches_the_model() {
    let reported = || Err(KernelError::reported("Test-Say", "no such\u{7} page"));
    let kernel = kernel_of([function("Say", reported)]);
    let error = answer(&kernel, "Test-Say", 100).await.unwrap_err();
    assert_eq!(error.report(), json!({ "error": "failed", "message": "no such page" }));
}

#[tokio::test]
async fn a_report_about_another_function_stays_hidden() {
    let kernel = kernel_of([function("Say", || Err(KernelError::reported("Other-Say", "inner")))]);
    let error = answer(&kernel, "Test-Say", 100).await.unwrap_err();
    assert_eq!(error.message, "the function failed");
}

/// Sets a token that the model must not learn.
struct SetToken;

#[async_trait]
impl FunctionInvocationFilter for SetToken {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<(), KernelError> {
        context.arguments.insert("token", "s3cret");
        next.run(context).await
    }
}

async fn told_with_filter(schema: Value, arguments: &str) -> String {
    let mut metadata = FunctionMetadata::new("Say", "");
    metadata.parameters.push(ParameterMetadata::optional("token", "", schema));
    let count = json!({ "type": "integer" });
    metadata.parameters.push(ParameterMetadata::optional("count", "", count));
    let reported = |_| async { Err(KernelError::reported("Test-Say", "s3cret is wrong")) };
    let mut kernel = kernel_of([KernelFunction::new(metadata, reported).unwrap()]);
    kernel.add_function_filter(SetToken);
    let offered = kernel.offered_functions(&FunctionChoiceBehavior::auto()).unwrap();
    let call = ToolCall::new("1", "Test-Say", arguments);
    kernel.answer_call(&call, &offered, 100).await.unwrap_err().message
}

#[tokio::test]
async fn no_error_repeats_an_argument_of_a_filter() {
    for schema in [json!({ "enum": ["a"] }), json!({})] {
        assert_eq!(told_with_filter(schema, "{}").await, "the function failed");
    }
    let told = told_with_filter(json!({ "enum": ["a"] }), r#"{ "count": "x" }"#).await;
    assert!(told.contains("`count` of `Test-Say`"), "{told}");
}

#[tokio::test]
async fn an_unknown_function_is_an_error_of_its_own() {
    let error = answer(&kernel_of([]), "Test-Say", 100).await.unwrap_err();
    assert_eq!(error.kind, CallErrorKind::UnknownFunction);
}

#[test]
fn replacing_a_plugin_keeps_the_others_in_place() {
    let plugin = |name: &str, function_name: &str| {
        KernelPlugin::new(name, "", [function(function_name, || Ok(Value::Null))]).unwrap()
    };
    let mut kernel = Kernel::new();
    for name in ["A", "B"] {
        kernel.replace_plugin(plugin(name, "Old"));
    }
    kernel.replace_plugin(plugin("a", "New"));
    let names = kernel.plugins().iter().map(|plugin| plugin.functions()[0].name());
    assert_eq!(names.collect::<Vec<_>>(), ["New", "Old"]);
}

#[test]
fn parameters_of_a_schema_are_self_contained() {
    let parameters = ParameterMetadata::from_object_schema(json!({
        "type": "object",
        "properties": {
            "all": { "type": "array", "items": { "$ref": "#/definitions/Item" } },
            "b": { "type": "string", "description": "B.", "default": "x" },
            "z": { "$ref": "https://evil.example/schema.json" },
        },
        "required": ["z", "b"],
        "definitions": { "Item": { "type": "integer" } },
    }));
    let names: Vec<_> = parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.is_required))
        .collect();
    assert_eq!(names, [("z", true), ("b", true), ("all", false)]);
    assert_eq!(parameters[0].schema, json!({}));
    assert_eq!(parameters[1].default, Some(json!("x")));
    assert_eq!(parameters[2].schema, json!({ "type": "array", "items": { "type": "integer" } }));
}

#[test]
fn search_functions_are_read_only_with_the_given_world() {
    let search = FixedSearch::<TextSearchResult>::new([]);
    let mut options = SearchPluginOptions::new("A");
    options.is_open_world = Some(false);
    let plugin = search.create_with_search(options).unwrap();
    let metadata = plugin.functions()[0].metadata();
    assert_eq!((metadata.read_only, metadata.is_open_world), (Some(true), Some(false)));
}
