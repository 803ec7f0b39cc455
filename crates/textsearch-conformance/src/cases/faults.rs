//! Failing connections and malformed bodies.

use textsearch_core::{ErrorKind, SearchOptions};

use super::{ATTEMPTS, failure, failure_of, many};
use crate::{
    Document, Endpoint, Response, Subject, endpoint,
    report::skipped,
    server::{Action, Server},
};

/// No server listens on the port.
pub async fn a_refused_connection_is_unavailable(subject: Subject) {
    let url = Server::nowhere().await;
    let search = subject.pointed_at(Endpoint::new(url, endpoint::patient()));
    let result = search.search("what there is", &SearchOptions::top(3)).await;
    let error = result.expect_err("nobody answers");
    assert_eq!(error.kind(), &ErrorKind::Unavailable);
    assert!(error.is_retryable());
}

/// The connection resets in the middle of the body.
pub async fn a_body_in_mid_reset_is_unavailable_and_tried_again(subject: Subject) {
    let (error, requests) = failure(&subject, |answer| Action::Reset(answer.half())).await;
    assert_eq!(error.kind(), &ErrorKind::Unavailable, "{error}");
    assert_eq!(requests, ATTEMPTS, "a search may be repeated: say `with_idempotent(true)`");
}

/// The body starts and then stalls.
pub async fn a_body_that_stands_still_is_a_timeout(subject: Subject) {
    let script = |_, answer: Response| Action::Stall(answer.half());
    assert_timeout(&subject, script).await;
}

/// The server never responds.
pub async fn headers_that_do_not_come_are_a_timeout(subject: Subject) {
    assert_timeout(&subject, |_, _| Action::Stall(Vec::new())).await;
}

async fn assert_timeout(
    subject: &Subject,
    script: impl Fn(usize, Response) -> Action + Send + Sync + 'static,
) {
    let running = subject.scripted(endpoint::impatient(), Document::several(3), script).await;
    let (error, requests) = failure_of(&running).await;
    assert_eq!(error.kind(), &ErrorKind::Timeout, "{error}");
    assert_eq!(requests, ATTEMPTS, "a search may be repeated: say `with_idempotent(true)`");
}

/// The body is truncated, but its length is right.
pub async fn truncated_json_is_undecodable_and_tried_again(subject: Subject) {
    let cut = |mut answer: Response| {
        answer.body.truncate(answer.body.len() / 2);
        Action::Answer(answer)
    };
    let (error, requests) = failure(&subject, cut).await;
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
    assert_eq!(requests, ATTEMPTS, "requests: a cut response is retried");
}

/// The status says success.
pub async fn an_empty_body_is_undecodable(subject: Subject) {
    assert_undecodable(&subject, "application/json", Vec::new()).await;
}

/// An unexpected content type.
pub async fn a_wrong_content_type_is_undecodable(subject: Subject) {
    assert_undecodable(&subject, "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()).await;
}

/// A login, a captcha, or an error page with a success status.
pub async fn a_page_of_html_is_undecodable(subject: Subject) {
    let page = "<!doctype html><title>Sign in</title><p>Please sign in.";
    assert_undecodable(&subject, "text/html; charset=utf-8", page.into()).await;
}

async fn assert_undecodable(subject: &Subject, content_type: &'static str, body: Vec<u8>) {
    let answer = move |_| Action::Answer(Response::new(200, content_type, body.clone()));
    let (error, _) = failure(subject, answer).await;
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
    assert!(!error.is_retryable());
}

/// It gives no results or an error, but no panic.
pub async fn json_of_another_shape_does_no_harm(subject: Subject) {
    for body in ["{}", "[]", "null", "[[{}]]", r#"{"results":{},"error":null}"#, "\"\""] {
        let answer = move |_, _| Action::Answer(Response::new(200, "application/json", body));
        let running = subject.scripted(endpoint::patient(), Vec::new(), answer).await;
        match running.try_results("what there is", &SearchOptions::top(3)).await {
            Ok(found) => assert_eq!(found.len(), 0, "{body}: {found:?}"),
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
pub async fn a_later_page_that_fails_is_the_last_item(subject: Subject) {
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
