//! Maps the status of a response to an error.

use std::{fmt, time::Duration};

use ::http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

use super::{
    failure::{Failure, Retry},
    json::read_json,
    media_type::is_html,
    report::Report,
    retry_after,
};
use crate::ErrorKind;

/// No other code maps a status to a kind.
fn kind_of(status: StatusCode) -> ErrorKind {
    match status.as_u16() {
        401 | 403 => ErrorKind::Authentication,
        402 => ErrorKind::QuotaExceeded,
        429 => ErrorKind::RateLimited,
        408 | 500 | 502..=504 => ErrorKind::Unavailable,
        status => ErrorKind::UnexpectedStatus { status, code: None, excerpt: String::new() },
    }
}

fn retry_of(status: StatusCode, kind: &ErrorKind) -> Retry {
    if !kind.is_retryable() {
        return Retry::Never;
    }
    let was_not_served = matches!(status.as_u16(), 408 | 429 | 502..=504);
    if was_not_served || *kind == ErrorKind::RateLimited {
        Retry::Always
    } else {
        Retry::IfIdempotent
    }
}

/// A response that is or may be an error.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ErrorAnswer<'a> {
    /// The status. A success only for
    /// [`with_success_error_reader`](super::HttpClient::with_success_error_reader).
    pub status: StatusCode,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body: the first 64 KiB with an error status; at most 64 KiB with a success.
    pub body: &'a [u8],
}

impl ErrorAnswer<'_> {
    /// Returns the body as JSON; `None` if it isn't JSON of that shape.
    pub fn json<T: DeserializeOwned>(&self) -> Option<T> {
        read_json(self.body).ok()
    }
}

impl fmt::Debug for ErrorAnswer<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ErrorAnswer")
            .field("status", &self.status)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// The details of an error that a connector reads from an [`ErrorAnswer`].
///
/// ```
/// use textsearch_core::{ErrorKind, http::{ErrorAnswer, ErrorDetails}};
///
/// /// Google says with 403 that the day's quota is used up.
/// fn read_error(answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
///     let body: serde_json::Value = answer.json()?;
///     let message = body.pointer("/error/message")?.as_str()?;
///     let (kind, code) = match body.pointer("/error/errors/0/reason")?.as_str()? {
///         "dailyLimitExceeded" => (Some(ErrorKind::QuotaExceeded), None),
///         reason => (None, Some(reason.to_owned())),
///     };
///     Some(ErrorDetails { kind, code, message: Some(message.to_owned()), ..ErrorDetails::default() })
/// }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "connectors write it as a struct")]
pub struct ErrorDetails {
    /// The kind of error instead of the status's, which also decides about retries.
    pub kind: Option<ErrorKind>,
    /// The provider's error code.
    pub code: Option<String>,
    /// The message instead of the beginning of the body, or the title of an HTML page. It is bounded
    /// in length and loses the secrets of the request.
    pub message: Option<String>,
    /// How long to wait, for providers that don't send `Retry-After`.
    pub retry_after: Option<Duration>,
}

