//! Failing connections, statuses other than success, redirects, malformed or endless bodies, and
//! errors in the provider's own format.

use std::time::{Duration, Instant};

use textsearch_core::{Error, ErrorKind, SearchOptions};

use super::{ATTEMPTS, all_keys, failure, failure_of, many};
use crate::{
    Document, Endpoint, RecordedRequest, Response, Subject,
    case::skipped,
    endpoint,
    secret::{assert_secret, printed},
    server::{Action, Server},
};

/// No server listens on the port.
pub(crate) async fn a_refused_connection_is_unavailable(subject: Subject) {
    let url = Server::nowhere().await;
    let search = subject.pointed_at(Endpoint::new(url, endpoint::patient()));
    let result = search.search("what there is", &SearchOptions::top(3)).await;
    let error = result.expect_err("nobody answers");
    assert_eq!(error.kind(), &ErrorKind::Unavailable);
    assert!(error.is_retryable());
}

/// The connection resets in the middle of the body.
pub(crate) async fn a_body_in_mid_reset_is_unavailable_and_tried_again(subject: Subject) {
    let (error, requests) = failure(&subject, |answer| Action::Reset(answer.half())).await;
    assert_eq!(error.kind(), &ErrorKind::Unavailable, "{error}");
    assert_eq!(requests, ATTEMPTS, "a search may be repeated: say `with_idempotent(true)`");
}

/// Nothing comes, or half of the response.
pub(crate) async fn a_silent_connection_is_a_timeout(subject: Subject) {
    for sent in [|_: Response| Vec::new(), |answer: Response| answer.half()] {
        let script = move |_, answer| Action::Stall(sent(answer));
        let running = subject.scripted(endpoint::impatient(), Document::several(3), script).await;
        let (error, requests) = failure_of(&running).await;
        assert_eq!(error.kind(), &ErrorKind::Timeout, "{error}");
        assert_eq!(requests, ATTEMPTS, "a search may be repeated: say `with_idempotent(true)`");
    }
}

/// The body is truncated, but its length is right.
pub(crate) async fn truncated_json_is_undecodable_and_tried_again(subject: Subject) {
    let (error, requests) = failure(&subject, |answer| Action::Answer(answer.cut())).await;
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
    assert_eq!(requests, ATTEMPTS, "requests: a cut response is retried");
}

