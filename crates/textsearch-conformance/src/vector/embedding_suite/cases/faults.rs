//! Errors of providers and connections.

use std::{sync::Mutex, time::Duration};

use serde_json::json;
use textsearch_core::{Error, ErrorKind, vector::EmbeddingSettings};

use super::some;
use crate::{
    Endpoint, Response, endpoint,
    server::{Action, Server},
    vector::EmbeddingSubject,
};

async fn failure(subject: &EmbeddingSubject, response: Response) -> Error {
    let answer = move |_| Action::Answer(response.clone());
    let running = subject.scripted(endpoint::patient(), answer).await;
    let made = running.try_embed(&some(), &EmbeddingSettings::default()).await;
    made.expect_err("the call fails")
}

/// The provider answers two texts with the vector of one.
pub async fn too_few_vectors_are_an_error(subject: EmbeddingSubject) {
    let first = Mutex::new(None);
    let repeat = move |answer: Response| {
        let mut first = first.lock().expect("no case panics here");
        Action::Answer(first.get_or_insert(answer).clone())
    };
    let running = subject.scripted(endpoint::patient(), repeat).await;
    assert_eq!(running.embed(&["apple".to_owned()]).await.len(), 1);
    let texts = ["apple", "river bank"].map(str::to_owned);
    let made = running.try_embed(&texts, &EmbeddingSettings::default()).await;
    let error = made.expect_err("a vector is missing");
    let kinds = [ErrorKind::Undecodable, ErrorKind::Embedding];
    assert!(kinds.contains(error.kind()), "a missing vector is another error: {error:?}");
}

/// The key is wrong, requests are too frequent, or the provider is down.
pub async fn statuses_have_their_kinds(subject: EmbeddingSubject) {
    for (status, kind) in [
        (401, ErrorKind::Authentication),
        (403, ErrorKind::Authentication),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Unavailable),
        (503, ErrorKind::Unavailable),
    ] {
        let error = failure(&subject, Response::new(status, "text/plain", "because")).await;
        assert_eq!(error.kind(), &kind, "after {status}: {error}");
    }
}

/// The caller decides about it.
pub async fn a_long_wait_is_reported(subject: EmbeddingSubject) {
    let busy = Response::new(429, "text/plain", "").with_header("Retry-After", "3600");
    let error = failure(&subject, busy).await;
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
}

/// No server listens on the port.
pub async fn a_refused_embedding_is_unavailable(subject: EmbeddingSubject) {
    let generator = subject.pointed_at(Endpoint::new(Server::nowhere().await, endpoint::patient()));
    let made = generator.generate(&some(), &EmbeddingSettings::default()).await;
    assert_eq!(made.expect_err("the call fails").kind(), &ErrorKind::Unavailable);
}

/// The server accepts the request, and sends nothing.
pub async fn a_silent_embedding_is_a_timeout(subject: EmbeddingSubject) {
    let stall = |_| Action::Stall(Vec::new());
    let running = subject.scripted(endpoint::impatient(), stall).await;
    let made = running.try_embed(&some(), &EmbeddingSettings::default()).await;
    assert_eq!(made.expect_err("the call fails").kind(), &ErrorKind::Timeout);
}

/// A login page, an empty body, or JSON of another shape, with a success status.
pub async fn an_unreadable_embedding_is_undecodable(subject: EmbeddingSubject) {
    for (content_type, body) in [
        ("text/html", "<!doctype html><title>Sign in</title>"),
        ("application/json", ""),
        ("application/json", "{}"),
        ("application/json", "[]"),
        ("application/json", "[[null]]"),
    ] {
        let error = failure(&subject, Response::new(200, content_type, body)).await;
        assert_eq!(error.kind(), &ErrorKind::Undecodable, "{content_type} {body:?}: {error}");
    }
}

/// The provider echoes the key wherever a generator may look for a message.
pub async fn an_echoed_key_stays_out_of_errors(subject: EmbeddingSubject) {
    let key = Endpoint::KEY;
    let wrong = format!("the key {key} is wrong");
    let error = json!({ "code": key, "type": key, "message": wrong, "detail": wrong });
    let body = json!({ "error": error, "message": wrong, "detail": wrong });
    for status in [200, 400, 401, 404, 429, 500] {
        // `failure` searches the error, the runner searches the logs.
        failure(&subject, Response::json(&body).with_status(status)).await;
    }
}
