//! Models and transforms that fail, babble or attack.

use std::time::Duration;

use serde_json::json;
use textsearch_kernel::{
    textsearch_core::{
        self, Error, ErrorKind, SearchOptions, TextSearch as _, async_trait,
        chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, FinishReason},
    },
    transform::{QUERY_TRANSFORM, Standalone, Transformed, TransformedQuery, Variants},
};

use super::{
    Notes, conversation, search,
    transformed::{Endless, Fixed},
};
use crate::support::{Scripted, text};

/// Never answers.
struct Silent;

#[async_trait]
impl ChatCompletion for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn model_id(&self) -> &str {
        "silent-1"
    }

    async fn complete(
        &self,
        _: &ChatHistory,
        _: &ChatOptions,
    ) -> textsearch_core::Result<ChatResponse> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn unusable_answers_fall_back_to_the_question() {
    let refused = ChatResponse::new(ChatMessage::assistant("tides"))
        .with_finish_reason(FinishReason::Refusal);
    let cut = ChatResponse::new(ChatMessage::assistant("tides of"))
        .with_finish_reason(FinishReason::Length);
    let down = Error::new(ErrorKind::Unavailable, "scripted", "no route to 10.0.0.7");
    for (answer, reason) in [
        (Ok(text("")), "no_queries"),
        (Ok(text(" \n\n ")), "no_queries"),
        (Ok(text("{}[]!?\u{7}###")), "no_queries"),
        (Ok(refused), "no_answer"),
        (Ok(cut), "no_answer"),
        (Err(down), "chat_failed"),
    ] {
        let notes = Notes::new().await;
        let model = Scripted::with_errors([answer]);
        let transformed =
            Transformed::new(notes.clone(), Standalone::new(model)).with_history(conversation());
        let (ids, report) = search(&transformed, "And\nferry?").await;
        assert_eq!(ids, ["ferry"], "{reason}");
        assert_eq!(notes.queries(), ["And\nferry?"]);
        assert_eq!(report["fallback"], reason);
        assert!(!report.to_string().contains("10.0.0.7"));
    }
}

#[tokio::test]
async fn slow_model_falls_back_to_the_question() {
    let notes = Notes::new().await;
    let transformed =
        Transformed::new(notes, Variants::new(Silent)).with_timeout(Duration::from_millis(20));
    let (ids, report) = search(&transformed, "ferry").await;
    assert_eq!(ids, ["ferry"]);
    assert_eq!(report["fallback"], "timeout");
}

#[tokio::test]
async fn hundred_queries_are_cut_to_eight() {
    let notes = Notes::new().await;
    let hundred = (0..100).map(|number| TransformedQuery::new(format!("tide {number}"))).collect();
    let (_, report) = search(&Transformed::new(notes.clone(), Fixed(hundred)), "tide").await;
    assert_eq!(notes.queries().len(), 8);
    assert_eq!(report["dropped"], json!({ "too_many": 92 }));
}

#[tokio::test]
async fn hundred_lines_of_a_model_are_cut_to_its_count() {
    let notes = Notes::new().await;
    let lines: Vec<String> = (0..100).map(|number| format!("tide {number}")).collect();
    let model = Scripted::new([text(&lines.join("\n"))]);
    search(&Transformed::new(notes.clone(), Variants::new(model)), "tide").await;
    assert_eq!(notes.queries().len(), 4);
}

#[tokio::test]
async fn megabyte_of_a_question_is_not_sent() {
    let notes = Notes::new().await;
    let model = Scripted::new([text("ferry")]);
    let transformed = Transformed::new(notes, Variants::new(model.clone()));
    search(&transformed, &"é".repeat(1_000_000)).await;
    let sent = model.requests()[0].0[1].text().chars().count();
    assert_eq!(sent, "Question: ".len() + 4_000 + 1);
}

#[tokio::test]
async fn megabyte_is_cut_to_a_thousand_characters() {
    let notes = Notes::new().await;
    let model = Scripted::new([text(&"é".repeat(500_000))]);
    let transformed =
        Transformed::new(notes.clone(), Standalone::new(model)).with_history(conversation());
    search(&transformed, "And then?").await;
    assert_eq!(notes.queries(), ["é".repeat(1_000)]);
}

#[tokio::test]
async fn queries_have_one_line_and_a_positive_weight() {
    let notes = Notes::new().await;
    let weights = [f64::NAN, f64::INFINITY, 0.0, -1.0];
    let mut queries: Vec<_> = weights
        .map(|weight| TransformedQuery::new(format!("tide {weight}")).with_weight(weight))
        .into();
    queries.push(TransformedQuery::new("tide\u{0}\u{1b}[31m\r\n\u{2028}red"));
    queries.push(TransformedQuery::new("tide[31m red"));
    let (_, report) = search(&Transformed::new(notes.clone(), Fixed(queries)), "?").await;
    assert_eq!(notes.queries(), ["tide[31m red"]);
    assert_eq!(report["dropped"], json!({ "invalid_weight": 4, "repeated": 1 }));
}

#[tokio::test]
async fn query_that_the_search_refuses_falls_back() {
    for texts in [vec!["refused"], vec!["refused", "Refused"]] {
        let queries = texts.into_iter().map(TransformedQuery::new).collect();
        let search = Transformed::new(Endless, Fixed(queries));
        let mut results = search.search("sea", &SearchOptions::top(1)).await.unwrap();
        assert_eq!(results.metadata()[QUERY_TRANSFORM]["fallback"], "refused");
        assert_eq!(results.next().await.unwrap().unwrap(), "sea 0");
    }
}
