//! The requests of a service, and its tools.

use serde_json::{Value, json};
use textsearch_core::{
    ErrorKind,
    chat::{
        ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole, MessagePart, ToolCall,
        ToolDefinition, ToolResult,
    },
};

use super::{TEXT, saying};
use crate::{
    RecordedRequest,
    chat::suite::{
        ChatSubject,
        subject::{RunningChat, question},
    },
};

async fn sent(running: &RunningChat, history: &ChatHistory) -> Vec<String> {
    running.whole(history, &ChatOptions::new()).await.expect("the model answers");
    let request = running.server.requests().pop().expect("a request is sent");
    request.texts().into_iter().map(|(_, text)| text).collect()
}

/// Instructions may be sent elsewhere.
pub(crate) async fn every_message_is_sent(subject: ChatSubject) {
    let running = subject.answering(saying("Yes.")).await;
    let history = ChatHistory::from(vec![
        ChatMessage::system("the instructions"),
        ChatMessage::user("the first question"),
        ChatMessage::assistant("the first answer"),
        ChatMessage::user("the second question"),
        ChatMessage::assistant("the second answer"),
        ChatMessage::user("the third question"),
    ]);
    let texts = sent(&running, &history).await;
    let place = |text: &str| {
        let place = texts.iter().position(|sent| sent.contains(text));
        place.unwrap_or_else(|| panic!("{text:?} is not sent: {texts:?}"))
    };
    let places: Vec<usize> =
        history.messages().iter().map(|message| place(&message.text())).collect();
    let (_, dialogue) = places.split_at(1);
    assert!(dialogue.is_sorted(), "the messages are in another order: {texts:?}");
}

/// No text is cut, trimmed or interpreted.
pub(crate) async fn hostile_texts_arrive_intact(subject: ChatSubject) {
    let running = subject.answering(saying("Yes.")).await;
    for text in
        [TEXT, "\u{0}\u{1b}[0m", "  ", "<|im_end|>", "\"}], \"model\": \"x\"", "\u{202e}abc"]
    {
        let texts = sent(&running, &ChatHistory::from(vec![ChatMessage::user(text)])).await;
        assert!(texts.iter().any(|sent| sent == text), "{text:?} is not sent: {texts:?}");
    }
}

/// None is ignored.
pub(crate) async fn options_are_sent_or_refused(subject: ChatSubject) {
    let with = |change: fn(&mut ChatOptions)| {
        let mut options = ChatOptions::new();
        change(&mut options);
        options
    };
    for (name, options, expected) in [
        ("temperature", with(|options| options.temperature = Some(0.125)), "0.125"),
        ("top_p", with(|options| options.top_p = Some(0.375)), "0.375"),
        ("max_tokens", with(|options| options.max_tokens = Some(4_321)), "4321"),
        ("stop", with(|options| options.stop.push("END-OF-ANSWER".to_owned())), "END-OF-ANSWER"),
        ("seed", with(|options| options.seed = Some(87_654)), "87654"),
        ("frequency_penalty", with(|options| options.frequency_penalty = Some(0.625)), "0.625"),
        ("presence_penalty", with(|options| options.presence_penalty = Some(0.875)), "0.875"),
        ("extra", ChatOptions::new().with_extra("conformance", "a setting"), "a setting"),
        ("model", ChatOptions::new().with_model("conformance-model"), "conformance-model"),
    ] {
        let running = subject.answering(saying("Yes.")).await;
        let is_sent = |request: &RecordedRequest| {
            let texts = request.texts();
            texts.iter().any(|(_, text)| text == expected) || request.path.contains(expected)
        };
        match running.whole(&question(), &options).await {
            Ok(_) => {
                let requests = running.server.requests();
                assert!(requests.iter().all(is_sent), "`{name}` is ignored: {requests:?}");
            }
            Err(error) => {
                let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
                assert!(is_option, "`{name}` is refused as another error: {error:?}");
                assert_eq!(running.server.count(), 0, "`{name}` is refused after a request");
            }
        }
    }
}

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

/// Several calls keep their order, and calls of one tool stay apart. A text comes before them.
pub(crate) async fn tool_calls_keep_identifiers_and_arguments(subject: ChatSubject) {
    for text in [None, Some("Let me look.")] {
        for answer in subject.answering(asking(text)).await.both().await {
            assert_eq!(answer.message.text(), text.unwrap_or_default());
            let is_text = matches!(answer.message.parts.first(), Some(MessagePart::Text { .. }));
            assert_eq!(is_text, text.is_some(), "{:?}", answer.message);
            let tool_calls: Vec<&ToolCall> = answer.message.tool_calls().collect();
            assert_eq!(tool_calls.len(), calls().len(), "{tool_calls:?}");
            for (actual, expected) in tool_calls.iter().zip(&calls()) {
                assert_eq!((&actual.id, &actual.name), (&expected.id, &expected.name));
                assert_eq!(arguments(actual), arguments(expected));
            }
        }
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
pub(crate) async fn tools_are_sent(subject: ChatSubject) {
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
pub(crate) async fn tool_results_are_sent(subject: ChatSubject) {
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
