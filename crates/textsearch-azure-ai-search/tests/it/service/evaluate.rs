//! Evaluation of filters, with the documented [meaning of
//! null](https://learn.microsoft.com/azure/search/search-query-odata-comparison-operators).

use std::cmp::Ordering;

use serde_json::{Map, Value};
use textsearch_core::filter::DateTime;

use super::odata::{Expression, Literal, Sign};

pub(crate) fn matches(expression: &Expression, document: &Map<String, Value>) -> bool {
    evaluate(expression, document, &Value::Null)
}

fn evaluate(expression: &Expression, document: &Map<String, Value>, element: &Value) -> bool {
    let value = |target: &Option<String>| match target {
        Some(name) => document.get(name).unwrap_or(&Value::Null),
        None => element,
    };
    let elements = |field: &String| match document.get(field) {
        Some(Value::Array(items)) => items.as_slice(),
        _ => &[],
    };
    let is = |condition: &Expression, element: &Value| evaluate(condition, document, element);
    match expression {
        Expression::And(parts) => parts.iter().all(|part| is(part, element)),
        Expression::Or(parts) => parts.iter().any(|part| is(part, element)),
        Expression::Not(inner) => !is(inner, element),
        Expression::Compare { target, sign, literal } => compare(value(target), *sign, literal),
        Expression::In { target, values } => {
            value(target).as_str().is_some_and(|text| values.iter().any(|value| value == text))
        }
        Expression::Any { field, condition: None } => !elements(field).is_empty(),
        Expression::Any { field, condition: Some(condition) } => {
            elements(field).iter().any(|element| is(condition, element))
        }
        Expression::All { field, condition } => {
            elements(field).iter().all(|element| is(condition, element))
        }
        Expression::Field(name) => document.get(name) == Some(&Value::Bool(true)),
        Expression::Constant(value) => *value,
    }
}

/// With null, only `eq` and `ne` can be true.
fn compare(stored: &Value, sign: Sign, literal: &Literal) -> bool {
    let order = order(stored, literal);
    match sign {
        Sign::Eq => order == Some(Ordering::Equal),
        Sign::Ne => order != Some(Ordering::Equal),
        Sign::Lt => order.is_some_and(Ordering::is_lt),
        Sign::Le => order.is_some_and(Ordering::is_le),
        Sign::Gt => order.is_some_and(Ordering::is_gt),
        Sign::Ge => order.is_some_and(Ordering::is_ge),
    }
}

fn order(stored: &Value, literal: &Literal) -> Option<Ordering> {
    match (stored, literal) {
        (Value::Null, Literal::Null) => Some(Ordering::Equal),
        (Value::String(stored), Literal::Text(text)) => Some(stored.as_str().cmp(text)),
        (Value::Number(stored), Literal::Integer(number)) => Some(stored.as_i64()?.cmp(number)),
        (Value::Number(stored), Literal::Float(number)) => Some(stored.as_f64()?.total_cmp(number)),
        (Value::Bool(stored), Literal::Boolean(value)) => Some(stored.cmp(value)),
        (Value::String(stored), Literal::Date(date)) => {
            Some(DateTime::parse(stored).ok()?.cmp(date))
        }
        _ => None,
    }
}
