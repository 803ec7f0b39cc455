use serde_json::json;
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_openai::{ChatCompletion, ChatMessage, ChatOptions, ToolDefinition, ToolResult};

use crate::support::{Talk, question};

#[tokio::test]
async fn calls_are_answered_in_the_next_request() {
    let asks = Turn::tool_call("Docs-Search", &json!({ "query": "a" }))
        .with_tool_call("Docs-Search", &json!({ "query": "b" }));
    let talk = Talk::with([asks, Turn::text("Both.")]).await;
    let parameters = json!({ "type": "object", "properties": { "query": { "type": "string" } } });
    let tool = ToolDefinition::new("Docs-Search", "Searches.", parameters);
    let options = ChatOptions::new().with_tools([tool]);
    let mut history = question();
    let response =
        talk.chat.stream(&history, &options).await.unwrap().into_response().await.unwrap();
    history.push(response.message.clone());
    for call in response.message.tool_calls() {
        history.push(ChatMessage::tool_result(ToolResult::new(&call.id, call.arguments.clone())));
    }
    let answer = talk.chat.complete(&history, &options).await.unwrap();
    assert_eq!(answer.message.text(), "Both.");
    assert_eq!(talk.model.requests()[1].messages()[3]["content"], "{\"query\":\"b\"}");
    talk.model.assert_valid();
}

#[tokio::test]
async fn the_demonstration_searches_and_cites() {
    let talk = Talk::with(ModelScript::demonstration()).await;
    let parameters = json!({ "type": "object", "properties": { "query": { "type": "string" } } });
    let tool = ToolDefinition::new("Docs-Search", "Searches.", parameters);
    let options = ChatOptions::new().with_tools([tool]);
    let mut history = question();
    let response = talk.chat.complete(&history, &options).await.unwrap();
    let call = response.message.tool_calls().next().unwrap().clone();
    assert_eq!(call.arguments, "{\"query\":\"What is it?\"}");
    history.push(response.message);
    let result = r#"[{"Name":"A","Value":"It is.","Link":"https://a.example/"}]"#;
    history.push(ChatMessage::tool_result(ToolResult::new(call.id, result)));
    let answer = talk.chat.complete(&history, &options).await.unwrap();
    assert_eq!(answer.message.text(), "It is. ([A](https://a.example/))");
}
