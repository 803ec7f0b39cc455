//! Statuses other than success.

use std::time::{Duration, Instant};

use textsearch_core::{ErrorKind, SearchOptions};

use super::{ATTEMPTS, all_keys, failure};
use crate::{Document, Response, Subject, endpoint, server::Action};

fn status(status: u16) -> Response {
    Response::new(status, "text/plain", "because")
}

async fn assert_status(subject: &Subject, number: u16, kind: &ErrorKind, expected: usize) {
    let (error, requests) = failure(subject, move |_| Action::Answer(status(number))).await;
    assert_eq!(error.kind(), kind, "{error}");
    assert_eq!(requests, expected, "requests after {number}");
}

/// The key is wrong.
pub async fn status_401_is_authentication_and_not_tried_again(subject: Subject) {
    assert_status(&subject, 401, &ErrorKind::Authentication, 1).await;
}

/// The key lacks permission.
pub async fn status_403_is_authentication_and_not_tried_again(subject: Subject) {
    assert_status(&subject, 403, &ErrorKind::Authentication, 1).await;
}

/// The client retries after a pause.
pub async fn status_429_is_rate_limited_and_tried_again(subject: Subject) {
    assert_status(&subject, 429, &ErrorKind::RateLimited, ATTEMPTS).await;
}

/// The server requests a wait of one second.
pub async fn status_429_with_a_short_wait_is_waited_for(subject: Subject) {
    let start = Instant::now();
    assert_recovers(&subject, status(429).with_header("Retry-After", "1")).await;
    assert!(start.elapsed() >= Duration::from_secs(1), "only {:?} went by", start.elapsed());
}

/// The client doesn't wait an hour, but tells the caller.
pub async fn status_429_with_a_long_wait_is_told(subject: Subject) {
    let answer = |_| Action::Answer(status(429).with_header("Retry-After", "3600"));
    let (error, requests) = failure(&subject, answer).await;
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert_eq!(requests, 1, "requests, although the server asks for an hour's wait");
}

/// The retry succeeds.
pub async fn status_500_and_then_success_is_success(subject: Subject) {
    assert_recovers(&subject, status(500)).await;
}

async fn assert_recovers(subject: &Subject, first: Response) {
    let documents = Document::several(3);
    let expected = all_keys(subject, &documents);
    let script = move |before, answer| match before {
        0 => Action::Answer(first.clone()),
        _ => Action::Answer(answer),
    };
    let running = subject.scripted(endpoint::patient(), documents, script).await;
    assert_eq!(running.keys(&SearchOptions::top(3)).await, expected);
    assert_eq!(
        running.requests().first().map(|request| request.essence()),
        running.requests().get(1).map(|request| request.essence()),
        "the second attempt asks for something else"
    );
}
