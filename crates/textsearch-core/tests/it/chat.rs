//! Chats as data.

use serde_json::json;
use textsearch_core::chat::{
    ChatHistory, ChatMessage, ChatRole, MessagePart, ToolCall, ToolResult,
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