pub(super) type ReadError = dyn Fn(&ErrorAnswer<'_>) -> Option<ErrorDetails> + Send + Sync;

/// `is_cut` means that the body continues.
pub(super) fn failure_of(
    report: &Report<'_>,
    answer: &ErrorAnswer<'_>,
    is_cut: bool,
    details: ErrorDetails,
) -> Failure {
    let excerpt = report.scrubber.excerpt(answer.body, is_cut);
    let words = details.message.or_else(|| title_of_page(answer));
    let words = words.map(|message| report.scrubber.line(&message));
    let code = details.code.map(|code| report.scrubber.line(&code));
    let message =
        message(report.place(), answer.status, code.as_deref(), words.as_ref().unwrap_or(&excerpt));
    let kind = match details.kind.unwrap_or_else(|| kind_of(answer.status)) {
        ErrorKind::UnexpectedStatus { status, code: None, .. } => {
            ErrorKind::UnexpectedStatus { status, code, excerpt }
        }
        kind => kind,
    };
    let retry = retry_of(answer.status, &kind);
    let error = report.error(kind, &message);
    match details.retry_after.or_else(|| retry_after(answer.headers)) {
        Some(wait) => Failure::new(error.with_retry_after(wait), retry),
        None => Failure::new(error, retry),
    }
}

/// Returns the title of an HTML page, which may be empty; `None` for other bodies.
fn title_of_page(answer: &ErrorAnswer<'_>) -> Option<String> {
    if !is_html(answer.headers) {
        return None;
    }
    let page = String::from_utf8_lossy(answer.body);
    // ASCII case leaves the positions as they are.
    let tags = page.to_ascii_lowercase();
    let title = || {
        let tag = tags.find("<title")?;
        let start = tag + tags.get(tag..)?.find('>')? + 1;
        let end = start + tags.get(start..)?.find("</title")?;
        page.get(start..end).map(str::to_owned)
    };
    let title = title().unwrap_or_default();
    let repeats_status = answer.status.canonical_reason().is_some_and(|why| title.contains(why));
    Some(if repeats_status { String::new() } else { title })
}

fn message(place: &str, status: StatusCode, code: Option<&str>, words: &str) -> String {
    let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
    let separator = if words.is_empty() { "" } else { ": " };
    format!("{place} answered {status}{code}{separator}{words}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::http::{HeaderValue, header};
    use url::Url;

    use super::*;
    use crate::http::{Secret, scrub::Scrubber};

    fn failure(status: u16, body: &str, read: Option<&ReadError>) -> Failure {
        let url = Url::parse("https://example.com/v1?key=sesame").unwrap();
        let secrets = [Secret::from("sesame")];
        let scrubber = Scrubber::new(&secrets);
        let report = Report::new(&Arc::from("google"), &scrubber, &url);
        let mut headers = HeaderMap::new();
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("3"));
        let status = StatusCode::from_u16(status).unwrap();
        let answer = ErrorAnswer { status, headers: &headers, body: body.as_bytes() };
        let details = read.and_then(|read| read(&answer)).unwrap_or_default();
        failure_of(&report, &answer, false, details)
    }

    #[test]
    fn the_table_gives_each_status_its_kind_and_its_retry() {
        let cases = [
            (401, "authentication", Retry::Never),
            (402, "quota_exceeded", Retry::Never),
            (403, "authentication", Retry::Never),
            (408, "unavailable", Retry::Always),
            (429, "rate_limited", Retry::Always),
            (500, "unavailable", Retry::IfIdempotent),
            (502, "unavailable", Retry::Always),
            (503, "unavailable", Retry::Always),
            (504, "unavailable", Retry::Always),
            (304, "unexpected_status", Retry::Never),
            (400, "unexpected_status", Retry::Never),
            (404, "unexpected_status", Retry::Never),
            (422, "unexpected_status", Retry::Never),
            (501, "unexpected_status", Retry::Never),
            (505, "unexpected_status", Retry::Never),
        ];
        for (status, kind, retry) in cases {
            let failure = failure(status, "", None);
            assert_eq!((failure.error.kind().name(), failure.retry), (kind, retry), "{status}");
        }
    }

    #[test]
    fn an_unknown_status_keeps_an_excerpt_without_secrets() {
        let error = failure(418, "{\"detail\":\n \"sesame is wrong\"}", None).error;
        let excerpt = "{\"detail\": \"*** is wrong\"}".to_owned();
        let expected =
            format!("google: https://example.com/v1 answered 418 I'm a teapot: {excerpt}");
        assert_eq!(error.to_string(), expected);
        let kind = ErrorKind::UnexpectedStatus { status: 418, code: None, excerpt };
        assert_eq!(error.kind(), &kind);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn an_html_page_is_reported_by_its_title() {
        let message = |content_type: &'static str, body: &str| {
            let url = Url::parse("https://example.com/v1").unwrap();
            let secrets = [Secret::from("sesame")];
            let scrubber = Scrubber::new(&secrets);
            let report = Report::new(&Arc::from("google"), &scrubber, &url);
            let content_type = (header::CONTENT_TYPE, HeaderValue::from_static(content_type));
            let headers = HeaderMap::from_iter([content_type]);
            let status = StatusCode::NOT_FOUND;
            let answer = ErrorAnswer { status, headers: &headers, body: body.as_bytes() };
            failure_of(&report, &answer, false, ErrorDetails::default()).error.message().to_owned()
        };
        let plain = "https://example.com/v1 answered 404 Not Found";
        let page = "<html><TITLE lang=en>Gone &amp;\nsesame</Title><p>Sorry";
        assert_eq!(message("text/html; charset=utf-8", page), format!("{plain}: Gone &amp; ***"));
        for page in ["<h1>Gone</h1>", "<title>Gone", "<title", "<title>404 Not Found</title>"] {
            assert_eq!(message("Text/HTML", page), plain, "{page}");
        }
        assert_eq!(message("text/plain", "<p>Sorry"), format!("{plain}: <p>Sorry"));
    }

    #[test]
    fn a_connector_refines_kind_code_words_and_wait() {
        let read = |_: &ErrorAnswer<'_>| {
            Some(ErrorDetails {
                kind: Some(ErrorKind::RateLimited),
                code: Some("rateLimitExceeded".to_owned()),
                message: Some("slower, sesame".to_owned()),
                retry_after: Some(Duration::from_secs(9)),
            })
        };
        let failure = failure(403, "{}", Some(&read));
        let expected = "google: https://example.com/v1 answered 403 Forbidden (rateLimitExceeded): \
                        slower, ***";
        assert_eq!(failure.error.to_string(), expected);
        assert_eq!(failure.error.kind(), &ErrorKind::RateLimited);
        assert_eq!(failure.error.retry_after(), Some(Duration::from_secs(9)));
        assert_eq!(failure.retry, Retry::Always);
    }

    #[test]
    fn a_connector_that_knows_no_kind_still_gives_its_code() {
        let read = |answer: &ErrorAnswer<'_>| {
            Some(ErrorDetails { code: Some(answer.json()?), ..ErrorDetails::default() })
        };
        let kind = failure(400, "\"bad_key_sesame\"", Some(&read)).error.kind().clone();
        let ErrorKind::UnexpectedStatus { code, .. } = kind else { panic!("{kind:?}") };
        assert_eq!(code.as_deref(), Some("bad_key_***"));
    }

    #[test]
    fn a_429_for_an_exhausted_quota_is_not_retried() {
        let read = |_: &ErrorAnswer<'_>| {
            Some(ErrorDetails { kind: Some(ErrorKind::QuotaExceeded), ..ErrorDetails::default() })
        };
        assert_eq!(failure(429, "", Some(&read)).retry, Retry::Never);
    }
}
