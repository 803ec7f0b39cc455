//! Comparisons with a number, for a column of one type of number.

use super::{Comparison, FilterValue, Pushed};

/// 2^53: from here on, neighbouring integers round to the same float.
const EXACT_FLOATS: f64 = 9_007_199_254_740_992.0;

/// The 64-bit integers that match a comparison.
///
/// ```
/// use textsearch_core::filter::{Comparison, IntegerBound};
///
/// let below = |value: f64| IntegerBound::new(Comparison::Lt, &value.into());
/// assert_eq!(below(2.5), IntegerBound::AtMost(2));
/// assert_eq!(below(1e30), IntegerBound::Any);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a store that overlooks a case loses or adds records")]
pub enum IntegerBound {
    /// No integer.
    Never,
    /// Each integer: the field only has to be set.
    Any,
    /// This one.
    Equal(i64),
    /// This one and smaller ones.
    AtMost(i64),
    /// This one and larger ones.
    AtLeast(i64),
}

impl IntegerBound {
    /// Returns the integers that match the comparison with `value`; none if the value isn't a number. As in [`PushDown::compare`](super::PushDown::compare), `operator` is never
    /// [`Ne`](Comparison::Ne).
    pub fn new(operator: Comparison, value: &FilterValue) -> Self {
        let (floor, is_whole) = match value {
            FilterValue::Integer(value) => (i128::from(*value), true),
            // Far beyond 64 bits the cast saturates.
            FilterValue::Float(value) if value.is_finite() => {
                (value.floor() as i128, value.fract() == 0.0)
            }
            _ => return Self::Never,
        };
        match operator {
            Comparison::Eq if is_whole => i64::try_from(floor).map_or(Self::Never, Self::Equal),
            Comparison::Lt if is_whole => Self::at_most(floor.saturating_sub(1)),
            Comparison::Lt | Comparison::Le => Self::at_most(floor),
            Comparison::Ge if is_whole => Self::at_least(floor),
            Comparison::Gt | Comparison::Ge => Self::at_least(floor.saturating_add(1)),
            _ => Self::Never,
        }
    }

    fn at_most(bound: i128) -> Self {
        let beyond = if bound > 0 { Self::Any } else { Self::Never };
        i64::try_from(bound).map_or(beyond, Self::AtMost)
    }

    fn at_least(bound: i128) -> Self {
        let beyond = if bound < 0 { Self::Any } else { Self::Never };
        i64::try_from(bound).map_or(beyond, Self::AtLeast)
    }
}

/// A comparison with a column of 64-bit floats, which may have rounded large integers.
///
/// ```
/// use textsearch_core::filter::{Comparison, FloatBound, Pushed};
///
/// let bound = FloatBound::new(Comparison::Lt, &9_007_199_254_740_993_i64.into()).unwrap();
/// assert_eq!((bound.operator, bound.value), (Comparison::Le, 9_007_199_254_740_992.0));
/// assert_eq!(bound.pushed("size <= 9007199254740992"), Pushed::Superset("size <= 9007199254740992"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FloatBound {
    /// Equality or an order.
    pub operator: Comparison,
    /// The other side of the comparison.
    pub value: f64,
    /// Whether the column's floats tell all matches from the others.
    pub is_exact: bool,
}

impl FloatBound {
    /// Returns the comparison, or `None` if no number matches.
    pub fn new(operator: Comparison, value: &FilterValue) -> Option<Self> {
        let value = match value {
            FilterValue::Integer(value) => *value as f64,
            FilterValue::Float(value) if value.is_finite() => *value,
            _ => return None,
        };
        let is_exact = value.abs() < EXACT_FLOATS;
        let operator = match operator {
            // Both sides may be rounded to the same float.
            Comparison::Lt if !is_exact => Comparison::Le,
            Comparison::Gt if !is_exact => Comparison::Ge,
            Comparison::Eq | Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge => {
                operator
            }
            _ => return None,
        };
        Some(Self { operator, value, is_exact })
    }

    /// Wraps the `condition` that a backend writes for this comparison.
    pub fn pushed<C>(self, condition: C) -> Pushed<C> {
        if self.is_exact { Pushed::Exact(condition) } else { Pushed::Superset(condition) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(operator: Comparison, value: impl Into<FilterValue>) -> IntegerBound {
        IntegerBound::new(operator, &value.into())
    }

    #[test]
    fn integers_compare_exactly_with_fractions() {
        assert_eq!(bound(Comparison::Lt, 2.5), IntegerBound::AtMost(2));
        assert_eq!(bound(Comparison::Le, -2.5), IntegerBound::AtMost(-3));
        assert_eq!(bound(Comparison::Gt, 2.0), IntegerBound::AtLeast(3));
        assert_eq!(bound(Comparison::Ge, 2.5), IntegerBound::AtLeast(3));
        assert_eq!(bound(Comparison::Eq, 2.0), IntegerBound::Equal(2));
        assert_eq!(bound(Comparison::Eq, 2.5), IntegerBound::Never);
    }

    #[test]
    fn bounds_beyond_64_bits_compare_with_all_or_none() {
        assert_eq!(bound(Comparison::Lt, 1e30), IntegerBound::Any);
        assert_eq!(bound(Comparison::Gt, 1e30), IntegerBound::Never);
        assert_eq!(bound(Comparison::Ge, -1e30), IntegerBound::Any);
        assert_eq!(bound(Comparison::Gt, i64::MAX), IntegerBound::Never);
        assert_eq!(bound(Comparison::Lt, i64::MIN), IntegerBound::Never);
    }

    #[test]
    fn values_of_another_type_match_no_number() {
        assert_eq!(bound(Comparison::Eq, "1"), IntegerBound::Never);
        assert_eq!(bound(Comparison::Contains, 1), IntegerBound::Never);
        assert_eq!(FloatBound::new(Comparison::Eq, &f64::NAN.into()), None);
        assert_eq!(FloatBound::new(Comparison::Contains, &1.into()), None);
    }
}
