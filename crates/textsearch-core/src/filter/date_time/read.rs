//! Strict parsing: decides which texts of a record are dates.

use jiff::{SignedDuration, civil};

use super::DateTime;

const NOT_RFC_3339: &str = "expected RFC 3339, such as 2024-08-14T00:00:00Z, or a date alone";
const NO_SUCH_TIME: &str = "there is no such day or time of day";
pub(super) const OUT_OF_RANGE: &str = "in UTC it is not in the years 0 to 9999";

impl DateTime {
    /// [`parse`](Self::parse) without a copy of the text in the error, for use on each record.
    pub(in crate::filter) fn read(text: &str) -> Result<Self, &'static str> {
        let Parts { date: [year, month, day], time: [hour, minute, second], nanosecond, offset } =
            Parts::read(text.as_bytes()).ok_or(NOT_RFC_3339)?;
        let second = if second == 60 { 59 } else { second };
        civil::Date::new(year as i16, month as i8, day as i8)
            .and_then(|date| {
                let time = civil::Time::new(hour as i8, minute as i8, second as i8, nanosecond)?;
                Ok(date.to_datetime(time))
            })
            .map_err(|_| NO_SUCH_TIME)?
            .checked_sub(SignedDuration::from_mins(offset))
            .ok()
            .filter(|instant| *instant >= Self::MIN.0)
            .map(Self)
            .ok_or(OUT_OF_RANGE)
    }
}

#[derive(Default)]
struct Parts {
    date: [i32; 3],
    time: [i32; 3],
    nanosecond: i32,
    /// In minutes ahead of UTC.
    offset: i64,
}

impl Parts {
    fn read(text: &[u8]) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let date = numbers(date, b"0000-00-00")?;
        if rest.is_empty() {
            return Some(Self { date, ..Self::default() });
        }
        let (time, rest) = rest.split_at_checked(9)?;
        let time = numbers(time, b"T00:00:00")?;
        let (nanosecond, rest) = match rest.strip_prefix(b".") {
            Some(fraction) => {
                let count = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (digits, rest) = fraction.split_at(count);
                let [number] = numbers(digits, b"000000000".get(..count)?)?;
                (number * 10_i32.pow(9 - count as u32), rest)
            }
            None => (0, rest),
        };
        let offset = match rest {
            b"" | b"Z" | b"z" => 0,
            [sign @ (b'+' | b'-'), offset @ ..] => {
                let [hours, minutes] = numbers(offset, b"00:00")?;
                let minutes = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
                i64::from(if *sign == b'-' { -minutes } else { minutes })
            }
            _ => return None,
        };
        Some(Self { date, time, nanosecond, offset })
    }
}

/// Reads the numbers of a text of this shape, in which `0` is any digit and `T` any separator of date
/// and time.
fn numbers<const COUNT: usize>(text: &[u8], shape: &[u8]) -> Option<[i32; COUNT]> {
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        b'T' => b"Tt ".contains(byte),
        _ => byte == shape,
    };
    if text.len() != shape.len() || !text.iter().zip(shape).all(fits) {
        return None;
    }
    let mut groups = text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut numbers = [0; COUNT];
    for number in &mut numbers {
        let digits = groups.next()?.iter();
        *number = digits.fold(0, |number, digit| number * 10 + i32::from(digit - b'0'));
    }
    Some(numbers)
}
