//! Helpers that make one value of their arguments.

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, PathAndJson, RenderContext, RenderError, ScopedJson,
};
use serde_json::Value;

use super::decimal::Decimal;
use crate::handlebars::{error::Failure, text::text};

/// The longest list that `range` makes: a template must not use up the memory with two numbers.
const MAX_RANGE: u64 = 100_000;

/// A helper that knows nothing but its arguments.
#[derive(Clone, Copy)]
pub(in crate::handlebars) struct ValueHelper {
    name: &'static str,
    make: fn(&[PathAndJson<'_>]) -> Result<Value, String>,
}

/// All of them.
pub(in crate::handlebars) const VALUE_HELPERS: &[ValueHelper] = &[
    ValueHelper { name: "json", make: json },
    ValueHelper { name: "json_line", make: json_line },
    ValueHelper { name: "concat", make: concat },
    ValueHelper { name: "array", make: array },
    ValueHelper { name: "range", make: range },
    ValueHelper { name: "equals", make: equals },
    ValueHelper { name: "or", make: or },
    ValueHelper { name: "add", make: add },
    ValueHelper { name: "subtract", make: subtract },
];

impl ValueHelper {
    pub(in crate::handlebars) fn name(&self) -> &'static str {
        self.name
    }
}

impl HelperDef for ValueHelper {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        match (self.make)(helper.params()) {
            Ok(value) => Ok(ScopedJson::Derived(value)),
            Err(message) => Err(Failure::message(format!("`{}` {message}", self.name))),
        }
    }
}

fn json(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    match arguments {
        [value] if value.is_value_missing() => Ok(Value::Null),
        [value] => Ok(Value::String(match value.value() {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })),
        others => Err(format!("takes one argument, and {} are given", others.len())),
    }
}

/// The value as JSON without a line break of any kind, so that no text can pass for a line of the template.
fn json_line(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    let [argument] = arguments else {
        return Err(format!("takes one argument, and {} are given", arguments.len()));
    };
    let json = argument.value().to_string();
    let mut line = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            // JSON itself escapes the other control characters.
            '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' => {
                line.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => line.push(other),
        }
    }
    Ok(Value::String(line))
}

fn concat(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    Ok(Value::String(arguments.iter().map(|argument| text(argument.value())).collect()))
}

fn array(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    Ok(Value::Array(arguments.iter().map(|argument| argument.value().clone()).collect()))
}

fn range(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    let [first, last] = arguments else {
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

fn equals(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    let [one, other] = arguments else {
        return Err(format!("takes two arguments, and {} are given", arguments.len()));
    };
    let (one, other) = (one.value(), other.value());
    // `1` and `1.0` are one number, however they are written.
    let is_same_number = one.is_number() && other.is_number() && one.as_f64() == other.as_f64();
    Ok(Value::Bool(one == other || is_same_number))
}

fn or(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    let is_false = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
    Ok(Value::Bool(arguments.iter().any(|argument| !is_false(argument.value()))))
}

fn add(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    let mut sum = Decimal::ZERO;
    for argument in arguments {
        sum = sum.plus(decimal(argument)?)?;
    }
    Ok(sum.to_value())
}

fn subtract(arguments: &[PathAndJson<'_>]) -> Result<Value, String> {
    let Some((first, others)) = arguments.split_first() else {
        return Err("takes numbers, and none is given".to_owned());
    };
    let mut difference = decimal(first)?;
    for argument in others {
        difference = difference.plus(decimal(argument)?.negated())?;
    }
    Ok(difference.to_value())
}

fn decimal(argument: &PathAndJson<'_>) -> Result<Decimal, String> {
    let value = argument.value();
    let number = match value {
        Value::Number(number) => Decimal::parse(&number.to_string()),
        Value::String(text) => Decimal::parse(text.trim()),
        _ => None,
    };
    number.ok_or_else(|| format!("takes decimal numbers, and {value} is not one"))
}
