//! Checks of option values.

use std::{fmt, ops::RangeInclusive};

use crate::{Error, Result, filter::DateTime};

const DAY_BEGINS: &str = "T00:00:00Z";

/// Checks that a value is allowed.
///
/// ```
/// use textsearch_core::web::one_of;
///
/// assert!(one_of("example", "safesearch", "off", &["off", "strict"]).is_ok());
/// let error = one_of("example", "safesearch", "on", &["off", "strict"]).unwrap_err();
/// assert_eq!(error.to_string(), "example: `safesearch` is `on`; expected off, strict");
/// ```
///
/// # Errors
/// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) for any other value.
pub fn one_of(connector: &str, option: &str, value: &str, allowed: &[&str]) -> Result<()> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
    Err(Error::invalid_options(connector, option, format!("`{value}`"), allowed))
}

/// Checks that a value `is_valid`. Otherwise the error names the `allowed` ones.
///
/// ```
/// use textsearch_core::web::valid;
///
/// let is_extension = |value: &str| value.chars().all(char::is_alphanumeric);
/// let error = valid("example", "type", ".pdf", is_extension(".pdf"), "letters, such as pdf").unwrap_err();
/// assert_eq!(error.to_string(), "example: `type` is `.pdf`; expected letters, such as pdf");
/// ```
///
/// # Errors
/// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if it isn't.
pub fn valid(
    connector: &str,
    option: &str,
    value: impl fmt::Display,
    is_valid: bool,
    allowed: &str,
) -> Result<()> {
    if is_valid {
        return Ok(());
    }
    let text = value.to_string();
    let value = if text.trim().is_empty() { "empty".to_owned() } else { format!("`{text}`") };
    Err(Error::invalid_options(connector, option, value, allowed))
}

/// Returns a day as `2025-03-31`, from a date alone or from the instant that begins the day in UTC.
///
/// ```
/// use textsearch_core::web::day;
///
/// assert_eq!(day("example", "published", "2025-03-31T00:00:00Z")?, "2025-03-31");
/// assert!(day("example", "published", "2025-03-31T12:00:00Z").is_err());
/// # Ok::<(), textsearch_core::Error>(())
/// ```
///
/// # Errors
/// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) for any other text.
pub fn day(connector: &str, option: &str, value: &str) -> Result<String> {
    let instant = DateTime::parse(value).ok().map(|instant| instant.to_string());
    let day = instant.as_deref().and_then(|text| text.strip_suffix(DAY_BEGINS));
    day.map(str::to_owned).ok_or_else(|| no_day(connector, option, value))
}

/// Returns an instant that begins a day in UTC as that day, such as `2025-03-31`, and any other in
/// full, which [`exact_day`] rejects.
///
/// ```
/// use textsearch_core::web::written_day;
///
/// assert_eq!(written_day("2025-03-31".parse()?), "2025-03-31");
/// assert_eq!(written_day("2025-03-31T12:00:00Z".parse()?), "2025-03-31T12:00:00Z");
/// # Ok::<(), textsearch_core::filter::ParseError>(())
/// ```
pub fn written_day(instant: DateTime) -> String {
    let text = instant.to_string();
    text.strip_suffix(DAY_BEGINS).map(str::to_owned).unwrap_or(text)
}

/// Checks that a value is written as a day, such as `2025-03-31`.
///
/// # Errors
/// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) for any other text, including an instant.
pub fn exact_day(connector: &str, option: &str, value: &str) -> Result<()> {
    if day(connector, option, value)? == value {
        Ok(())
    } else {
        Err(no_day(connector, option, value))
    }
}

/// Returns whether a value is two days in order, such as `2025-01-01..2025-03-31` with the separator
/// `..`.
pub fn is_period(value: &str, separator: &str) -> bool {
    let is_day = |text: &str| exact_day("", "", text).is_ok();
    let is_period = |(first, last): (&str, &str)| is_day(first) && is_day(last) && first <= last;
    value.split_once(separator).is_some_and(is_period)
}

/// Returns whether a value is a language, optionally with a script and a country: `en`,
/// `zh-Hant-TW`.
pub fn is_locale(value: &str) -> bool {
    let mut parts = value.split('-');
    let has_language = parts.next().is_some_and(|language| is_letters(language, 2..=3));
    has_language && parts.all(|part| is_letters(part, 2..=4))
}

/// Returns whether a value has only ASCII letters, and as many as `lengths` allows.
pub fn is_letters(value: &str, lengths: RangeInclusive<usize>) -> bool {
    lengths.contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Returns whether a value is an address, such as `example.com/page`, that no engine reads as an
/// operator: without spaces, quotes, parentheses and `|`.
pub fn is_address(value: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-._/~%:?=#@!+,;".contains(c);
    value.starts_with(char::is_alphanumeric) && value.chars().all(is_plain)
}

fn no_day(connector: &str, option: &str, value: &str) -> Error {
    Error::invalid_options(connector, option, format!("`{value}`"), "a day, such as 2025-03-31")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_a_date_or_its_first_instant() {
        for value in ["2025-03-31", "2025-03-31T00:00:00Z", "2025-03-31T02:00:00+02:00"] {
            assert_eq!(day("example", "published", value).unwrap(), "2025-03-31");
        }
        for value in ["", "yesterday", "2025-02-30", "31.3.2025", "2025-03-31T00:00:01Z"] {
            assert!(day("example", "published", value).is_err(), "{value}");
        }
    }

    #[test]
    fn an_exact_day_is_written_as_one() {
        assert!(exact_day("example", "start", "2025-03-31").is_ok());
        let error = exact_day("example", "start", "2025-03-31T00:00:00Z").unwrap_err();
        let expected =
            "example: `start` is `2025-03-31T00:00:00Z`; expected a day, such as 2025-03-31";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_period_has_two_days_in_order() {
        assert!(is_period("2025-01-01to2025-01-01", "to"));
        for value in ["2025-01-02..2025-01-01", "2025-01-01", "2025-01-01..", "a..b"] {
            assert!(!is_period(value, ".."), "{value}");
        }
    }

    #[test]
    fn a_locale_begins_with_a_language() {
        for value in ["en", "en-US", "zh-Hant-TW"] {
            assert!(is_locale(value), "{value}");
        }
        for value in ["", "e", "english", "en-", "en_US", "en-u", "größe"] {
            assert!(!is_locale(value), "{value}");
        }
    }

    #[test]
    fn an_address_has_no_operators() {
        for value in ["example.com", "example.com/a?b=c", "http://größe.example"] {
            assert!(is_address(value), "{value}");
        }
        for value in ["", "-example.com", "a OR b", "a\"b", "(a)", "a|b"] {
            assert!(!is_address(value), "{value}");
        }
    }
}