/// An empty body, an image, or a page: a login, a captcha or an error. The status says success.
pub(crate) async fn an_unreadable_body_is_undecodable(subject: Subject) {
    for (content_type, body) in [
        ("application/json", &b""[..]),
        ("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("text/html; charset=utf-8", b"<!doctype html><title>Sign in</title><p>Please sign in."),
    ] {
        let answer = move |_| Action::Answer(Response::new(200, content_type, body));
        let (error, _) = failure(&subject, answer).await;
        assert_eq!(error.kind(), &ErrorKind::Undecodable, "{content_type}: {error}");
        assert!(!error.is_retryable());
    }
}

/// It gives no results or an error, but no panic.
pub(crate) async fn json_of_another_shape_does_no_harm(subject: Subject) {
    for body in ["{}", "[]", "null", "[[{}]]", r#"{"results":{},"error":null}"#, "\"\""] {
        let answer = move |_, _| Action::Answer(Response::new(200, "application/json", body));
        let running = subject.scripted(endpoint::patient(), Vec::new(), answer).await;
        match running.try_results("what there is", &SearchOptions::top(3)).await {
            Ok(results) => assert_eq!(results.len(), 0, "{body}: {results:?}"),
            Err(error) => {
                // A reader of errors with success may take a list for one.
                let is_expected = matches!(
                    error.kind(),
                    ErrorKind::Undecodable | ErrorKind::UnexpectedStatus { status: 200, .. }
                );
                assert!(is_expected, "{body}: {error:?}");
            }
        }
    }
}

/// The error comes after the earlier pages.
pub(crate) async fn a_later_page_that_fails_is_the_last_item(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let documents = many(&subject);
    let top = SearchOptions::top(documents.len());
    let script = |before, answer| match before {
        0 => Action::Answer(answer),
        _ => Action::Answer(Response::new(401, "text/plain", "no longer")),
    };
    let running = subject.scripted(endpoint::patient(), documents, script).await;
    let mut results =
        running.search.search("what there is", &top).await.expect("the first page comes");
    let mut read = 0;
    let error = loop {
        match results.next().await {
            Some(Ok(_)) => read += 1,
            Some(Err(error)) => break error,
            None => panic!("the stream ends after {read} results as if that were all"),
        }
    };
    assert!(read > 0, "the first page is lost");
    assert_eq!(error.kind(), &ErrorKind::Authentication, "{error}");
    assert!(results.next().await.is_none(), "the stream goes on after its error");
}

fn status(status: u16) -> Response {
    Response::new(status, "text/plain", "because")
}

/// The key is wrong or lacks permission, or requests are too frequent. The client retries the last.
/// After 400, the same request fails again.
pub(crate) async fn statuses_have_their_kinds(subject: Subject) {
    for (number, kind, attempts) in [
        (400, None, 1),
        (401, Some(ErrorKind::Authentication), 1),
        (403, Some(ErrorKind::Authentication), 1),
        (429, Some(ErrorKind::RateLimited), ATTEMPTS),
    ] {
        let (error, requests) = failure(&subject, move |_| Action::Answer(status(number))).await;
        assert!(kind.is_none_or(|kind| *error.kind() == kind), "after {number}: {error:?}");
        assert_eq!(error.is_retryable(), attempts > 1, "after {number}: {error:?}");
        assert_eq!(requests, attempts, "requests after {number}");
    }
}

/// The server requests a wait of one second.
pub(crate) async fn status_429_with_a_short_wait_is_waited_for(subject: Subject) {
    let start = Instant::now();
    assert_recovers(&subject, status(429).with_header("Retry-After", "1")).await;
    assert!(start.elapsed() >= Duration::from_secs(1), "only {:?} went by", start.elapsed());
}

/// The client doesn't wait an hour, but tells the caller.
pub(crate) async fn status_429_with_a_long_wait_is_told(subject: Subject) {
    let answer = |_| Action::Answer(status(429).with_header("Retry-After", "3600"));
    let (error, requests) = failure(&subject, answer).await;
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert_eq!(requests, 1, "requests, although the server asks for an hour's wait");
}

/// The retry succeeds.
pub(crate) async fn status_500_and_then_success_is_success(subject: Subject) {
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

fn redirect(to: &str) -> Response {
    Response::new(307, "text/plain", "").with_header("Location", to)
}

/// No request data goes to another server.
pub(crate) async fn a_redirect_to_another_origin_is_not_followed(subject: Subject) {
    let other = Server::start(|_, _| Action::Answer(Response::new(200, "text/plain", ""))).await;
    let to = other.url();
    let away = move |_: &RecordedRequest, _| Action::Answer(redirect(to.as_str()));
    let (error, requests) = failure_of(&subject.served(endpoint::patient(), away).await).await;
    let kind = error.kind();
    assert!(matches!(kind, ErrorKind::UnexpectedStatus { status: 307, .. }), "{error:?}");
    assert_eq!(requests, 1, "requests, of which one was redirected");
    assert_eq!(other.count(), 0, "the other server was asked");
}

const MEGABYTE: usize = 1024 * 1024;

/// The client stops reading at the limit.
pub(crate) async fn a_hundred_megabytes_are_not_read(subject: Subject) {
    let flood =
        |_, _| Action::Flood(Response::new(200, "application/json", vec![b' '; MEGABYTE / 4]), 400);
    let running = subject.scripted(endpoint::patient(), Document::several(3), flood).await;
    let (error, requests) = failure_of(&running).await;
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
    assert_eq!(requests, 1, "requests for a body beyond the limit");
    // Two sockets may buffer more than the client reads.
    let sent = running.server().bytes_sent();
    assert!(sent < 32 * MEGABYTE, "{sent} bytes were taken");
}

const MESSAGE: &str = "the parameter is out of range";

/// The caller learns the provider's message, but not the key in it. Some gateways send errors with
/// success.
pub(crate) async fn error_answers_have_their_kind_and_message(subject: Subject) {
    let message = format!("{MESSAGE} for {}", subject.capabilities.echoed_key());
    for (status, sent_status, kind) in [
        (401, 401, Some(ErrorKind::Authentication)),
        (403, 403, Some(ErrorKind::Authentication)),
        (429, 429, Some(ErrorKind::RateLimited)),
        (400, 400, None),
        (422, 422, None),
        (500, 500, None),
        (400, 200, None),
        (401, 200, None),
        (429, 200, None),
    ] {
        let Some(error) = error_after(&subject, status, sent_status, &message).await else {
            return;
        };
        assert_secret(&printed(&error), &format!("the error for {status} with {sent_status}"));
        match kind {
            Some(kind) => assert_eq!(error.kind(), &kind, "{error}"),
            None => assert_message(&error),
        }
    }
}

fn assert_message(error: &Error) {
    assert!(
        error.to_string().contains(MESSAGE),
        "the provider's message {MESSAGE:?} is not in: {error}"
    );
}

/// An error of a later page is an error too.
pub(crate) async fn an_error_answer_on_a_later_page_is_an_error(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let Some(answer) = subject.capabilities.error_answer.clone() else { return skipped(NEEDS) };
    for status in [400, 200] {
        let broken = (answer.0)(400, MESSAGE).with_status(status);
        let documents = super::many(&subject);
        let top = SearchOptions::top(documents.len());
        let script = move |before, answer| match before {
            0 => Action::Answer(answer),
            _ => Action::Answer(broken.clone()),
        };
        let running = subject.scripted(endpoint::patient(), documents, script).await;
        let result = running.try_results("what there is", &top).await;
        let error = result.expect_err("the stream ends as if that were all");
        assert_message(&error);
    }
}

const NEEDS: &str = "the provider's error format: say with_error_answer";

/// The error after the provider's answer for `status`, sent with another one. `None` if the format is
/// unknown.
async fn error_after(
    subject: &Subject,
    status: u16,
    sent_status: u16,
    message: &str,
) -> Option<Error> {
    let Some(answer) = &subject.capabilities.error_answer else {
        skipped(NEEDS);
        return None;
    };
    let answer: Response = (answer.0)(status, message).with_status(sent_status);
    let script = move |_: &RecordedRequest, _| Action::Answer(answer.clone());
    let running = subject.served(endpoint::patient(), script).await;
    let result = running.try_results("what there is", &SearchOptions::top(3)).await;
    let expected = format!("an error for {status} sent with {sent_status}");
    Some(result.expect_err(&expected))
}
