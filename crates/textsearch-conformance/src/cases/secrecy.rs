//! The key appears in the request, and nowhere else.

use serde_json::json;
use textsearch_core::SearchOptions;

use super::failure;
use crate::{
    Document, Response, Subject, endpoint,
    log_capture::LogCapture,
    secret::{assert_secret, printed},
    server::Action,
};

/// The provider echoes the key in an error.
pub async fn a_key_that_is_echoed_stays_out_of_the_error(subject: Subject) {
    let key = subject.capabilities.echoed_key();
    for status in [400, 401, 403, 404, 429, 500] {
        let (error, _) = failure(&subject, move |_| Action::Answer(echo(status, key))).await;
        assert_secret(&printed(&error), &format!("the error after {status}"));
    }
    let bodies = [json!(key), json!([key]), json!({ "results": key, "items": key, "web": key })];
    for body in bodies {
        let answer = move |_, _| Action::Answer(Response::json(&body));
        let running = subject.scripted(endpoint::patient(), Vec::new(), answer).await;
        if let Err(error) = running.try_results("what there is", &SearchOptions::top(3)).await {
            assert_secret(&printed(&error), "the error after a success");
        }
    }
}

/// A query may be private, so no log contains it, at any level, even if the search fails.
pub async fn a_query_stays_out_of_logs(subject: Subject) {
    let logs = LogCapture::start();
    let (query, top) = ("a secret of zanzibar", SearchOptions::top(2));
    let running = subject.holding(Document::several(3)).await;
    running.try_results(query, &top).await.expect("the search succeeds");
    let script = |_, _| Action::Answer(Response::new(400, "text/plain", "because"));
    let running = subject.scripted(endpoint::patient(), Vec::new(), script).await;
    running.try_results(query, &top).await.expect_err("the search fails");
    let text = logs.text();
    assert!(!text.contains("zanzibar"), "the query is in the log: {text}");
}

/// With the key wherever a connector may look for a message.
fn echo(status: u16, key: &str) -> Response {
    let wrong = format!("the key {key} is wrong");
    let inner = json!({ "code": key, "reason": key, "message": wrong, "detail": wrong });
    let body = json!({
        "error": { "code": key, "status": key, "message": wrong, "errors": [inner] },
        "errors": [inner],
        "detail": { "error": wrong },
        "message": wrong,
    });
    Response::json(&body).with_status(status)
}

/// Searches logs of every level.
pub async fn a_key_stays_out_of_debug_and_logs(subject: Subject) {
    let key = subject.capabilities.echoed_key();
    let logs = LogCapture::start();
    subject.holding(Document::several(3)).await.results(&SearchOptions::top(2)).await;
    let running = subject
        .scripted(endpoint::patient(), Document::several(3), move |before, answer| match before {
            0 => Action::Answer(echo(500, key)),
            1 => Action::Reset(answer.half()),
            _ => Action::Answer(echo(400, key)),
        })
        .await;
    let result = running.try_results("what there is", &SearchOptions::top(2)).await;
    assert_secret(&printed(&result.expect_err("the search fails")), "the error");
    let text = logs.text();
    assert!(text.contains("retrieval"), "nothing was captured: {text}");
    assert_secret(&text, "the log");
}
