//! Errors of providers and connections.

use std::time::Duration;

use serde_json::json;
use textsearch_core::{ErrorKind, chat::ChatOptions};

use super::saying;
use crate::{
    Endpoint, Response,
    chat::suite::{
        ChatSubject,
        subject::{RunningChat, question},
    },
    endpoint,
    server::{Action, Server},
};

async fn failing(subject: &ChatSubject, response: Response) -> RunningChat {
    let script = move |_| Action::Answer(response.clone());
    subject.scripted(endpoint::patient(), |_| saying("Yes."), script).await
}

async fn assert_status(subject: &ChatSubject, status: u16, kind: &ErrorKind) {
    let running = failing(subject, Response::new(status, "text/plain", "because")).await;
    let whole = running.whole(&question(), &ChatOptions::new()).await;
    assert_eq!(whole.expect_err("the call fails").kind(), kind, "after {status}");
    let streamed = running.listen(&question(), &ChatOptions::new()).await;
    assert_eq!(streamed.expect_err("`stream` itself fails").kind(), kind, "after {status}");
}

/// The key is wrong, or lacks permission.
pub async fn status_401_and_403_are_authentication(subject: ChatSubject) {
    for status in [401, 403] {
        assert_status(&subject, status, &ErrorKind::Authentication).await;
    }
}

/// The caller decides about a long wait.
pub async fn status_429_is_rate_limited(subject: ChatSubject) {
    assert_status(&subject, 429, &ErrorKind::RateLimited).await;
    let busy = Response::new(429, "text/plain", "").with_header("Retry-After", "3600");
    for error in failing(&subject, busy).await.both_fail().await {
        assert_eq!(error.kind(), &ErrorKind::RateLimited);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    }
}

/// A retry may succeed.
pub async fn status_500_and_503_are_unavailable(subject: ChatSubject) {
    for status in [500, 503] {
        assert_status(&subject, status, &ErrorKind::Unavailable).await;
    }
}

/// No server listens on the port.
pub async fn a_refused_chat_is_unavailable(subject: ChatSubject) {
    let chat = subject.pointed_at(Endpoint::new(Server::nowhere().await, endpoint::patient()));
    let whole = chat.complete(&question(), &ChatOptions::new()).await;
    assert_eq!(whole.expect_err("the call fails").kind(), &ErrorKind::Unavailable);
    let streamed = chat.stream(&question(), &ChatOptions::new()).await;
    assert_eq!(streamed.expect_err("`stream` itself fails").kind(), &ErrorKind::Unavailable);
}

/// The server accepts the request, and sends nothing.
pub async fn a_silent_chat_is_a_timeout(subject: ChatSubject) {
    let stall = |_| Action::Stall(Vec::new());
    let running = subject.scripted(endpoint::impatient(), |_| saying("Yes."), stall).await;
    for error in running.both_fail().await {
        assert_eq!(error.kind(), &ErrorKind::Timeout, "{error}");
    }
}

/// A login page, an empty body, or JSON of another shape, with a success status.
pub async fn an_unreadable_answer_is_undecodable(subject: ChatSubject) {
    for (content_type, body) in [
        ("text/html", "<!doctype html><title>Sign in</title>"),
        ("application/json", ""),
        ("application/json", "{}"),
        ("application/json", "[[null]]"),
    ] {
        let running = failing(&subject, Response::new(200, content_type, body)).await;
        let [whole, streamed] = running.both_fail().await;
        assert_eq!(whole.kind(), &ErrorKind::Undecodable, "{content_type} {body:?}: {whole}");
        let kinds = [ErrorKind::Undecodable, ErrorKind::Unavailable];
        assert!(kinds.contains(streamed.kind()), "{content_type} {body:?}: {streamed:?}");
    }
}

/// The length is right, but the answer is cut.
pub async fn half_an_answer_is_an_error(subject: ChatSubject) {
    let cut = |mut answer: Response| {
        answer.body.truncate(answer.body.len() / 2);
        Action::Answer(answer)
    };
    let running = subject.scripted(endpoint::patient(), |_| saying("Yes, it is."), cut).await;
    let whole = running.whole(&question(), &ChatOptions::new()).await;
    assert_eq!(whole.expect_err("the call fails").kind(), &ErrorKind::Undecodable);
}

/// The provider echoes the key wherever a service may look for a message.
pub async fn an_echoed_key_stays_out_of_errors(subject: ChatSubject) {
    let key = Endpoint::KEY;
    let wrong = format!("the key {key} is wrong");
    let error = json!({ "code": key, "type": key, "message": wrong, "detail": wrong });
    let body = json!({ "error": error, "message": wrong, "detail": wrong, "type": "error" });
    for status in [200, 400, 401, 404, 429, 500] {
        // `both_fail` searches the errors, the runner searches the logs.
        failing(&subject, Response::json(&body).with_status(status)).await.both_fail().await;
    }
}
