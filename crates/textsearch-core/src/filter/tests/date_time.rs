//! Dates.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::filter::DateTime;

fn printed(text: &str) -> String {
    match DateTime::parse(text) {
        Ok(instant) => instant.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn dates_are_printed_in_utc() {
    let cases = [
        ("2024-08-14T01:02:03Z", "2024-08-14T01:02:03Z"),
        ("2024-08-14t01:02:03z", "2024-08-14T01:02:03Z"),
        ("2024-08-14 01:02:03Z", "2024-08-14T01:02:03Z"),
        ("2024-08-14T01:02:03+02:00", "2024-08-13T23:02:03Z"),
        ("2024-08-14T01:02:03-00:30", "2024-08-14T01:32:03Z"),
        ("2024-08-14T01:02:03-00:00", "2024-08-14T01:02:03Z"),
        ("2024-08-14T01:02:03", "2024-08-14T01:02:03Z"),
        ("2024-08-14", "2024-08-14T00:00:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
        ("2024-08-14T01:02:03.5Z", "2024-08-14T01:02:03.5Z"),
        ("2024-08-14T01:02:03.0000000", "2024-08-14T01:02:03Z"),
        ("2024-08-14T01:02:03.123456789+00:00", "2024-08-14T01:02:03.123456789Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"),
        ("0000-01-01", "0000-01-01T00:00:00Z"),
    ];
    for (text, expected) in cases {
        assert_eq!(printed(text), expected, "{text}");
    }
}

#[test]
fn other_shapes_are_refused() {
    let cases = [
        "",
        "2024",
        "2024-08",
        "24-08-14",
        "2024-8-14",
        "20240814",
        "+2024-08-14",
        " 2024-08-14",
        "2024-08-14 ",
        "2024-08-14Z",
        "2024-08-14T",
        "2024-08-14T01",
        "2024-08-14T01:02",
        "2024-08-14T01:02:03.",
        "2024-08-14T01:02:03.1234567890",
        "2024-08-14T01:02:03+0200",
        "2024-08-14T01:02:03+24:00",
        "2024-08-14T01:02:03+02:60",
        "2024-08-14T01:02:03Z[UTC]",
        "2024-08-14T01:02:03 Z",
        "２０２４-08-14",
    ];
    for text in cases {
        let expected = format!(
            "`{text}` is not a date and time: expected RFC 3339, such as 2024-08-14T00:00:00Z, or a date alone"
        );
        assert_eq!(printed(text), expected);
    }
}

#[test]
fn days_that_do_not_exist_are_refused() {
    for text in ["2023-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "2024-01-01T24:00:00"] {
        let expected =
            format!("`{text}` is not a date and time: there is no such day or time of day");
        assert_eq!(printed(text), expected);
    }
}

#[test]
fn instants_beyond_the_years_are_refused() {
    for text in ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"] {
        let expected =
            format!("`{text}` is not a date and time: in UTC it is not in the years 0 to 9999");
        assert_eq!(printed(text), expected);
    }
}

#[test]
fn an_error_quotes_only_the_beginning() {
    let error = DateTime::parse(&"é".repeat(1_000)).unwrap_err().to_string();
    assert!(error.starts_with(&format!("`{}…` is not", "é".repeat(40))), "{error}");
}

#[test]
fn instants_are_ordered_by_time_and_not_by_text() {
    let earlier = DateTime::parse("2024-08-14T01:00:00+02:00").unwrap();
    let later = DateTime::parse("2024-08-14T00:00:00Z").unwrap();
    assert!(earlier < later);
    assert_eq!(later, DateTime::parse("2024-08-14").unwrap());
}

#[test]
fn unix_nanoseconds_are_negative_before_1970() {
    let cases = [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:01.2349Z", 1_234_900_000),
        ("1969-12-31T23:59:59.9999Z", -100_000),
        ("2024-08-14", 1_723_593_600_000_000_000),
    ];
    for (text, expected) in cases {
        assert_eq!(DateTime::parse(text).unwrap().unix_nanoseconds(), expected, "{text}");
    }
}

#[test]
fn system_times_become_the_same_instant() {
    let after = UNIX_EPOCH + Duration::from_millis(1_723_593_600_250);
    assert_eq!(DateTime::from(after).to_string(), "2024-08-14T00:00:00.25Z");
    let before = UNIX_EPOCH - Duration::from_millis(250);
    assert_eq!(DateTime::from(before).to_string(), "1969-12-31T23:59:59.75Z");
}

#[test]
fn system_times_beyond_the_years_are_clamped() {
    let thousand_centuries = Duration::from_secs(100_000 * 365 * 24 * 60 * 60);
    if let Some(late) = SystemTime::UNIX_EPOCH.checked_add(thousand_centuries) {
        assert_eq!(DateTime::from(late), DateTime::MAX);
    }
    if let Some(early) = SystemTime::UNIX_EPOCH.checked_sub(thousand_centuries) {
        assert_eq!(DateTime::from(early), DateTime::MIN);
    }
}

#[test]
fn dates_of_e_mails_are_read_with_their_zone() {
    let expected = DateTime::parse("2025-03-31T08:00:00Z").unwrap();
    for text in [
        "Mon, 31 Mar 2025 08:00:00 GMT",
        "Mon, 31 Mar 2025 08:00:00 UTC",
        "Mon, 31 Mar 2025 10:00:00 +0200",
        "31 Mar 2025 08:00 GMT",
        "Tue, 31 Mar 2025 08:00:00 GMT",
    ] {
        assert_eq!(DateTime::parse_rfc2822(text), Ok(expected), "{text}");
    }
    for text in ["", "2025-03-31", "Mon, 31 Feb 2025 08:00:00 GMT", "Mon, 31 Mar 2025 08:00:00"] {
        assert!(DateTime::parse_rfc2822(text).is_err(), "{text}");
    }
    let error = DateTime::parse_rfc2822("soon").unwrap_err().to_string();
    let expected =
        "`soon` is not a date and time: expected RFC 2822, such as Mon, 31 Mar 2025 08:00:00 GMT";
    assert_eq!(error, expected);
}

#[test]
fn serde_writes_and_reads_text() {
    let instant = DateTime::parse("2024-08-14T00:00:00.5Z").unwrap();
    let json = serde_json::to_string(&instant).unwrap();
    assert_eq!(json, r#""2024-08-14T00:00:00.5Z""#);
    assert_eq!(serde_json::from_str::<DateTime>(&json).unwrap(), instant);
    assert!(serde_json::from_str::<DateTime>(r#""soon""#).is_err());
}

#[test]
fn schema_is_a_string_of_format_date_time() {
    let schema = schemars::schema_for!(Vec<DateTime>);
    let items = schema.get("items").unwrap();
    assert_eq!(*items, serde_json::json!({ "type": "string", "format": "date-time" }));
}
