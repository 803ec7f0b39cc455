//! Instants.

mod read;

use std::{
    borrow::Cow,
    fmt,
    str::FromStr,
    time::{SystemTime, UNIX_EPOCH},
};

use jiff::{civil, fmt::rfc2822, tz::TimeZone};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::ParseError;

/// An instant in the years 0 to 9999, to the nanosecond. `Display` and serde write RFC 3339 in UTC.
///
/// ```
/// use textsearch_core::filter::DateTime;
///
/// let instant = DateTime::parse("2024-08-14T02:00:00.50+02:00")?;
/// assert_eq!(instant.to_string(), "2024-08-14T00:00:00.5Z");
/// assert!(instant > DateTime::parse("2024-08-14")?);
/// # Ok::<(), textsearch_core::filter::ParseError>(())
/// ```
// Not a `jiff::Timestamp`, which ends on 9999-12-30: databases use the last moment of 9999 for
// "never".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime(civil::DateTime);

const NOT_INTERNET_DATE: &str = "expected RFC 2822, such as Mon, 31 Mar 2025 08:00:00 GMT";

const EPOCH: civil::DateTime = civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

impl DateTime {
    /// The earliest instant, `0000-01-01T00:00:00Z`.
    pub const MIN: Self = Self(civil::DateTime::constant(0, 1, 1, 0, 0, 0, 0));

    /// The latest instant, `9999-12-31T23:59:59.999999999Z`.
    pub const MAX: Self = Self(civil::DateTime::MAX);

    /// Reads RFC 3339, such as `2024-08-14T00:00:00Z`, with at most 9 digits after the second.
    ///
    /// A date alone is its midnight in UTC. A date and time without an offset are in UTC. `T`, `t`
    /// or a space separates date and time. A leap second counts as the second before.
    ///
    /// # Errors
    ///
    /// Returns [`ParseError`] for any other text, a date that does not exist, and an
    /// instant outside the years 0 to 9999.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Self::read(text).map_err(|problem| ParseError::of_date(text, problem))
    }

    /// Reads RFC 2822, as in e-mails, feeds and HTTP headers: `Mon, 31 Mar 2025 08:00:00 GMT`.
    /// Accepts the zone `UTC`, too, and does not check the day of the week.
    ///
    /// ```
    /// use textsearch_core::filter::DateTime;
    ///
    /// let instant = DateTime::parse_rfc2822("Mon, 31 Mar 2025 10:00:00 +0200")?;
    /// assert_eq!(instant, DateTime::parse("2025-03-31T08:00:00Z")?);
    /// # Ok::<(), textsearch_core::filter::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ParseError`] for any other text, a date that does not exist, and an
    /// instant before the year 0.
    pub fn parse_rfc2822(text: &str) -> Result<Self, ParseError> {
        let text = text
            .strip_suffix(" UTC")
            .map_or(Cow::Borrowed(text), |date| format!("{date} GMT").into());
        let timestamp =
            rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text.as_ref());
        let timestamp = timestamp.map_err(|_| ParseError::of_date(&text, NOT_INTERNET_DATE))?;
        let instant = TimeZone::UTC.to_datetime(timestamp);
        if instant < Self::MIN.0 {
            return Err(ParseError::of_date(&text, read::OUT_OF_RANGE));
        }
        Ok(Self(instant))
    }

    /// Returns the nanoseconds since 1970-01-01T00:00:00Z, negative before it.
    pub fn unix_nanoseconds(self) -> i128 {
        self.0.duration_since(EPOCH).as_nanos()
    }

    /// Returns the second that the instant is in.
    #[cfg(feature = "web")]
    pub(crate) fn floor_to_second(self) -> Self {
        Self(self.0.with().subsec_nanosecond(0).build().unwrap_or(self.0))
    }

    /// Returns the instant a second later; `None` after [`MAX`](Self::MAX).
    #[cfg(feature = "web")]
    pub(crate) fn next_second(self) -> Option<Self> {
        self.0.checked_add(jiff::SignedDuration::from_secs(1)).ok().map(Self)
    }
}

impl From<SystemTime> for DateTime {
    /// Converts to the same instant, clamped to [`MIN`](DateTime::MIN) and [`MAX`](DateTime::MAX).
    fn from(time: SystemTime) -> Self {
        let instant = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => EPOCH.saturating_add(after),
            Err(before) => EPOCH.saturating_sub(before.duration()),
        };
        Self(instant.max(Self::MIN.0))
    }
}

impl FromStr for DateTime {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}Z", self.0)
    }
}

impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DateTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

impl JsonSchema for DateTime {
    fn schema_name() -> Cow<'static, str> {
        "DateTime".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}
