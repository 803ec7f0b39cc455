//! Faults in the second round of a run.

use std::{
    error::Error as _,
    time::{Duration, Instant},
};

use serde_json::json;
use textsearch_conformance::chat::{Fault, ModelScript, ScriptedModel, Turn};
use textsearch_core::{ErrorKind, FixedSearch, TextSearchResult, chat::ChatRole};
use textsearch_kernel::{
    Kernel, KernelError, KernelPlugin, TextSearchPlugins as _, chat::ChatEvent,
};

use crate::support::{KEY, Talk, auto, chat, question};

fn plugin() -> KernelPlugin {
    FixedSearch::new([TextSearchResult::new("It.")]).create_with_search("Web").unwrap()
}

fn call() -> Turn {
    Turn::tool_call("Web-Search", &json!({ "query": "it" }))
}

/// The run keeps the question, the call and its result.
fn assert_run_is_kept(error: &KernelError, kind: &ErrorKind) {
    let KernelError::ChatFailed { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.kind(), kind, "{source}");
    let run = error.chat_run().unwrap();
    let roles: Vec<ChatRole> = run.history.messages().iter().map(|message| message.role).collect();
    assert_eq!(roles, [ChatRole::User, ChatRole::Assistant, ChatRole::Tool]);
    assert!(run.calls[0].result.is_ok());
    assert!(run.usage.total_tokens() > 0);
}

#[tokio::test]
async fn retries_a_busy_service_after_its_delay() {
    let script = [call(), Turn::rate_limited(1), Turn::text("It is it.")];
    let talk = Talk::with(script, [plugin()]).await;
    let started = Instant::now();
    let outcome = talk.kernel.chat(question(), auto()).await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!((outcome.run.rounds, talk.model.requests().len()), (2, 3));
    assert_eq!(outcome.answer().unwrap(), "It is it.");
    talk.model.assert_valid();
}

#[tokio::test]
async fn a_reset_stream_is_an_error_with_the_run() {
    let broken = Turn::text("It is it. ".repeat(40)).with_fault(Fault::Reset);
    let talk = Talk::with([call(), broken], [plugin()]).await;
    let mut events = talk.kernel.chat_streaming(question(), auto()).await.unwrap();
    let mut text = String::new();
    let error = loop {
        match events.next().await.unwrap() {
            Ok(ChatEvent::Text(piece)) => text.push_str(&piece),
            Ok(ChatEvent::Finished(outcome)) => panic!("{outcome:?}"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(text.starts_with("It is it."), "{text}");
    assert_run_is_kept(&error, &ErrorKind::Unavailable);
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn repeatedly_broken_answers_are_an_error_with_the_run() {
    let broken = || Turn::text("It is it.").with_fault(Fault::Reset);
    let talk = Talk::with([call(), broken(), broken()], [plugin()]).await;
    let error = talk.kernel.chat(question(), auto()).await.unwrap_err();
    assert_run_is_kept(&error, &ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_failed_run_can_be_continued() {
    let script = [call(), Turn::context_length_exceeded(), Turn::text("It is it.")];
    let talk = Talk::with(script, [plugin()]).await;
    let error = talk.kernel.chat(question(), auto()).await.unwrap_err();
    let history = error.chat_run().unwrap().history.clone();
    let outcome = talk.kernel.chat(history, auto()).await.unwrap();
    assert_eq!(outcome.answer().unwrap(), "It is it.");
    talk.model.assert_valid();
}

#[tokio::test]
async fn a_wrong_key_is_never_shown() {
    // The server's error names the key it received, as OpenAI's does.
    let model = ScriptedModel::start(ModelScript::turns([]).with_key("another")).await;
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", chat(&model)).unwrap();
    let whole = kernel.chat(question(), auto()).await.unwrap_err();
    let events = kernel.chat_streaming(question(), auto()).await.unwrap();
    for error in [whole, events.into_outcome().await.unwrap_err()] {
        let source = error.source().unwrap();
        assert!(source.to_string().contains("Incorrect API key"), "{source}");
        assert!(!format!("{error} {error:?} {source} {source:?}").contains(KEY));
    }
}
