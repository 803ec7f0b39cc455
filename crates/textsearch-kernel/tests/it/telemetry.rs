//! The spans around function calls and model requests.

use std::sync::Arc;

use serde_json::{Value, json};
use textsearch_conformance::{CapturedSpan, LogCapture};
use textsearch_kernel::{
    Kernel, KernelArguments, TextSearchPlugins as _,
    function::ParameterMetadata,
    textsearch_core::{
        Error, ErrorKind, FixedSearch, TextSearchResult,
        chat::{ChatHistory, ChatMessage, ToolCall},
    },
};

use crate::support::{Scripted, calls, echo, kernel_of, kernel_with, settings, text};

#[tokio::test]
async fn a_call_is_in_a_span_without_its_content() {
    let log = LogCapture::start();
    let parameter = ParameterMetadata::required("secret", "", json!({ "type": "string" }));
    let kernel = kernel_of([echo([parameter])]);
    let arguments = KernelArguments::new().with("secret", "s3cret");
    kernel.invoke("Test", "Echo", arguments).await.unwrap();
    kernel.invoke_tool_call(&ToolCall::new("call-7", "Test-Echo", "{}")).await.unwrap_err();

    let spans = log.spans();
    let [CapturedSpan { name, fields: first, .. }, CapturedSpan { fields: second, .. }] =
        spans.as_slice()
    else {
        panic!("{spans:?}")
    };
    assert_eq!(*name, "execute_tool");
    assert_eq!(first["otel.name"], "execute_tool Test-Echo");
    assert_eq!(first["gen_ai.operation.name"], "execute_tool");
    assert_eq!(first["gen_ai.tool.name"], "Test-Echo");
    assert_eq!(first["gen_ai.tool.type"], "function");
    assert!(!first.contains_key("error.type"));
    assert_eq!(second["gen_ai.tool.call.id"], "call-7");
    assert_eq!(second["error.type"], "invalid_argument");
    assert!(!format!("{spans:?}").contains("s3cret"));
}

#[tokio::test]
async fn a_span_truncates_a_long_identifier() {
    let log = LogCapture::start();
    let kernel = kernel_of([echo([])]);
    let call = ToolCall::new("x".repeat(5000), "Test-Echo", "{}");
    kernel.invoke_tool_call(&call).await.unwrap();
    let spans = log.spans();
    assert_eq!(spans[0].fields["gen_ai.tool.call.id"], format!("{}…", "x".repeat(100)));
}

/// A chat with one call, in which all content is `s3cret`.
async fn spans_of_chat(records_content: bool, model: &Arc<Scripted>) -> Vec<CapturedSpan> {
    let log = LogCapture::start();
    let parameter = ParameterMetadata::required("word", "", json!({ "type": "string" }));
    let mut kernel = kernel_with(kernel_of([echo([parameter])]), model);
    kernel.set_content_recording(records_content);
    let history = ChatHistory::from(vec![ChatMessage::user("s3cret?")]);
    let settings = settings().with("temperature", 0.5).with("max_tokens", 9).with("stop", "END");
    let _ = kernel.chat(history, settings).await;
    log.spans()
}

fn script() -> Arc<Scripted> {
    let mut answer = text("s3cret!");
    answer.model = Some("script-1-2026".to_owned());
    answer.id = Some("answer-7".to_owned());
    Scripted::new([calls([("Test-Echo", json!({ "word": "s3cret" }))]), answer])
}

#[tokio::test]
async fn a_request_to_a_model_is_in_a_chat_span() {
    let spans = spans_of_chat(false, &script()).await;
    let names: Vec<&str> = spans.iter().map(|span| span.name).collect();
    assert_eq!(names, ["chat", "execute_tool", "chat"]);
    let fields = &spans[2].fields;
    let expected = [
        ("otel.name", "chat script-1"),
        ("otel.kind", "client"),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "scripted"),
        ("gen_ai.request.model", "script-1"),
        ("gen_ai.request.temperature", "0.5"),
        ("gen_ai.request.max_tokens", "9"),
        ("gen_ai.request.stop_sequences", r#"["END"]"#),
        ("gen_ai.response.id", "answer-7"),
        ("gen_ai.response.model", "script-1-2026"),
        ("gen_ai.response.finish_reasons", r#"["stop"]"#),
        ("gen_ai.usage.input_tokens", "10"),
        ("gen_ai.usage.output_tokens", "2"),
    ];
    for (name, value) in expected {
        assert_eq!(fields[name], value, "{name}");
    }
    assert_eq!(fields.len(), expected.len(), "{fields:?}");
    assert_eq!(spans[0].fields["gen_ai.response.finish_reasons"], r#"["tool_calls"]"#);
}

#[tokio::test]
async fn the_span_of_a_failed_request_has_its_error_kind() {
    let model =
        Scripted::with_errors([Err(Error::new(ErrorKind::RateLimited, "scripted", "slow"))]);
    let spans = spans_of_chat(false, &model).await;
    assert_eq!(spans[0].fields["error.type"], "rate_limited");
}

#[tokio::test]
async fn spans_have_no_content_by_default() {
    let spans = spans_of_chat(false, &script()).await;
    assert!(!format!("{spans:?}").contains("s3cret"), "{spans:?}");
}

#[tokio::test]
async fn searches_of_functions_follow_the_content_recording() {
    for is_recorded in [false, true] {
        let log = LogCapture::start();
        let mut kernel = Kernel::new();
        let search = FixedSearch::new([TextSearchResult::new("found").with_id("s3cret-id")]);
        kernel.add_plugin(search.create_with_search("Web").unwrap()).unwrap();
        kernel.set_content_recording(is_recorded);
        let arguments = KernelArguments::new().with("query", "s3cret");
        kernel.invoke("Web", "Search", arguments).await.unwrap();
        let spans = log.spans();
        let CapturedSpan { name, fields, .. } = &spans[1];
        let content = ["query.text", "documents"].map(|content| {
            fields.get(format!("gen_ai.retrieval.{content}").as_str()).map(String::as_str)
        });
        let documents = r#"[{"id":"s3cret-id","score":null}]"#;
        let expected = if is_recorded { [Some("s3cret"), Some(documents)] } else { [None; 2] };
        assert_eq!((*name, content), ("retrieval", expected));
    }
}

#[tokio::test]
async fn spans_have_content_if_the_application_enables_it() {
    let spans = spans_of_chat(true, &script()).await;
    let read = |name: &str| serde_json::from_str::<Value>(&spans[2].fields[name]).unwrap();
    let input = read("gen_ai.input.messages");
    let question = json!({ "role": "user", "parts": [{ "type": "text", "content": "s3cret?" }] });
    assert_eq!(input[0], question);
    assert_eq!(input[1]["parts"][0]["type"], "tool_call");
    let answer =
        json!({ "type": "tool_call_response", "id": "call-0", "response": r#"{"word":"s3cret"}"# });
    assert_eq!(input[2]["parts"], json!([answer]));
    let message = json!({
        "role": "assistant",
        "parts": [{ "type": "text", "content": "s3cret!" }],
        "finish_reason": "stop",
    });
    assert_eq!(read("gen_ai.output.messages"), json!([message]));
    assert_eq!(spans[1].fields["gen_ai.tool.call.arguments"], r#"{"word":"s3cret"}"#);
    assert_eq!(spans[1].fields["gen_ai.tool.call.result"], r#"{"word":"s3cret"}"#);
}
