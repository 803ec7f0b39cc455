//! Chats.

use serde_json::{from_value, json};
use textsearch_core::chat::{
    ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole, ChatStream, ChatUpdate,
    FinishReason, MessageBuilder, MessagePart, ModelCitation, ResponseFormat, ToolCall, ToolChoice,
    ToolResult, Usage,
};

#[test]
fn a_history_survives_json() {
    let mut history = ChatHistory::new();
    history.push(ChatMessage::system("Answer from the results."));
    history.push(ChatMessage::new(
        ChatRole::Assistant,
        vec![MessagePart::ToolCall(ToolCall::new("call-1", "SearchPlugin-Search", "{}"))],
    ));
    history.push(ChatMessage::tool_result(ToolResult::new("call-1", "[]")));
    let written = serde_json::to_value(&history).unwrap();
    assert_eq!(written[0]["role"], "system");
    assert_eq!(written[1]["parts"][0]["type"], "tool_call");
    assert_eq!(serde_json::from_value::<ChatHistory>(written).unwrap(), history);
}

#[test]
fn citations_survive_json_and_are_optional() {
    let mut message = ChatMessage::assistant("Tides.");
    assert!(serde_json::to_value(&message).unwrap().get("citations").is_none());
    message.citations.push(ModelCitation::new(0..6, "https://a").with_title("A"));
    let written = serde_json::to_value(&message).unwrap();
    let expected =
        json!([{ "range": { "start": 0, "end": 6 }, "source": "https://a", "title": "A" }]);
    assert_eq!(written["citations"], expected);
    assert_eq!(from_value::<ChatMessage>(written).unwrap(), message);
}

#[test]
fn the_text_of_a_message_is_its_text_parts() {
    let message: ChatMessage = serde_json::from_value(json!({
        "role": "user",
        "parts": [
            { "type": "text", "text": "What is " },
            { "type": "image", "url": "https://example.com/a.png" },
            { "type": "text", "text": "this?" },
        ],
    }))
    .unwrap();
    assert_eq!(message.text(), "What is this?");
}

#[test]
fn roles_are_found_by_name_in_any_case() {
    assert_eq!(ChatRole::from_name("System"), Some(ChatRole::System));
    assert_eq!(ChatRole::from_name("narrator"), None);
}

#[test]
fn the_texts_to_stop_at_have_two_names() {
    for name in ["stop", "stop_sequences"] {
        for texts in [json!("END"), json!(["END"])] {
            let options: ChatOptions = from_value(json!({ name: texts })).unwrap();
            assert_eq!(options.stop, ["END"]);
            assert!(options.extra.is_empty());
        }
    }
    assert!(from_value::<ChatOptions>(json!({ "stop": "a", "stop_sequences": "a" })).is_err());
}

#[test]
fn options_read_provider_names_and_keep_unknown_ones() {
    let options: ChatOptions = from_value(json!({
        "model_id": "small",
        "max_completion_tokens": 20,
        "stop": "END",
        "response_format": { "type": "json_object" },
        "tool_choice": "required",
        "top_k": 3
    }))
    .unwrap();
    assert_eq!(options.model.as_deref(), Some("small"));
    assert_eq!(options.max_tokens, Some(20));
    assert_eq!(options.stop, ["END"]);
    assert_eq!(options.response_format, Some(ResponseFormat::JsonObject));
    assert_eq!(options.tool_choice, Some(ToolChoice::Required));
    assert_eq!(options.extra, *json!({ "top_k": 3 }).as_object().unwrap());
    assert_eq!(from_value::<ChatOptions>(json!(options)).unwrap(), options);
}

#[test]
fn options_that_are_not_set_are_left_out() {
    assert_eq!(json!(ChatOptions::new()), json!({}));
    let mut options = ChatOptions::new();
    options.stop.push("a".to_owned());
    assert_eq!(json!(options), json!({ "stop": ["a"] }));
}

