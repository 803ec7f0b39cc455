//! Checks of option values.

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
/// # Ok::<(), textsearch_core::filter::ParseDateTimeError>(())
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
    match day(connector, option, value)? == value {
        true => Ok(()),
        false => Err(no_day(connector, option, value)),
    }
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
}
