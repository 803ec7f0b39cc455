//! Errors in the provider's own format.

use textsearch_core::{Error, ErrorKind, SearchOptions};

use super::ATTEMPTS;
use crate::{
    RecordedRequest, Response, Subject, endpoint,
    report::skipped,
    secret::{assert_secret, printed},
    server::Action,
};

const MESSAGE: &str = "the parameter is out of range";

/// The error has the kind of its status.
pub(crate) async fn error_answers_have_the_kind_of_their_status(subject: Subject) {
    for (status, expected, requests) in [
        (401, ErrorKind::Authentication, 1),
        (403, ErrorKind::Authentication, 1),
        (429, ErrorKind::RateLimited, ATTEMPTS),
    ] {
        let Some((error, sent)) = error_after(&subject, status, status, MESSAGE).await else {
            return;
        };
        assert_eq!(error.kind(), &expected, "{error}");
        assert_eq!(sent, requests, "requests after {status}");
    }
}

/// The caller learns the provider's message, but not the key in it.
pub(crate) async fn error_answers_tell_their_message_without_the_key(subject: Subject) {
    let message = format!("{MESSAGE} for {}", subject.capabilities.echoed_key());
    for status in [400, 422, 500] {
        let Some((error, _)) = error_after(&subject, status, status, &message).await else {
            return;
        };
        assert_secret(&printed(&error), &format!("the error after {status}"));
        assert_message(&error);
    }
}

fn assert_message(error: &Error) {
    assert!(
        error.to_string().contains(MESSAGE),
        "the provider's message {MESSAGE:?} is not in: {error}"
    );
}

/// Some gateways send errors with success. The caller learns their message.
pub(crate) async fn an_error_answer_with_status_200_is_an_error(subject: Subject) {
    let message = format!("{MESSAGE} for {}", subject.capabilities.echoed_key());
    for status in [400, 401, 429] {
        let Some((error, _)) = error_after(&subject, status, 200, &message).await else { return };
        assert_secret(&printed(&error), "the error after 200");
        assert_message(&error);
    }
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

/// The error after the provider's answer for `status`, sent with another one, and the number of
/// requests. `None` if the format is unknown.
async fn error_after(
    subject: &Subject,
    status: u16,
    sent_status: u16,
    message: &str,
) -> Option<(Error, usize)> {
    let Some(answer) = &subject.capabilities.error_answer else {
        skipped(NEEDS);
        return None;
    };
    let answer: Response = (answer.0)(status, message).with_status(sent_status);
    let script = move |_: &RecordedRequest, _| Action::Answer(answer.clone());
    let running = subject.served(endpoint::patient(), script).await;
    let options = SearchOptions::top(3);
    match running.try_results("what there is", &options).await {
        Ok(found) => panic!("an error for {status} sent with {sent_status} is {found:?}"),
        Err(error) => Some((error, running.server().count())),
    }
}
