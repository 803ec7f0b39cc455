//! Errors in responses.

use serde_json::Value;

use crate::{
    ErrorKind,
    http::{ErrorAnswer, ErrorDetails, described_faults},
    web::is_empty,
};

type Names = &'static [&'static str];

/// Where an engine's responses hold errors, and what its codes mean.
///
/// Places are JSON pointers. In a place, the step `*` stands for every item of a list. The core
/// removes secrets from what it finds.
///
/// ```
/// use textsearch_core::web::ErrorFormat;
///
/// // { "error": { "code": "ratelimited", "info": "Too many requests" } }
/// const ERRORS: ErrorFormat = ErrorFormat {
///     roots: &["/error"],
///     codes: &["/code"],
///     messages: &["/info"],
///     rate_limits: &["ratelimited"],
///     outages: &["maxlag", "readonly"],
///     ..ErrorFormat::NONE
/// };
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a constant is written as a struct")]
pub struct ErrorFormat {
    /// Paths that occur in errors only. The other paths start at the first of them that the response
    /// contains, or else at its root.
    pub roots: Names,
    /// The places of codes. The first code is in the error; the first known one decides.
    pub codes: Names,
    /// The place of a second code, which the error has after the first one and a slash.
    pub subcode: Option<&'static str>,
    /// The places of the message. The first text or list, as [`described_faults`] reads it, counts.
    pub messages: Names,
    /// The places of more texts or lists, which end the message. Each has the words before and after
    /// it.
    pub details: &'static [(&'static str, &'static str, &'static str)],
    /// The codes of a wrong key or a missing permission. `X_*` is every code that starts with `X_`,
    /// here and for other kinds.
    pub key_errors: Names,
    /// The codes of rate limits, which the core retries.
    pub rate_limits: Names,
    /// The codes of exhausted quotas, which the core does not retry.
    pub quotas: Names,
    /// Words in a message, in lower case, that make an unknown code or a rate limit an exhausted
    /// quota.
    pub quota_phrases: Names,
    /// The statuses of exhausted quotas.
    pub quota_statuses: &'static [u16],
    /// The codes of a service that is unavailable for now.
    pub outages: Names,
    /// Advice to add to messages: for a status, and words that the message must have, if any.
    pub advice: &'static [(u16, &'static str, &'static str)],
}

impl ErrorFormat {
    /// No places: the status alone decides.
    pub const NONE: Self = Self {
        roots: &[],
        codes: &[],
        subcode: None,
        messages: &[],
        details: &[],
        key_errors: &[],
        rate_limits: &[],
        quotas: &[],
        quota_phrases: &[],
        quota_statuses: &[],
        outages: &[],
        advice: &[],
    };

    /// Returns whether a response has a place that only errors have.
    pub(super) fn is_in(&self, answer: &ErrorAnswer<'_>) -> bool {
        // Much faster than a lossy reading, which only broken text needs.
        let text = std::str::from_utf8(answer.body)
            .map_or_else(|_| String::from_utf8_lossy(answer.body), std::borrow::Cow::Borrowed);
        let has_name = |root: &&str| {
            text.contains(&format!("\"{}\"", root.split('/').nth(1).unwrap_or_default()))
        };
        // Most successes lack the name and are not parsed.
        self.roots.iter().any(has_name)
            && answer.json::<Value>().is_some_and(|body| self.root(&body).is_some())
    }

    /// Reads an error. A body in another format leaves the status to decide.
    pub fn read(&self, answer: &ErrorAnswer<'_>) -> ErrorDetails {
        let body = answer.json::<Value>().unwrap_or_default();
        // Beside `"error": true`, the details are in sibling fields.
        let has_parts = |root: &&Value| !root.is_boolean() && !root.is_number();
        let root = self.root(&body).filter(has_parts).unwrap_or(&body);
        let codes = texts(root, self.codes);
        let message = self.message(root, answer.status.as_u16());
        let subcode = self.subcode.and_then(|place| texts(root, &[place]).first().copied());
        let code: Vec<&str> = codes.first().copied().into_iter().chain(subcode).collect();
        ErrorDetails {
            kind: self.kind(&codes, &message, answer.status.as_u16()),
            code: Some(code.join("/")).filter(|code| !code.is_empty()),
            message: Some(message).filter(|message| !message.is_empty()),
            retry_after: None,
        }
    }

    fn root<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        // Some services send an empty error, `false` or 0 with every success.
        let is_error = |value: &&Value| {
            !is_empty(value) && value.as_bool() != Some(false) && value.as_f64() != Some(0.0)
        };
        self.roots.iter().find_map(|root| body.pointer(root).filter(is_error))
    }

    fn message(&self, root: &Value, status: u16) -> String {
        let mut messages = self.messages.iter().flat_map(|place| values_at(root, place));
        let mut message = messages.find_map(words).unwrap_or_default();
        for (place, before, after) in self.details {
            for words in values_at(root, place).into_iter().filter_map(words) {
                let before = if message.is_empty() { "" } else { before };
                message.extend([before, &words, after]);
            }
        }
        for (when, phrase, advice) in self.advice {
            if *when == status && message.contains(phrase) {
                let separator = if message.is_empty() { "" } else { "; " };
                message.extend([separator, advice]);
            }
        }
        message
    }

    fn kind(&self, codes: &[&str], message: &str, status: u16) -> Option<ErrorKind> {
        let kinds = [
            (self.key_errors, ErrorKind::Authentication),
            (self.quotas, ErrorKind::QuotaExceeded),
            (self.rate_limits, ErrorKind::RateLimited),
            (self.outages, ErrorKind::Unavailable),
        ];
        let kind_of = |code: &&str| {
            let known = kinds.iter().find(|(names, _)| names.iter().any(|name| is(code, name)));
            known.map(|(_, kind)| kind.clone())
        };
        let kind = codes.iter().find_map(kind_of);
        let message = message.to_lowercase();
        let is_quota = matches!(kind, None | Some(ErrorKind::RateLimited))
            && (self.quota_statuses.contains(&status)
                || self.quota_phrases.iter().any(|phrase| message.contains(phrase)));
        if is_quota { Some(ErrorKind::QuotaExceeded) } else { kind }
    }
}

