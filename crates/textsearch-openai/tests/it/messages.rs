use serde_json::{Value, json};
use textsearch_conformance::{chat::Turn, core::chat::ChatRole};
use textsearch_openai::{
    ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ErrorKind, MessagePart, ToolCall,
    ToolResult,
};

use crate::support::Talk;

async fn sent(messages: Vec<ChatMessage>) -> Vec<Value> {
    let talk = Talk::with([Turn::text("Yes.")]).await;
    talk.chat.complete(&ChatHistory::from(messages), &ChatOptions::new()).await.unwrap();
    talk.model.assert_valid();
    talk.model.requests()[0].messages().to_vec()
}

async fn refused(message: ChatMessage) -> String {
    let talk = Talk::with([]).await;
    let history = ChatHistory::from(vec![ChatMessage::user("a"), message]);
    let error = talk.chat.complete(&history, &ChatOptions::new()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
    assert!(talk.model.requests().is_empty());
    error.message().to_owned()
}

fn text(text: &str) -> MessagePart {
    MessagePart::Text { text: text.to_owned() }
}

fn image(url: &str) -> MessagePart {
    MessagePart::Image { url: url.to_owned() }
}

#[tokio::test]
async fn each_role_has_its_form() {
    let calls = ["1", "2"].map(|id| MessagePart::ToolCall(ToolCall::new(id, "Find", "{}")));
    let results = ["2", "1"].map(|id| MessagePart::ToolResult(ToolResult::new(id, "found")));
    let mut named = ChatMessage::user("a");
    named.author = Some("Ada".to_owned());
    let messages = sent(vec![
        ChatMessage::system("be brief"),
        ChatMessage::from_text(ChatRole::Developer, "be kind"),
        named,
        ChatMessage::new(ChatRole::Assistant, calls.to_vec()),
        ChatMessage::new(ChatRole::Tool, results.to_vec()),
        ChatMessage::assistant("It is."),
    ]);
    let call = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "Find", "arguments": "{}" } });
    let expected = json!([
        { "role": "system", "content": "be brief" },
        { "role": "developer", "content": "be kind" },
        { "role": "user", "content": "a", "name": "Ada" },
        { "role": "assistant", "content": null, "tool_calls": [call("1"), call("2")] },
        { "role": "tool", "tool_call_id": "2", "content": "found" },
        { "role": "tool", "tool_call_id": "1", "content": "found" },
        { "role": "assistant", "content": "It is." },
    ]);
    assert_eq!(Value::from(messages.await), expected);
}

#[tokio::test]
async fn images_are_sent_next_to_texts() {
    let parts = vec![text("What is it?"), image("data:image/png;base64,AAAA")];
    let messages = sent(vec![ChatMessage::new(ChatRole::User, parts)]).await;
    let content = json!([
        { "type": "text", "text": "What is it?" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
    ]);
    assert_eq!(messages[0]["content"], content);
}

#[tokio::test]
async fn a_refusal_is_sent_back_as_a_refusal() {
    let refusal = MessagePart::Refusal { text: "No.".to_owned() };
    let message = ChatMessage::new(ChatRole::Assistant, vec![refusal]);
    let messages = sent(vec![ChatMessage::user("a"), message, ChatMessage::user("b")]).await;
    assert_eq!(messages[1], json!({ "role": "assistant", "content": null, "refusal": "No." }));
}

#[tokio::test]
async fn parts_of_another_role_are_refused_with_their_place() {
    let cases = [
        (
            ChatMessage::new(ChatRole::System, vec![image("https://a.example/b.png")]),
            "`messages[1]` is an image of the role `system`; expected texts",
        ),
        (
            ChatMessage::new(ChatRole::Tool, vec![text("a")]),
            "`messages[1]` is a text of the role `tool`; expected results of tools",
        ),
        (
            ChatMessage::new(ChatRole::User, vec![]),
            "`messages[1]` is empty; expected texts and images",
        ),
        (
            ChatMessage::new(ChatRole::User, vec![image("file:///etc/passwd")]),
            "`messages[1].url` is `file:///etc/passwd`; expected https://, http://, data:image/",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(refused(message).await, expected);
    }
}

#[tokio::test]
async fn non_object_arguments_are_sent_back_as_empty_object() {
    for (written, expected) in [
        (r#"{"query": "a"}"#, r#"{"query": "a"}"#),
        (" {}\n", " {}\n"),
        (r#"{"query": "#, "{}"),
        ("[1]", "{}"),
        ("\"a\"", "{}"),
        ("null", "{}"),
        ("{} {}", "{}"),
        (" ", "{}"),
    ] {
        let call = MessagePart::ToolCall(ToolCall::new("1", "Find", written));
        let messages = sent(vec![
            ChatMessage::user("a"),
            ChatMessage::new(ChatRole::Assistant, vec![call]),
            ChatMessage::tool_result(ToolResult::error("1", "they are no object")),
        ])
        .await;
        assert_eq!(messages[1]["tool_calls"][0]["function"]["arguments"], expected, "{written}");
        assert_eq!(messages[2]["content"], "they are no object");
    }
}

#[tokio::test]
async fn invented_function_names_are_sent_back_in_valid_form() {
    let long = "x".repeat(100);
    for (written, expected) in
        [("Docs.Søk\n", "Docs_S_k_"), ("", "_"), (long.as_str(), &long[..64]), ("A-b_1", "A-b_1")]
    {
        let call = MessagePart::ToolCall(ToolCall::new("1", written, "{}"));
        let messages = sent(vec![
            ChatMessage::user("a"),
            ChatMessage::new(ChatRole::Assistant, vec![call]),
            ChatMessage::tool_result(ToolResult::new("1", "there is no such function")),
        ])
        .await;
        assert_eq!(messages[1]["tool_calls"][0]["function"]["name"], expected);
    }
}

#[tokio::test]
async fn reasoning_of_another_provider_is_left_out() {
    let content = serde_json::json!({ "type": "thinking" });
    let reasoning = MessagePart::Reasoning { provider: "anthropic".to_owned(), content };
    let text = MessagePart::Text { text: "Yes.".to_owned() };
    let answer = ChatMessage::new(ChatRole::Assistant, vec![reasoning, text]);
    let messages = sent(vec![ChatMessage::user("a"), answer]).await;
    assert_eq!(messages[1], serde_json::json!({ "role": "assistant", "content": "Yes." }));
}
