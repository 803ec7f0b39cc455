//! Comparisons of numbers, exact whatever the types of column and value.

use textsearch_core::filter::{Comparison, FilterValue, Pushed};

use super::condition::{SqlCondition, SqlValue};

/// 2^53: from here on, neighbouring integers round to the same float.
const EXACT_FLOATS: f64 = 9_007_199_254_740_992.0;

/// Compares a column of 64-bit integers.
pub(super) fn compare_integers(
    sql: &str,
    operator: Comparison,
    value: &FilterValue,
) -> Pushed<SqlCondition> {
    let (floor, is_whole) = match value {
        FilterValue::Integer(value) => (i128::from(*value), true),
        // Far beyond 64 bits the cast saturates.
        FilterValue::Float(value) if value.is_finite() => {
            (value.floor() as i128, value.fract() == 0.0)
        }
        _ => return Pushed::Never,
    };
    let next = floor.saturating_add(1);
    match operator {
        Comparison::Eq if is_whole => match i64::try_from(floor) {
            Ok(value) => Pushed::Exact(compared(sql, "=", SqlValue::Integer(value))),
            Err(_) => Pushed::Never,
        },
        Comparison::Lt if is_whole => at_most(sql, floor.saturating_sub(1)),
        Comparison::Lt | Comparison::Le => at_most(sql, floor),
        Comparison::Ge if is_whole => at_least(sql, floor),
        Comparison::Gt | Comparison::Ge => at_least(sql, next),
        _ => Pushed::Never,
    }
}

fn at_most(sql: &str, bound: i128) -> Pushed<SqlCondition> {
    match i64::try_from(bound) {
        Ok(bound) => Pushed::Exact(compared(sql, "<=", SqlValue::Integer(bound))),
        Err(_) if bound > 0 => Pushed::Exact(SqlCondition::is_set(sql)),
        Err(_) => Pushed::Never,
    }
}

fn at_least(sql: &str, bound: i128) -> Pushed<SqlCondition> {
    match i64::try_from(bound) {
        Ok(bound) => Pushed::Exact(compared(sql, ">=", SqlValue::Integer(bound))),
        Err(_) if bound < 0 => Pushed::Exact(SqlCondition::is_set(sql)),
        Err(_) => Pushed::Never,
    }
}

/// Compares a column of 64-bit floats, which may have rounded large integers.
pub(super) fn compare_floats(
    sql: &str,
    operator: Comparison,
    value: &FilterValue,
) -> Pushed<SqlCondition> {
    let value = match value {
        FilterValue::Integer(value) => *value as f64,
        FilterValue::Float(value) if value.is_finite() => *value,
        _ => return Pushed::Never,
    };
    let Some(sign) = sign(operator) else { return Pushed::Never };
    if value.abs() < EXACT_FLOATS {
        return Pushed::Exact(compared(sql, sign, SqlValue::Number(value)));
    }
    // Both sides may be rounded to the same float.
    let sign = match sign {
        "<" => "<=",
        ">" => ">=",
        other => other,
    };
    Pushed::Superset(compared(sql, sign, SqlValue::Number(value)))
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
