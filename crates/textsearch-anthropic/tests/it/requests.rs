use serde_json::{Value, json};
use textsearch_anthropic::{
    ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ErrorKind, MessagePart, ResponseFormat,
    ToolCall, ToolChoice, ToolDefinition, ToolResult,
};
use textsearch_conformance::core::chat::ChatRole;

use crate::support::Talk;

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn image(url: &str) -> ChatMessage {
    ChatMessage::new(ChatRole::User, vec![MessagePart::Image { url: url.to_owned() }])
}

async fn refused(history: Vec<ChatMessage>, options: ChatOptions) -> String {
    let talk = Talk::saying("Yes.").await;
    let error = talk.chat.complete(&ChatHistory::from(history), &options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    assert_eq!(talk.server.count(), 0);
    error.to_string()
}

#[tokio::test]
async fn each_role_has_its_form() {
    let calls = ["1", "2"].map(|id| MessagePart::ToolCall(ToolCall::new(id, "Find it", "{}")));
    let mut failed = ToolResult::new("1", "none");
    failed.is_error = true;
    let messages = vec![
        ChatMessage::system("Be brief."),
        ChatMessage::user("Hello"),
        ChatMessage::from_text(ChatRole::Developer, "Be kind."),
        ChatMessage::new(ChatRole::Assistant, calls.to_vec()),
        ChatMessage::tool_result(ToolResult::new("2", "7")),
        ChatMessage::tool_result(failed),
        ChatMessage::user("So?"),
        ChatMessage::assistant(""),
    ];
    let body = Talk::sent(messages, &ChatOptions::new()).await;
    assert_eq!(body["system"], json!([text("Be brief."), text("Be kind.")]));
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "Find_it", "input": {} });
    let result = |id: &str, content: &str, is_error: bool| json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
    let expected = json!([
        { "role": "user", "content": [text("Hello")] },
        { "role": "assistant", "content": [call("1"), call("2")] },
        { "role": "user", "content": [result("2", "7", false), result("1", "none", true), text("So?")] },
    ]);
    assert_eq!(body["messages"], expected);
}

#[tokio::test]
async fn calls_of_a_chat_without_tools_get_stubs() {
    let calls = ["1", "2"].map(|id| MessagePart::ToolCall(ToolCall::new(id, "Find it", "{}")));
    let messages = vec![
        ChatMessage::user("a"),
        ChatMessage::new(ChatRole::Assistant, calls.to_vec()),
        ChatMessage::tool_result(ToolResult::new("1", "7")),
        ChatMessage::tool_result(ToolResult::new("2", "7")),
    ];
    let body = Talk::sent(messages, &ChatOptions::new()).await;
    assert_eq!(body["tools"], json!([{ "name": "Find_it", "input_schema": { "type": "object" } }]));
    assert_eq!(body["tool_choice"], json!({ "type": "none" }));
}

#[tokio::test]
async fn texts_of_white_space_are_left_out() {
    let parts = vec![
        MessagePart::Text { text: "\n\n".to_owned() },
        MessagePart::ToolCall(ToolCall::new("1", "Find", "{}")),
    ];
    let messages = vec![
        ChatMessage::system(" "),
        ChatMessage::user("a"),
        ChatMessage::new(ChatRole::Assistant, parts),
        ChatMessage::tool_result(ToolResult::error("1", " ")),
    ];
    let body = Talk::sent(messages, &ChatOptions::new()).await;
    assert_eq!(body["system"], Value::Null);
    let call = json!([{ "type": "tool_use", "id": "1", "name": "Find", "input": {} }]);
    assert_eq!(body["messages"][1]["content"], call);
    assert_eq!(body["messages"][2]["content"][0]["content"], "The tool failed.");
}

#[tokio::test]
async fn results_come_before_texts_with_allowed_identifiers() {
    let calls = ["f:0", ""].map(|id| MessagePart::ToolCall(ToolCall::new(id, "Find", "{}")));
    let messages = vec![
        ChatMessage::user("a"),
        ChatMessage::new(ChatRole::Assistant, calls.to_vec()),
        ChatMessage::tool_result(ToolResult::new("f:0", "7")),
        ChatMessage::user("and hurry"),
        ChatMessage::tool_result(ToolResult::new("", "8")),
    ];
    let body = Talk::sent(messages, &ChatOptions::new()).await;
    let ids = |message: usize, name: &str| {
        [0, 1].map(|index| body["messages"][message]["content"][index][name].clone())
    };
    assert_eq!(ids(1, "id"), ["f_0", "_"]);
    assert_eq!(ids(2, "tool_use_id"), ["f_0", "_"]);
    assert_eq!(body["messages"][2]["content"][2], text("and hurry"));
}

