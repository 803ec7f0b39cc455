//! Reads JSON leniently: services and proxies send slightly broken bodies.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

const REPLACEMENT: &str = "\\ufffd";

/// Reads JSON as [`HttpClient::send_json`](super::HttpClient::send_json) does. Skips a byte order
/// mark.
///
/// A body that does not fit is read again leniently: invalid UTF-8 and lone surrogates become
/// U+FFFD, and the last of several values with one name counts.
///
/// ```
/// use textsearch_core::http::read_json;
///
/// let texts: Vec<String> = read_json(br#"["cut within an emoji \ud83d"]"#)?;
/// assert_eq!(texts, ["cut within an emoji \u{fffd}"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// The error of the first reading, with the place in the body.
pub fn read_json<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    match serde_json::from_slice(body) {
        // A truncated body cannot be repaired.
        Err(error) if !error.is_eof() => read_leniently(body).ok_or(error),
        read => read,
    }
}

/// Goes through a [`Value`], so that a fault in one result cannot confuse the reading of the next.
fn read_leniently<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    let text = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_str(&without_lone_surrogates(&text)).ok()?;
    serde_json::from_value(value).ok()
}

fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('\\') {
        let (before, escape) = rest.split_at(place);
        repaired.push_str(before);
        let is_high = |unit: &u16| (0xD800..0xDC00).contains(unit);
        let is_low = |unit: &u16| (0xDC00..0xE000).contains(unit);
        let first = unit(escape);
        let second = escape.get(6..).and_then(unit);
        let (replacement, length) = match (first, second) {
            (Some(high), Some(low)) if is_high(&high) && is_low(&low) => (None, 12),
            (Some(lone), _) if is_high(&lone) || is_low(&lone) => (Some(REPLACEMENT), 6),
            // Another escape, whose second character may be a backslash.
            _ => (None, escape.chars().take(2).map(char::len_utf8).sum()),
        };
        let (escape, after) = escape.split_at(length);
        repaired.push_str(replacement.unwrap_or(escape));
        rest = after;
    }
    repaired.push_str(rest);
    Cow::Owned(repaired)
}

/// `text` begins with an escape such as `\ud83d`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| are_digits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(body: &[u8]) -> Vec<String> {
        read_json(body).unwrap()
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(texts("\u{feff}[\"a\"]".as_bytes()), ["a"]);
        assert!(read_json::<Value>(BYTE_ORDER_MARK).unwrap_err().is_eof());
    }

    #[test]
    fn a_lone_surrogate_becomes_a_replacement_character() {
        let cases = [
            (r#"["a\ud83d"]"#, "a\u{fffd}"),
            (r#"["\ude00b"]"#, "\u{fffd}b"),
            (r#"["\ud83d\u0041"]"#, "\u{fffd}A"),
            (r#"["\uD83D\uD83D\uDE00"]"#, "\u{fffd}😀"),
            (r#"["\ud83d\\ude00"]"#, "\u{fffd}\\ude00"),
            (r#"["\\\ud83d\n"]"#, "\\\u{fffd}\n"),
        ];
        for (body, expected) in cases {
            assert_eq!(texts(body.as_bytes()), [expected], "{body}");
        }
    }

    #[test]
    fn invalid_utf_8_becomes_a_replacement_character() {
        assert_eq!(texts(b"[\"caf\xe9\"]"), ["caf\u{fffd}"]);
    }

    #[test]
    fn json_broken_otherwise_keeps_its_error() {
        for body in ["[\"\\ud83d\"", "[\"\\ud83d\", 7]", "{\"a\": \\ud83d}", "[\"\\u12\"]"] {
            let expected = serde_json::from_str::<Vec<String>>(body).unwrap_err();
            let error = read_json::<Vec<String>>(body.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected.to_string(), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_as_it_was_written(text in "(\\PC|\\\\|ud83d|ude00|\u{1f600}|\"){0,20}") {
            let body = Value::from(text.as_str()).to_string();
            prop_assert_eq!(without_lone_surrogates(&body), body.as_str());
            prop_assert_eq!(read_json::<String>(body.as_bytes()).unwrap(), text);
        }
    }
}
