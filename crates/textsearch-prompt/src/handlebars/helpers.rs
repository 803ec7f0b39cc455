//! Helpers that compute one value from their arguments.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::{
    decimal::Decimal,
    text::text,
    truth::{is_empty, is_true},
    value::Evaluated,
};

/// So that two numbers cannot exhaust the memory.
const MAX_RANGE: u64 = 100_000;

#[derive(Debug)]
pub(super) struct Helper {
    pub(super) name: &'static str,
    make: fn(&[Evaluated<'_>]) -> Result<Value, String>,
}

const HELPERS: &[Helper] = &[
    Helper { name: "json", make: json },
    Helper { name: "json_line", make: json_line },
    Helper { name: "concat", make: concat },
    Helper { name: "array", make: array },
    Helper { name: "range", make: range },
    Helper { name: "equals", make: equals },
    Helper { name: "eq", make: |values| binary(values, |unary, other| unary == other) },
    Helper { name: "ne", make: |values| binary(values, |unary, other| unary != other) },
    Helper { name: "gt", make: |values| ordered(values, Ordering::is_gt) },
    Helper { name: "gte", make: |values| ordered(values, Ordering::is_ge) },
    Helper { name: "lt", make: |values| ordered(values, Ordering::is_lt) },
    Helper { name: "lte", make: |values| ordered(values, Ordering::is_le) },
    Helper {
        name: "and",
        make: |values| Ok(values.iter().all(|unary| holds(unary.value())).into()),
    },
    Helper { name: "or", make: or },
    Helper { name: "not", make: |values| unary(values, |value| (!holds(value)).into()) },
    Helper { name: "len", make: |values| unary(values, |value| size(value).into()) },
    Helper { name: "add", make: add },
    Helper { name: "subtract", make: subtract },
];

pub(super) fn find(name: &str) -> Option<&'static Helper> {
    HELPERS.iter().find(|helper| helper.name == name)
}

impl Helper {
    pub(super) fn make(&self, values: &[Evaluated<'_>]) -> Result<Value, String> {
        (self.make)(values).map_err(|message| format!("`{}` {message}", self.name))
    }
}

fn json(values: &[Evaluated<'_>]) -> Result<Value, String> {
    match values {
        [value] => Ok(match value.get() {
            None => Value::Null,
            Some(Value::String(text)) => text.as_str().into(),
            Some(other) => other.to_string().into(),
        }),
        others => Err(not_unary(others)),
    }
}

fn json_line(values: &[Evaluated<'_>]) -> Result<Value, String> {
    unary(values, |value| textsearch_kernel::prompt::json_line(value).into())
}

fn concat(values: &[Evaluated<'_>]) -> Result<Value, String> {
    Ok(Value::String(values.iter().map(|value| text(value.value())).collect()))
}

fn array(values: &[Evaluated<'_>]) -> Result<Value, String> {
    Ok(Value::Array(values.iter().map(|value| value.value().clone()).collect()))
}

fn range(values: &[Evaluated<'_>]) -> Result<Value, String> {
    let [first, last] = values else {
        return Err("takes two arguments, the first and the last number".to_owned());
    };
    let first = whole(first.value())?;
    let last = whole(last.value())?;
    if last < first {
        return Ok(Value::Array(Vec::new()));
    }
    if first.abs_diff(last) >= MAX_RANGE {
        return Err(format!("makes lists of at most {MAX_RANGE} numbers"));
    }
    Ok((first..=last).map(Value::from).collect())
}

fn whole(value: &Value) -> Result<i64, String> {
    let number = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    number.ok_or_else(|| format!("takes whole numbers, and {value} is not one"))
}

fn equals(values: &[Evaluated<'_>]) -> Result<Value, String> {
    binary(values, |left, right| {
        // `1` and `1.0` are equal.
        left == right || left.is_number() && right.is_number() && left.as_f64() == right.as_f64()
    })
}

fn ordered(values: &[Evaluated<'_>], expected: fn(Ordering) -> bool) -> Result<Value, String> {
    binary(values, |left, right| order(left, right).is_some_and(expected))
}

/// Texts compare with texts, booleans with booleans, and numbers also with numeric texts.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => order_of_numbers(left, right),
        (Value::Number(left), Value::String(right)) => order_of_numbers(left, &right.parse().ok()?),
        (Value::String(left), Value::Number(right)) => order_of_numbers(&left.parse().ok()?, right),
        _ => None,
    }
}

fn order_of_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn or(values: &[Evaluated<'_>]) -> Result<Value, String> {
    let is_false = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
    Ok(Value::Bool(values.iter().any(|value| !is_false(value.value()))))
}

/// For `and` and `not`: an object without members is false.
fn holds(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        other => !is_empty(other) && is_true(other, false),
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        Value::String(text) => text.len(),
        _ => 0,
    }
}

fn add(values: &[Evaluated<'_>]) -> Result<Value, String> {
    let mut sum = Decimal::ZERO;
    for value in values {
        sum = sum.plus(decimal(value)?)?;
    }
    Ok(sum.to_value())
}

fn subtract(values: &[Evaluated<'_>]) -> Result<Value, String> {
    let Some((first, others)) = values.split_first() else {
        return Err("takes numbers, and none is given".to_owned());
    };
    let mut difference = decimal(first)?;
    for value in others {
        difference = difference.plus(decimal(value)?.negated())?;
    }
    Ok(difference.to_value())
}

fn decimal(value: &Evaluated<'_>) -> Result<Decimal, String> {
    let value = value.value();
    let number = match value {
        Value::Number(number) => Decimal::parse(&number.to_string()),
        Value::String(text) => Decimal::parse(text.trim()),
        _ => None,
    };
    number.ok_or_else(|| format!("takes decimal numbers, and {value} is not one"))
}

fn unary(values: &[Evaluated<'_>], make: impl Fn(&Value) -> Value) -> Result<Value, String> {
    match values {
        [value] => Ok(make(value.value())),
        others => Err(not_unary(others)),
    }
}

fn binary(
    values: &[Evaluated<'_>],
    holds: impl Fn(&Value, &Value) -> bool,
) -> Result<Value, String> {
    match values {
        [left, right] => Ok(holds(left.value(), right.value()).into()),
        others => Err(format!("takes two arguments, and {} are given", others.len())),
    }
}

fn not_unary(values: &[Evaluated<'_>]) -> String {
    format!("takes one argument, and {} are given", values.len())
}
