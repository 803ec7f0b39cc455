//! Helpers that compute one value from their arguments.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::{
    decimal::Decimal,
    text::text,
    truth::{is_empty, is_true},
    value::Found,
};

/// So that two numbers cannot exhaust the memory.
const MAX_RANGE: u64 = 100_000;

#[derive(Debug)]
pub(super) struct Helper {
    pub(super) name: &'static str,
    make: fn(&[Found<'_>]) -> Result<Value, String>,
}

const HELPERS: &[Helper] = &[
    Helper { name: "json", make: json },
    Helper { name: "json_line", make: json_line },
    Helper { name: "concat", make: concat },
    Helper { name: "array", make: array },
    Helper { name: "range", make: range },
    Helper { name: "equals", make: equals },
    Helper { name: "eq", make: |values| two(values, |one, other| one == other) },
    Helper { name: "ne", make: |values| two(values, |one, other| one != other) },
    Helper { name: "gt", make: |values| ordered(values, Ordering::is_gt) },
    Helper { name: "gte", make: |values| ordered(values, Ordering::is_ge) },
    Helper { name: "lt", make: |values| ordered(values, Ordering::is_lt) },
    Helper { name: "lte", make: |values| ordered(values, Ordering::is_le) },
    Helper { name: "and", make: |values| Ok(values.iter().all(|one| holds(one.value())).into()) },
    Helper { name: "or", make: or },
    Helper { name: "not", make: |values| one(values, |value| (!holds(value)).into()) },
    Helper { name: "len", make: |values| one(values, |value| size(value).into()) },
    Helper { name: "add", make: add },
    Helper { name: "subtract", make: subtract },
];

pub(super) fn find(name: &str) -> Option<&'static Helper> {
    HELPERS.iter().find(|helper| helper.name == name)
}

impl Helper {
    pub(super) fn make(&self, values: &[Found<'_>]) -> Result<Value, String> {
        (self.make)(values).map_err(|message| format!("`{}` {message}", self.name))
    }
}

fn json(values: &[Found<'_>]) -> Result<Value, String> {
    match values {
        [value] => Ok(match value.get() {
            None => Value::Null,
            Some(Value::String(text)) => text.as_str().into(),
            Some(other) => other.to_string().into(),
        }),
        others => Err(not_one(others)),
    }
}

fn json_line(values: &[Found<'_>]) -> Result<Value, String> {
    one(values, |value| textsearch_kernel::prompt::json_line(value).into())
}

fn concat(values: &[Found<'_>]) -> Result<Value, String> {
    Ok(Value::String(values.iter().map(|value| text(value.value())).collect()))
}

fn array(values: &[Found<'_>]) -> Result<Value, String> {
    Ok(Value::Array(values.iter().map(|value| value.value().clone()).collect()))
}

fn range(values: &[Found<'_>]) -> Result<Value, String> {
    let [first, last] = values else {
        return Err("takes two arguments, the first and the last number".to_owned());
    };
    let (first, last) = (whole(first.value())?, whole(last.value())?);
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

fn equals(values: &[Found<'_>]) -> Result<Value, String> {
    two(values, |one, other| {
        // `1` and `1.0` are equal.
        one == other || one.is_number() && other.is_number() && one.as_f64() == other.as_f64()
    })
}

fn ordered(values: &[Found<'_>], expected: fn(Ordering) -> bool) -> Result<Value, String> {
    two(values, |one, other| order(one, other).is_some_and(expected))
}

/// Texts compare with texts, booleans with booleans, and numbers also with numeric texts.
fn order(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        (Value::Number(one), Value::Number(other)) => order_of_numbers(one, other),
        (Value::Number(one), Value::String(other)) => order_of_numbers(one, &other.parse().ok()?),
        (Value::String(one), Value::Number(other)) => order_of_numbers(&one.parse().ok()?, other),
        _ => None,
    }
}

fn order_of_numbers(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

fn or(values: &[Found<'_>]) -> Result<Value, String> {
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

fn add(values: &[Found<'_>]) -> Result<Value, String> {
    let mut sum = Decimal::ZERO;
    for value in values {
        sum = sum.plus(decimal(value)?)?;
    }
    Ok(sum.to_value())
}

fn subtract(values: &[Found<'_>]) -> Result<Value, String> {
    let Some((first, others)) = values.split_first() else {
        return Err("takes numbers, and none is given".to_owned());
    };
    let mut difference = decimal(first)?;
    for value in others {
        difference = difference.plus(decimal(value)?.negated())?;
    }
    Ok(difference.to_value())
}

fn decimal(value: &Found<'_>) -> Result<Decimal, String> {
    let value = value.value();
    let number = match value {
        Value::Number(number) => Decimal::parse(&number.to_string()),
        Value::String(text) => Decimal::parse(text.trim()),
        _ => None,
    };
    number.ok_or_else(|| format!("takes decimal numbers, and {value} is not one"))
}

fn one(values: &[Found<'_>], make: impl Fn(&Value) -> Value) -> Result<Value, String> {
    match values {
        [value] => Ok(make(value.value())),
        others => Err(not_one(others)),
    }
}

fn two(values: &[Found<'_>], holds: impl Fn(&Value, &Value) -> bool) -> Result<Value, String> {
    match values {
        [one, other] => Ok(holds(one.value(), other.value()).into()),
        others => Err(format!("takes two arguments, and {} are given", others.len())),
    }
}

fn not_one(values: &[Found<'_>]) -> String {
    format!("takes one argument, and {} are given", values.len())
}
