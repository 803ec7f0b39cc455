//! Runs that call a function and end without a proper answer.

use serde_json::json;
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_core::{FixedSearch, TextSearchResult, chat::FinishReason};
use textsearch_kernel::{
    KernelError, TextSearchPlugins as _,
    chat::{CallErrorKind, ChatOutcome},
};

use crate::support::{Talk, auto, question};

/// `last` is the second response. Without streaming, and with it.
async fn ending(last: Turn) -> [ChatOutcome; 2] {
    let plugin =
        || FixedSearch::new([TextSearchResult::new("It.")]).create_with_search("Web").unwrap();
    let call = Turn::tool_call("Web-Search", &json!({ "query": "it" }));
    let script = || ModelScript::turns([call.clone(), last.clone()]);
    let talk = Talk::with(script(), [plugin()]).await;
    let whole = talk.kernel.chat(question(), auto()).await.unwrap();
    talk.model.assert_valid();
    let talk = Talk::with(script(), [plugin()]).await;
    let events = talk.kernel.chat_streaming(question(), auto()).await.unwrap();
    let streamed = events.into_outcome().await.unwrap();
    talk.model.assert_valid();
    [whole, streamed]
}

async fn check(last: Turn, reason: FinishReason, words: &str) {
    for outcome in ending(last).await {
        assert_eq!(outcome.finish_reason, reason);
        assert!(outcome.run.calls[0].result.is_ok());
        let error = outcome.answer().unwrap_err();
        assert!(matches!(error, KernelError::NoAnswer { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("the model gave no answer: {words}"));
    }
}

#[tokio::test]
async fn a_filtered_answer_is_no_answer() {
    let last = Turn::text("It is").with_finish_reason("content_filter");
    check(last, FinishReason::ContentFilter, "the provider's content filter stopped it").await;
}

#[tokio::test]
async fn a_filtered_prompt_gives_no_answer() {
    let words = "the provider's content filter stopped it";
    check(Turn::prompt_filtered(), FinishReason::ContentFilter, words).await;
}

#[tokio::test]
async fn a_truncated_answer_is_no_answer() {
    let last = Turn::text("It is").with_finish_reason("length");
    let words = "it was cut off at the maximum number of tokens";
    check(last, FinishReason::Length, words).await;
}

#[tokio::test]
async fn a_refusal_is_no_answer() {
    for outcome in ending(Turn::refusal("I would rather not.")).await {
        assert_eq!(outcome.message.refusal(), Some("I would rather not."));
        assert!(matches!(outcome.answer(), Err(KernelError::NoAnswer { .. })));
    }
}

#[tokio::test]
async fn calls_in_a_truncated_answer_do_not_run() {
    let last =
        Turn::tool_call("Web-Search", &json!({ "query": "more" })).with_finish_reason("length");
    for outcome in ending(last).await {
        let error = outcome.run.calls[1].result.as_ref().unwrap_err();
        assert_eq!(error.kind, CallErrorKind::NotRun);
        assert_eq!(outcome.finish_reason, FinishReason::Length);
    }
}
