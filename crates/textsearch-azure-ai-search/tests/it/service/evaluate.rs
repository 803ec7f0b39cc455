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
    let is = |of: &Expression, element: &Value| evaluate(of, document, element);
    match expression {
        Expression::And(parts) => parts.iter().all(|part| is(part, element)),
        Expression::Or(parts) => parts.iter().any(|part| is(part, element)),
        Expression::Not(inner) => !is(inner, element),
        Expression::Compare { target, sign, literal } => compare(value(target), *sign, literal),
        Expression::In { target, values } => {
            value(target).as_str().is_some_and(|text| values.iter().any(|value| value == text))
        }
        Expression::Any { field, of: None } => !elements(field).is_empty(),
        Expression::Any { field, of: Some(of) } => {
            elements(field).iter().any(|element| is(of, element))
        }
        Expression::All { field, of } => elements(field).iter().all(|element| is(of, element)),
        Expression::Field(name) => document.get(name) == Some(&Value::Bool(true)),
        Expression::Constant(value) => *value,
    }
}

/// With null, only `eq` and `ne` can be true.
fn compare(found: &Value, sign: Sign, literal: &Literal) -> bool {
    let order = order(found, literal);
    match sign {
        Sign::Eq => order == Some(Ordering::Equal),
        Sign::Ne => order != Some(Ordering::Equal),
        Sign::Lt => order.is_some_and(Ordering::is_lt),
        Sign::Le => order.is_some_and(Ordering::is_le),
        Sign::Gt => order.is_some_and(Ordering::is_gt),
        Sign::Ge => order.is_some_and(Ordering::is_ge),
    }
}

fn order(found: &Value, literal: &Literal) -> Option<Ordering> {
    match (found, literal) {
        (Value::Null, Literal::Null) => Some(Ordering::Equal),
        (Value::String(found), Literal::Text(text)) => Some(found.as_str().cmp(text)),
        (Value::Number(found), Literal::Integer(number)) => Some(found.as_i64()?.cmp(number)),
        (Value::Number(found), Literal::Float(number)) => Some(found.as_f64()?.total_cmp(number)),
        (Value::Bool(found), Literal::Boolean(value)) => Some(found.cmp(value)),
        (Value::String(found), Literal::Date(date)) => Some(DateTime::parse(found).ok()?.cmp(date)),
        _ => None,
    }
}
