//! Tools and their calls.

use serde_json::{Value, json};
use textsearch_core::chat::{
    ChatMessage, ChatOptions, ChatResponse, ChatRole, MessagePart, ToolCall, ToolDefinition,
    ToolResult,
};

use super::{TEXT, saying};
use crate::{
    chat::suite::{ChatSubject, subject::question},
    report::skipped,
};

fn calls() -> [ToolCall; 3] {
    let odd = json!({ "query": TEXT, "count": 2, "deep": [{ "a": null }] });
    [
        ToolCall::new("call_b", "Docs-Search", odd.to_string()),
        ToolCall::new("call_a", "Docs-Search", r#"{"query":"second"}"#),
        ToolCall::new("call_c", "Clock-Now", "{}"),
    ]
}

fn asking(text: Option<&str>) -> ChatResponse {
    let text = text.map(|text| MessagePart::Text { text: text.to_owned() });
    let parts = text.into_iter().chain(calls().map(MessagePart::ToolCall));
    ChatResponse::new(ChatMessage::new(ChatRole::Assistant, parts.collect()))
}

fn arguments(call: &ToolCall) -> Value {
    serde_json::from_str(&call.arguments).expect("the arguments are JSON")
}

/// Several calls keep their order, and calls of one tool stay apart.
pub async fn tool_calls_keep_identifiers_and_arguments(subject: ChatSubject) {
    if !subject.capabilities.tools {
        return skipped("tools");
    }
    for answer in subject.answering(asking(None)).await.both().await {
        let found: Vec<&ToolCall> = answer.message.tool_calls().collect();
        assert_eq!(found.len(), calls().len(), "{found:?}");
        for (found, expected) in found.iter().zip(&calls()) {
            assert_eq!((&found.id, &found.name), (&expected.id, &expected.name));
            assert_eq!(arguments(found), arguments(expected));
        }
    }
}

/// The answer has both.
pub async fn text_comes_before_its_tool_calls(subject: ChatSubject) {
    if !subject.capabilities.tools {
        return skipped("tools");
    }
    for answer in subject.answering(asking(Some("Let me look."))).await.both().await {
        assert_eq!(answer.message.text(), "Let me look.");
        assert!(matches!(answer.message.parts.first(), Some(MessagePart::Text { .. })));
        assert_eq!(answer.message.tool_calls().count(), calls().len());
    }
}

fn search() -> ToolDefinition {
    let parameters = json!({
        "type": "object",
        "properties": { "needle": { "type": "string", "description": "What to look for." } },
        "required": ["needle"],
    });
    ToolDefinition::new("Docs-Search", "Searches the documents.", parameters)
}

/// Name, description and schema, in both kinds of calls.
pub async fn tools_are_sent(subject: ChatSubject) {
    if !subject.capabilities.tools {
        return skipped("tools");
    }
    let running = subject.answering(saying("Yes.")).await;
    let options = ChatOptions::new().with_tools([search()]);
    running.whole(&question(), &options).await.expect("the model answers");
    running.listen(&question(), &options).await.expect("the model streams");
    for request in running.server.requests() {
        let texts = request.texts();
        for sent in ["Docs-Search", "Searches the documents.", "What to look for.", "needle"] {
            let is_sent = texts.iter().any(|(name, text)| text == sent || name.contains(sent));
            assert!(is_sent, "{sent:?} is not sent: {texts:?}");
        }
    }
}

/// The provider gets each call again, with its result.
pub async fn tool_results_are_sent(subject: ChatSubject) {
    if !subject.capabilities.tools {
        return skipped("tools");
    }
    let running = subject.answering(saying("Yes.")).await;
    let options = ChatOptions::new().with_tools([search()]);
    let mut history = question();
    history.push(asking(None).message);
    for call in calls() {
        let result = ToolResult::new(&call.id, format!("the result of {}", call.id));
        history.push(ChatMessage::tool_result(result));
    }
    running.whole(&history, &options).await.expect("the model answers");
    let requests = running.server.requests();
    let texts = requests.first().expect("a request is sent").texts();
    for call in calls() {
        let times = texts.iter().filter(|(_, text)| *text == call.id).count();
        assert!(times >= 2, "`{}` is not both in a call and in a result: {texts:?}", call.id);
        let result = format!("the result of {}", call.id);
        assert!(texts.iter().any(|(_, text)| text.contains(&result)), "{result:?} is not sent");
    }
}
