//! Strict parsing: decides which texts of a record are dates.

use jiff::{SignedDuration, civil};

use super::DateTime;

const NOT_RFC_3339: &str = "expected RFC 3339, such as 2024-08-14T00:00:00Z, or a date alone";
const NO_SUCH_TIME: &str = "there is no such day or time of day";
pub(super) const OUT_OF_RANGE: &str = "in UTC it is not in the years 0 to 9999";

impl DateTime {
    /// [`parse`](Self::parse) without a copy of the text in the error, for use on each record.
    pub(in crate::filter) fn read(text: &str) -> Result<Self, &'static str> {
        let mut reader = Reader(text.as_bytes());
        let (year, month, day) = reader.date().ok_or(NOT_RFC_3339)?;
        let (time, offset) = reader.time_and_offset().ok_or(NOT_RFC_3339)?;
        if !reader.is_at_end() {
            return Err(NOT_RFC_3339);
        }
        let Time { hour, minute, second, nanosecond } = time;
        civil::DateTime::new(year, month, day, hour, minute, second, nanosecond)
            .map_err(|_| NO_SUCH_TIME)?
            .checked_sub(offset)
            .ok()
            .filter(|instant| *instant >= Self::MIN.0)
            .map(Self)
            .ok_or(OUT_OF_RANGE)
    }
}

#[derive(Default)]
struct Time {
    hour: i8,
    minute: i8,
    second: i8,
    nanosecond: i32,
}

/// The bytes not yet read. Each method returns `None` if they don't start with what it reads.
struct Reader<'text>(&'text [u8]);

impl Reader<'_> {
    fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn date(&mut self) -> Option<(i16, i8, i8)> {
        let year = self.number(4)?;
        self.one_of(b"-")?;
        let month = self.number(2)?;
        self.one_of(b"-")?;
        Some((year, month, self.number(2)?))
    }

    fn time_and_offset(&mut self) -> Option<(Time, SignedDuration)> {
        if self.is_at_end() {
            return Some((Time::default(), SignedDuration::ZERO));
        }
        self.one_of(b"Tt ")?;
        let hour = self.number(2)?;
        self.one_of(b":")?;
        let minute = self.number(2)?;
        self.one_of(b":")?;
        let second: i8 = self.number(2)?;
        let nanosecond = if self.one_of(b".").is_some() { self.fraction()? } else { 0 };
        let second = if second == 60 { 59 } else { second };
        Some((Time { hour, minute, second, nanosecond }, self.offset()?))
    }

    /// Reads 1 to 9 digits as nanoseconds.
    fn fraction(&mut self) -> Option<i32> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let missing = 9_u32.checked_sub(count.try_into().ok()?)?;
        if count == 0 {
            return None;
        }
        Some(self.number::<i32>(count)? * 10_i32.pow(missing))
    }

    /// Returns how far the time is ahead of UTC.
    fn offset(&mut self) -> Option<SignedDuration> {
        if self.is_at_end() || self.one_of(b"Zz").is_some() {
            return Some(SignedDuration::ZERO);
        }
        let sign = if self.one_of(b"+-")? == b'-' { -1 } else { 1 };
        let hours: i64 = self.number(2).filter(|hours| *hours < 24)?;
        self.one_of(b":")?;
        let minutes: i64 = self.number(2).filter(|minutes| *minutes < 60)?;
        Some(SignedDuration::from_mins(sign * (hours * 60 + minutes)))
    }

    /// Reads exactly `count` digits, at most nine.
    fn number<Number: TryFrom<i32>>(&mut self, count: usize) -> Option<Number> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let number = digits.iter().try_fold(0, |number: i32, byte| {
            let digit = byte.is_ascii_digit().then(|| i32::from(byte - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })?;
        self.0 = rest;
        Number::try_from(number).ok()
    }

    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        allowed.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }
}