#[tokio::test]
async fn images_are_sent_by_url_or_data() {
    let messages = vec![image("https://example.com/a.png"), image("data:image/png;base64,AAAA")];
    let body = Talk::sent(messages, &ChatOptions::new()).await;
    let expected = json!([
        { "type": "image", "source": { "type": "url", "url": "https://example.com/a.png" } },
        { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } },
    ]);
    assert_eq!(body["messages"][0]["content"], expected);
    let error = refused(vec![image("file:///etc/passwd")], ChatOptions::new()).await;
    assert!(error.contains("messages[0].url"), "{error}");
}

#[tokio::test]
async fn options_have_the_names_of_the_api() {
    let parameters =
        json!({ "type": "object", "properties": { "n": { "type": "integer", "maximum": 5 } } });
    let mut tool = ToolDefinition::new("Find", "Finds.", parameters);
    tool.strict = Some(true);
    let mut options = ChatOptions::new().with_tools([tool]).with_extra("service_tier", "auto");
    options.max_tokens = Some(7);
    options.stop = vec!["END".to_owned()];
    options.reasoning_effort = Some("low".to_owned());
    options.tool_choice = Some(ToolChoice::Tool("Find".to_owned()));
    options.parallel_tool_calls = Some(false);
    let mut body = Talk::sent(vec![ChatMessage::user("a")], &options).await;
    body.as_object_mut().unwrap().remove("messages");
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer" } },
        "additionalProperties": false,
    });
    let expected = json!({
        "model": "m",
        "max_tokens": 7,
        "stop_sequences": ["END"],
        "output_config": { "effort": "low" },
        "tools": [{ "name": "Find", "description": "Finds.", "input_schema": schema, "strict": true }],
        "tool_choice": { "type": "tool", "name": "Find", "disable_parallel_tool_use": true },
        "service_tier": "auto",
    });
    assert_eq!(body, expected);
}

fn format(schema: Value) -> ChatOptions {
    let mut options = ChatOptions::new();
    let name = "answer".to_owned();
    options.response_format = Some(ResponseFormat::JsonSchema { name, schema, strict: true });
    options
}

#[tokio::test]
async fn a_schema_is_sent_in_its_enforceable_form() {
    let schema = json!({
        "type": "object",
        "properties": {
            "minimum": { "type": "integer", "minimum": 1, "format": "uint" },
            "day": { "oneOf": [{ "type": "string", "format": "date" }, { "$ref": "#/$defs/Day" }] },
            "list": { "type": "array", "items": { "type": "string", "maxLength": 9 }, "maxItems": 3 },
        },
        "$defs": { "Day": { "type": "object", "properties": {} } },
    });
    let body = Talk::sent(vec![ChatMessage::user("a")], &format(schema)).await;
    let expected = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "minimum": { "type": "integer" },
            "day": { "anyOf": [{ "type": "string", "format": "date" }, { "$ref": "#/$defs/Day" }] },
            "list": { "type": "array", "items": { "type": "string" } },
        },
        "$defs": { "Day": { "type": "object", "properties": {}, "additionalProperties": false } },
    });
    assert_eq!(
        body["output_config"]["format"],
        json!({ "type": "json_schema", "schema": expected })
    );
}

#[tokio::test]
async fn what_the_api_lacks_is_refused() {
    let question = || vec![ChatMessage::user("a")];
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let error = refused(question(), format(map)).await;
    assert!(error.contains("response_format.schema.additionalProperties"), "{error}");
    let mut options = ChatOptions::new();
    options.response_format = Some(ResponseFormat::JsonObject);
    assert!(refused(question(), options).await.contains("response_format"));
    let mut options = ChatOptions::new();
    options.tool_choice = Some(ToolChoice::Required);
    assert!(refused(question(), options).await.contains("tool_choice"));
    let mut options = ChatOptions::new();
    options.top_p = Some(0.5);
    assert!(refused(question(), options).await.contains("top_p"));
    let tool = ToolDefinition::new("Find", "Finds.", json!([]));
    let options = ChatOptions::new().with_tools([tool]);
    assert!(refused(question(), options).await.contains("tools.Find.parameters"));
    let options = ChatOptions::new().with_extra("system", "Obey.");
    assert!(refused(question(), options).await.contains("extra.system"));
    let mut named = ChatMessage::user("a");
    named.author = Some("Ada".to_owned());
    assert!(refused(vec![named], ChatOptions::new()).await.contains("messages[0].author"));
    assert!(refused(vec![ChatMessage::system("a")], ChatOptions::new()).await.contains("messages"));
}
