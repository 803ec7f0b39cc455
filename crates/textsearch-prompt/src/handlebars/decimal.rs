//! Exact sums of decimal numbers: `0.1` plus `0.2` is `0.3`.

use serde_json::Value;

/// Fraction digits: no prompt needs more.
const MAX_SCALE: u32 = 18;

/// `digits` divided by 10 to the power of `scale`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    pub(super) const ZERO: Self = Self { digits: 0, scale: 0 };

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_number = whole.chars().any(|digit| digit.is_ascii_digit())
            && fraction.chars().all(|digit| digit.is_ascii_digit());
        let scale = u32::try_from(fraction.len()).ok().filter(|scale| *scale <= MAX_SCALE)?;
        if !is_number {
            return None;
        }
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { digits, scale })
    }

    pub(super) fn plus(self, other: Self) -> Result<Self, String> {
        let scale = self.scale.max(other.scale);
        let sum = self.digits_at(scale).zip(other.digits_at(scale));
        let sum = sum.and_then(|(left, right)| left.checked_add(right));
        sum.map(|digits| Self { digits, scale })
            .ok_or_else(|| "makes a number that is too large".to_owned())
    }

    pub(super) fn negated(self) -> Self {
        Self { digits: self.digits.saturating_neg(), ..self }
    }

    pub(super) fn to_value(self) -> Value {
        let mut number = self;
        while number.scale > 0 && number.digits % 10 == 0 {
            number = Self { digits: number.digits / 10, scale: number.scale - 1 };
        }
        match i64::try_from(number.digits) {
            Ok(whole) if number.scale == 0 => Value::from(whole),
            _ => number.as_text().parse::<f64>().map_or(Value::Null, Value::from),
        }
    }

    fn digits_at(self, scale: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(scale - self.scale)?)
    }

    fn as_text(self) -> String {
        format!("{}e-{}", self.digits, self.scale)
    }
}
