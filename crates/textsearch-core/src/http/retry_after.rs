//! Reads `Retry-After`.

use std::time::{Duration, SystemTime};

use ::http::{HeaderMap, HeaderName, header};

/// Adding it to a time cannot overflow.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Returns how long a server asks to wait, from the header `Retry-After`; at most 366 days. Returns
/// `None` if the header is missing or unreadable.
///
/// A date counts from the server's `Date`, or else from the local clock. A past date means no wait.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = text(headers, &header::RETRY_AFTER)?;
    seconds(text).or_else(|| until(text, now_of(headers))).map(|wait| wait.min(LONGEST))
}

/// Digits only, as the standard says. A number too large to parse is the longest wait.
fn seconds(text: &str) -> Option<Duration> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().map_or(LONGEST, Duration::from_secs))
}

fn until(date: &str, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(date).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

fn now_of(headers: &HeaderMap) -> SystemTime {
    let sent = text(headers, &header::DATE).and_then(|text| httpdate::parse_http_date(text).ok());
    sent.unwrap_or_else(SystemTime::now)
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use ::http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    const NOON: &str = "Sat, 21 Nov 2026 12:00:00 GMT";

    fn wait(value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(header::DATE, HeaderValue::from_static(NOON));
        headers.insert(header::RETRY_AFTER, HeaderValue::from_str(value).ok()?);
        retry_after(&headers)
    }

    #[test]
    fn seconds_are_read() {
        assert_eq!(wait("0"), Some(Duration::ZERO));
        assert_eq!(wait(" 7 "), Some(Duration::from_secs(7)));
    }

    #[test]
    fn the_three_forms_of_a_date_are_read() {
        let expected = Some(Duration::from_secs(90));
        assert_eq!(wait("Sat, 21 Nov 2026 12:01:30 GMT"), expected);
        assert_eq!(wait("Saturday, 21-Nov-26 12:01:30 GMT"), expected);
        assert_eq!(wait("Sat Nov 21 12:01:30 2026"), expected);
    }

    #[test]
    fn a_date_that_has_passed_is_no_wait() {
        assert_eq!(wait("Sat, 21 Nov 2026 11:00:00 GMT"), Some(Duration::ZERO));
    }

    #[test]
    fn retry_after_dates_use_our_clock_without_server_date() {
        let later = SystemTime::now() + Duration::from_secs(100);
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(&httpdate::fmt_http_date(later)).unwrap();
        headers.insert(header::RETRY_AFTER, value);
        let wait = retry_after(&headers).unwrap();
        assert!(wait > Duration::from_secs(95) && wait <= Duration::from_secs(100), "{wait:?}");
    }

    #[test]
    fn other_values_are_no_wait() {
        for value in ["", "-1", "1.5", "soon", "1e9", "0x10", "Sat, 99 Nov 2026 12:00:00 GMT"] {
            assert_eq!(wait(value), None, "{value}");
        }
    }

    #[test]
    fn a_huge_wait_is_capped() {
        assert_eq!(wait("99999999999999999999999999"), Some(LONGEST));
        assert_eq!(wait("Fri, 31 Dec 9999 23:59:59 GMT"), Some(LONGEST));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic_and_within_bounds(value in "\\PC{0,40}") {
            prop_assert!(wait(&value).is_none_or(|wait| wait <= LONGEST));
        }

        #[test]
        fn any_number_of_seconds_is_read(seconds in 0_u64..) {
            let expected = Duration::from_secs(seconds).min(LONGEST);
            prop_assert_eq!(wait(&seconds.to_string()), Some(expected));
        }

        #[test]
        fn any_date_is_read(seconds in 0_u64..4_000_000_000) {
            let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
            let noon = httpdate::parse_http_date(NOON).unwrap();
            let noon = noon.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
            let expected = Duration::from_secs(seconds.saturating_sub(noon)).min(LONGEST);
            prop_assert_eq!(wait(&date), Some(expected));
        }
    }
}