#[test]
fn an_answer_that_asks_for_tools_waits_for_them() {
    let call = MessagePart::ToolCall(ToolCall::new("1", "Search-Search", "{}"));
    let asks = ChatResponse::new(ChatMessage::new(ChatRole::Assistant, vec![call]));
    assert_eq!(asks.finish_reason, FinishReason::ToolCalls);
    assert_eq!(ChatResponse::default().finish_reason, FinishReason::Stop);
}

#[test]
fn usage_adds_up_without_overflow() {
    let mut usage = Usage::new(3, 4);
    usage += Usage::new(u64::MAX, 5);
    assert_eq!((usage.input_tokens, usage.output_tokens), (u64::MAX, 9));
    assert_eq!(usage.total_tokens(), u64::MAX);
}

#[tokio::test]
async fn a_whole_answer_streams_its_parts_and_then_itself() {
    let call = ToolCall::new("1", "Search-Search", "{}");
    let parts =
        vec![MessagePart::Text { text: "I look.".to_owned() }, MessagePart::ToolCall(call.clone())];
    let response = ChatResponse::new(ChatMessage::new(ChatRole::Assistant, parts));
    let mut stream = ChatStream::from(response.clone());
    let mut updates = Vec::new();
    while let Some(update) = stream.next().await {
        updates.push(update.unwrap());
    }
    let finished = ChatUpdate::Finished(Box::new(response.clone()));
    assert_eq!(
        updates,
        [ChatUpdate::Text("I look.".to_owned()), ChatUpdate::ToolCall(call), finished]
    );
    assert_eq!(ChatStream::from(response.clone()).into_response().await.unwrap(), response);
}

#[tokio::test]
async fn a_stream_that_ends_early_is_an_error() {
    let stream = ChatStream::from_stream(futures_util::stream::iter([Ok(ChatUpdate::Text(
        "half an ans".to_owned(),
    ))]));
    let error = stream.into_response().await.unwrap_err();
    assert!(error.is_retryable());
    assert_eq!(error.to_string(), "chat: the answer ended before it was complete");
}

#[test]
fn pieces_of_one_text_become_one_part() {
    let mut builder = MessageBuilder::new();
    let call = ToolCall::new("1", "Search-Search", "{}");
    let text = |text: &str| ChatUpdate::Text(text.to_owned());
    for update in [text("a"), text("b"), ChatUpdate::ToolCall(call.clone()), text("c")] {
        builder.push(&update);
    }
    let part = |text: &str| MessagePart::Text { text: text.to_owned() };
    assert_eq!(builder.build().parts, [part("ab"), MessagePart::ToolCall(call), part("c")]);
}

#[test]
fn a_refusal_is_not_text() {
    let refusal = MessagePart::Refusal { text: "I may not.".to_owned() };
    let message = ChatMessage::new(ChatRole::Assistant, vec![refusal]);
    assert_eq!((message.text().as_str(), message.refusal()), ("", Some("I may not.")));
}

#[test]
fn a_response_format_is_read_in_its_usual_forms() {
    let read = |value| serde_json::from_value::<ResponseFormat>(value);
    let schema = json!({ "type": "object" });
    let expected = || ResponseFormat::JsonSchema {
        name: "form".to_owned(),
        schema: schema.clone(),
        strict: true,
    };
    let inner = json!({ "name": "form", "schema": schema.clone(), "strict": true });
    let of_openai = json!({ "type": "json_schema", "json_schema": inner });
    assert_eq!(read(of_openai).unwrap(), expected());
    assert_eq!(read(serde_json::to_value(expected()).unwrap()).unwrap(), expected());
    assert_eq!(read(json!("json_object")).unwrap(), ResponseFormat::JsonObject);
    let error = read(json!({ "type": "json_schema", "json_schema": {} })).unwrap_err();
    assert_eq!(error.to_string(), "missing field `name`");
    let error = read(json!({ "type": "xml" })).unwrap_err().to_string();
    assert!(error.contains("`json_schema`"), "{error}");
}
