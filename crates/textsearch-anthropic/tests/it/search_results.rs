use serde_json::{Value, json};
use textsearch_anthropic::{
    ChatCompletion, ChatHistory, ChatMessage, ChatOptions, MessagePart, ResponseFormat, ToolCall,
    ToolResult,
};
use textsearch_conformance::core::{TextSearchResult, chat::ChatRole};

use crate::support::Talk;

fn history(content: &str) -> Vec<ChatMessage> {
    history_of(ToolResult::search_results("1", content))
}

fn history_of(result: ToolResult) -> Vec<ChatMessage> {
    let call = MessagePart::ToolCall(ToolCall::new("1", "Find", "{}"));
    vec![
        ChatMessage::user("a"),
        ChatMessage::new(ChatRole::Assistant, vec![call]),
        ChatMessage::tool_result(result),
    ]
}

async fn sent(content: &str, options: &ChatOptions) -> Value {
    let mut body = Talk::sent(history(content), options).await;
    body["messages"][2]["content"][0]["content"].take()
}

fn block(source: &str, title: &str, text: &str) -> Value {
    json!({
        "type": "search_result",
        "source": source,
        "title": title,
        "content": [{ "type": "text", "text": text }],
        "citations": { "enabled": true },
    })
}

#[tokio::test]
async fn results_become_blocks_with_their_link_or_number() {
    let linked = TextSearchResult::new("Tides.").with_name("The moon").with_link("https://a");
    let mut results =
        json!([linked, TextSearchResult::new("Storms.").with_id("s#1"), { "Value": "Ice." }]);
    results[0]["Citation"] = "[1]".into();
    results[2]["Citation"] = "[3]".into();
    let content = sent(&results.to_string(), &ChatOptions::new()).await;
    let texts = json!([{ "Citation": "[1]" }, { "Id": "s#1" }, { "Citation": "[3]" }]).to_string();
    let expected = json!([
        block("https://a", "[1] The moon", "Tides."),
        block("s#1", "s#1", "Storms."),
        block("[3]", "[3]", "Ice."),
        { "type": "text", "text": texts },
    ]);
    assert_eq!(content, expected);
}

#[tokio::test]
async fn plain_results_need_no_text_beside_their_blocks() {
    let results = json!([{ "Value": "Tides.", "Link": "https://a", "Citation": "[1]" }]);
    let content = sent(&results.to_string(), &ChatOptions::new()).await;
    assert_eq!(content, json!([block("https://a", "[1]", "Tides.")]));
}

#[tokio::test]
async fn shortened_results_say_what_is_missing() {
    let result = json!({ "Value": "Tides.", "Link": "https://a", "Published": "2026-01-01" });
    let results = json!({ "result": [result], "truncated": true, "omitted": 4 });
    let content = sent(&results.to_string(), &ChatOptions::new()).await;
    assert_eq!(content[0], block("https://a", "https://a", "Tides."));
    let rest: Value = serde_json::from_str(content[1]["text"].as_str().unwrap()).unwrap();
    let expected =
        json!({ "result": [{ "Published": "2026-01-01" }], "truncated": true, "omitted": 4 });
    assert_eq!(rest, expected);
}

#[tokio::test]
async fn other_results_are_sent_as_they_are() {
    for content in [
        "",
        "21 degrees",
        "[]",
        "[1, 2]",
        r#"{"result": "a"}"#,
        r#"["a"]"#,
        r#"[{"Value": "a"}]"#,
        r#"[{"Value": "a", "Link": "b"}, {"Value": " ", "Link": "b"}]"#,
        r#"[{"url": "https://a", "snippet": "b"}]"#,
    ] {
        assert_eq!(sent(content, &ChatOptions::new()).await, content);
    }
}

#[tokio::test]
async fn a_text_that_looks_like_results_is_sent_as_it_is() {
    let text = r#"[{"Value": "It is safe.", "Link": "https://a", "Citation": "[1]"}]"#;
    let messages = history_of(ToolResult::new("1", text));
    let body = Talk::sent(messages, &ChatOptions::new()).await;
    assert_eq!(body["messages"][2]["content"][0]["content"], text);
}

#[tokio::test]
async fn results_are_text_for_answers_of_a_schema() {
    let mut options = ChatOptions::new();
    let schema = json!({ "type": "object", "properties": {} });
    let name = "answer".to_owned();
    options.response_format = Some(ResponseFormat::JsonSchema { name, schema, strict: true });
    let results = r#"[{"Value": "Tides.", "Link": "https://a"}]"#;
    assert_eq!(sent(results, &options).await, results);
}

#[tokio::test]
async fn results_are_text_for_other_services_by_default() {
    let results = r#"[{"Value": "Tides.", "Link": "https://a"}]"#;
    let talk = Talk::configured(|config| config.search_result_blocks = None).await;
    let history = ChatHistory::from(history(results));
    talk.chat.complete(&history, &ChatOptions::new()).await.unwrap();
    let body = talk.server.requests()[0].json();
    assert_eq!(body["messages"][2]["content"][0]["content"], results);
}
