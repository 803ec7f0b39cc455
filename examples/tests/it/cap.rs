//! A model that never stops calling functions.

use serde_json::json;
use textsearch_conformance::chat::{ModelRequest, ModelScript, Turn};
use textsearch_core::{FixedSearch, TextSearchResult, chat::ChatMessage};
use textsearch_kernel::{
    KernelError, KernelPlugin, TextSearchPlugins as _,
    chat::{CallErrorKind, ChatEnd, FunctionChoiceBehavior},
};

use crate::support::{Talk, auto, question};

fn plugin() -> KernelPlugin {
    FixedSearch::new([TextSearchResult::new("More.")]).create_with_search("Web").unwrap()
}

fn one_more(request: &ModelRequest) -> Turn {
    let query = format!("page {}", request.messages().len());
    Turn::tool_call("Web-Search", &json!({ "query": query }))
}

/// Calls a function as long as it is offered one.
fn eager() -> ModelScript {
    ModelScript::from_fn(|request| {
        if request.tool_names().is_empty() { Turn::text("That is all.") } else { one_more(request) }
    })
}

#[tokio::test]
async fn the_last_round_has_no_tools() {
    let talk = Talk::with(eager(), [plugin()]).await;
    let outcome = talk.kernel.chat(question(), auto().with_max_rounds(3)).await.unwrap();
    talk.model.assert_valid();
    let requests = talk.model.requests();
    let offered: Vec<usize> = requests.iter().map(|request| request.tool_names().len()).collect();
    assert_eq!(offered, [1, 1, 1, 0]);
    for field in ["tools", "tool_choice", "parallel_tool_calls"] {
        assert_eq!(requests[3].body.get(field), None);
    }
    assert_eq!((outcome.end, outcome.run.calls.len()), (ChatEnd::RoundsExhausted, 3));
    assert_eq!(outcome.answer().unwrap(), "That is all.");
}

#[tokio::test]
async fn the_default_limit_is_ten_rounds() {
    let talk = Talk::with(eager(), [plugin()]).await;
    talk.kernel.chat(question(), auto()).await.unwrap();
    assert_eq!(talk.model.requests().len(), 11);
}

#[tokio::test]
async fn a_chat_continues_after_calls_of_unoffered_functions() {
    let script = ModelScript::from_fn(|request| match request.last_user_text().as_str() {
        "Stop it." => Turn::text("As you like."),
        _ => one_more(request),
    });
    let talk = Talk::with(script, [plugin()]).await;
    let outcome = talk.kernel.chat(question(), auto().with_max_rounds(2)).await.unwrap();
    assert_eq!(talk.model.requests().len(), 3);
    assert_eq!(outcome.end, ChatEnd::RoundsExhausted);
    assert!(matches!(outcome.answer(), Err(KernelError::NoAnswer { .. })));
    let last = outcome.run.calls.last().unwrap().result.as_ref().unwrap_err();
    assert_eq!(last.kind, CallErrorKind::NotRun);

    let mut history = outcome.run.history;
    history.push(ChatMessage::user("Stop it."));
    let outcome = talk.kernel.chat(history, auto()).await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "As you like.");
    talk.model.assert_valid();
}

#[tokio::test]
async fn behavior_none_ends_chats_that_require_tools() {
    let script = ModelScript::from_fn(|request| {
        let has_calls = request.messages().iter().any(|message| message["role"] == "tool");
        match (has_calls, &request.body["tool_choice"]) {
            (true, choice) if choice == "none" => Turn::text("That is all."),
            (true, _) if request.tool_names().is_empty() => {
                let message = "toolConfig must be defined where there are tool results";
                Turn::failure(400, "invalid_request_error", None, message)
            }
            _ => one_more(request),
        }
    });
    let talk = Talk::with(script, [plugin()]).await;
    let error = talk.kernel.chat(question(), auto().with_max_rounds(1)).await.unwrap_err();
    let history = error.chat_run().unwrap().history.clone();
    let outcome = talk.kernel.chat(history, FunctionChoiceBehavior::none()).await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "That is all.");
    talk.model.assert_valid();
}