fn is(code: &str, name: &str) -> bool {
    name.strip_suffix('*').map_or(code == name, |start| code.starts_with(start))
}

fn words(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).or_else(|| described_faults(value))
}

fn texts<'a>(root: &'a Value, places: &[&str]) -> Vec<&'a str> {
    let texts = places.iter().flat_map(|place| values_at(root, place)).filter_map(Value::as_str);
    texts.filter(|text| !text.is_empty()).collect()
}

fn values_at<'a>(root: &'a Value, place: &str) -> Vec<&'a Value> {
    let Some((before, after)) = place.split_once("/*") else {
        return root.pointer(place).into_iter().collect();
    };
    let items = root.pointer(before).and_then(Value::as_array).into_iter().flatten();
    items.flat_map(|item| values_at(item, after)).collect()
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode};
    use serde_json::json;

    use super::*;

    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/errors/0", "/error"],
        codes: &["/reasons/*/code", "/code"],
        subcode: Some("/sub"),
        messages: &["/message", ""],
        details: &[("/parameter", "; parameter `", "`"), ("/faults", ": ", "")],
        key_errors: &["key_*"],
        rate_limits: &["slow"],
        quotas: &["used_up"],
        quota_phrases: &["per day"],
        quota_statuses: &[432],
        outages: &["down"],
        advice: &[(403, "forbidden", "ask an administrator")],
    };

    fn read(status: u16, body: &Value) -> ErrorDetails {
        let headers = HeaderMap::new();
        let body = body.to_string();
        let status = StatusCode::from_u16(status).unwrap();
        ERRORS.read(&ErrorAnswer { status, headers: &headers, body: body.as_bytes() })
    }

    fn details(kind: Option<ErrorKind>, code: &str, message: &str) -> ErrorDetails {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        ErrorDetails { kind, code: text(code), message: text(message), retry_after: None }
    }

    #[test]
    fn code_and_message_are_found_in_their_places() {
        let error = json!({ "code": "a", "sub": "b", "message": "wrong", "parameter": "count" });
        let expected = details(None, "a/b", "wrong; parameter `count`");
        assert_eq!(read(400, &json!({ "errors": [error] })), expected);
        assert_eq!(read(400, &json!({ "error": "wrong" })), details(None, "", "wrong"));
        assert_eq!(read(400, &json!({ "message": "wrong" })), details(None, "", "wrong"));
        assert_eq!(
            read(400, &json!({ "error": true, "message": "wrong" })),
            details(None, "", "wrong")
        );
        let faults = json!([{ "loc": ["query", "count"], "msg": "no number" }]);
        let error = json!({ "error": { "message": "wrong", "faults": faults } });
        let expected = details(None, "", "wrong: query.count: no number");
        assert_eq!(read(400, &error), expected);
        assert_eq!(read(400, &json!([])), ErrorDetails::default());
    }

    #[test]
    fn the_first_known_code_decides_about_the_kind() {
        let kind = |status, error: Value| read(status, &json!({ "error": error }));
        let reasons = json!({ "reasons": [{ "code": "odd" }, { "code": "used_up" }] });
        assert_eq!(kind(403, reasons), details(Some(ErrorKind::QuotaExceeded), "odd", ""));
        for (code, expected) in [
            ("key_expired", ErrorKind::Authentication),
            ("slow", ErrorKind::RateLimited),
            ("down", ErrorKind::Unavailable),
        ] {
            let expected = details(Some(expected), code, "");
            assert_eq!(kind(400, json!({ "code": code })), expected);
        }
        let daily = json!({ "code": "slow", "message": "10 Per Day" });
        let used_up = Some(ErrorKind::QuotaExceeded);
        assert_eq!(kind(429, daily), details(used_up.clone(), "slow", "10 Per Day"));
        assert_eq!(read(432, &Value::Null), details(used_up, "", ""));
    }

    #[test]
    fn advice_follows_its_status_and_phrase() {
        let error = json!({ "error": { "message": "forbidden" } });
        let advised = details(None, "", "forbidden; ask an administrator");
        assert_eq!(read(403, &error), advised);
        assert_eq!(read(400, &error), details(None, "", "forbidden"));
        assert_eq!(read(403, &json!({})), ErrorDetails::default());
    }

    #[test]
    fn a_success_is_an_error_only_with_the_errors_place() {
        let is_error = |body: &Value| {
            let headers = HeaderMap::new();
            let body = body.to_string();
            let status = StatusCode::OK;
            ERRORS.is_in(&ErrorAnswer { status, headers: &headers, body: body.as_bytes() })
        };
        assert!(is_error(&json!({ "error": { "code": "x" } })));
        assert!(is_error(&json!({ "errors": [{ "code": "x" }] })));
        assert!(is_error(&json!({ "error": true, "message": "x" })));
        assert!(is_error(&json!({ "error": 401 })));
        for body in [
            json!({ "results": [{ "error": "x" }], "message": "x" }),
            json!({ "error": null, "errors": [] }),
            json!({ "error": false }),
            json!({ "error": 0 }),
        ] {
            assert!(!is_error(&body), "{body}");
        }
    }
}
