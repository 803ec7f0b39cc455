//! Comparisons of numbers, exact whatever the types of column and value.

use textsearch_core::filter::{Comparison, FilterValue, FloatBound, IntegerBound, Pushed};

use super::condition::{SqlCondition, SqlValue};

/// Compares a column of 64-bit integers.
pub(super) fn compare_integers(
    sql: &str,
    operator: Comparison,
    value: &FilterValue,
) -> Pushed<SqlCondition> {
    let (sign, number) = match IntegerBound::new(operator, value) {
        IntegerBound::Never => return Pushed::Never,
        IntegerBound::Any => return Pushed::Exact(SqlCondition::is_set(sql)),
        IntegerBound::Equal(number) => ("=", number),
        IntegerBound::AtMost(number) => ("<=", number),
        IntegerBound::AtLeast(number) => (">=", number),
    };
    Pushed::Exact(compared(sql, sign, SqlValue::Integer(number)))
}

/// Compares a column of 64-bit floats, which may have rounded large integers.
pub(super) fn compare_floats(
    sql: &str,
    operator: Comparison,
    value: &FilterValue,
) -> Pushed<SqlCondition> {
    let Some(bound) = FloatBound::new(operator, value) else { return Pushed::Never };
    let Some(sign) = sign(bound.operator) else { return Pushed::Never };
    bound.pushed(compared(sql, sign, SqlValue::Number(bound.value)))
}

fn compared(sql: &str, sign: &str, value: SqlValue) -> SqlCondition {
    SqlCondition::new(format!("{sql} {sign} "), value, "")
}

/// Returns the sign of a comparison by order, or of equality.
pub(super) fn sign(operator: Comparison) -> Option<&'static str> {
    match operator {
        Comparison::Eq => Some("="),
        Comparison::Lt => Some("<"),
        Comparison::Le => Some("<="),
        Comparison::Gt => Some(">"),
        Comparison::Ge => Some(">="),
        _ => None,
    }
}
