//! [Metadata filters](https://docs.pinecone.io/guides/search/filter-by-metadata), read strictly.

use serde_json::{Map, Value};

use super::check::{Checked, boolean, number};

pub(crate) enum Filter {
    All(Vec<Self>),
    Any(Vec<Self>),
    Field(String, Vec<Test>),
}

pub(crate) enum Test {
    Equal(Value),
    Unequal(Value),
    Range(&'static str, f64),
    In(Vec<Value>),
    NotIn(Vec<Value>),
    Exists(bool),
}

impl Filter {
    /// Reads a filter that is not empty.
    pub(crate) fn read(value: &Value) -> Checked<Self> {
        let filter = value.as_object().ok_or_else(|| format!("a filter is no object: {value}"))?;
        let parts: Vec<Self> = filter.iter().map(Self::part).collect::<Checked<_>>()?;
        if parts.is_empty() { Err("a filter is empty".to_owned()) } else { Ok(Self::All(parts)) }
    }

    fn part((name, value): (&String, &Value)) -> Checked<Self> {
        if !name.starts_with('$') {
            return Ok(Self::Field(name.clone(), tests(name, value)?));
        }
        let parts = value.as_array().filter(|parts| !parts.is_empty());
        let parts = parts.ok_or_else(|| format!("{name} takes a list of filters: {value}"))?;
        let parts = parts.iter().map(Self::read).collect::<Checked<_>>()?;
        match name.as_str() {
            "$and" => Ok(Self::All(parts)),
            "$or" => Ok(Self::Any(parts)),
            _ => Err(format!("{name} is no operator of filters")),
        }
    }

    /// `unequal_if_missing`: Pinecone changed in 2024 whether `$ne` and `$nin` match a record
    /// without the field.
    pub(crate) fn matches(&self, metadata: &Map<String, Value>, unequal_if_missing: bool) -> bool {
        let matches = |part: &Self| part.matches(metadata, unequal_if_missing);
        match self {
            Self::All(parts) => parts.iter().all(matches),
            Self::Any(parts) => parts.iter().any(matches),
            Self::Field(name, tests) => {
                let stored = metadata.get(name);
                tests.iter().all(|test| test.holds(stored, unequal_if_missing))
            }
        }
    }
}

fn tests(field: &str, value: &Value) -> Checked<Vec<Test>> {
    let Some(operators) = value.as_object() else {
        return Ok(vec![Test::Equal(scalar(field, value)?)]);
    };
    if operators.is_empty() {
        return Err(format!("the condition of `{field}` is empty"));
    }
    operators.iter().map(|(operator, value)| test(field, operator, value)).collect()
}

fn test(field: &str, operator: &str, value: &Value) -> Checked<Test> {
    Ok(match operator {
        "$eq" => Test::Equal(scalar(field, value)?),
        "$ne" => Test::Unequal(scalar(field, value)?),
        "$gt" => Test::Range("$gt", number(value)?),
        "$gte" => Test::Range("$gte", number(value)?),
        "$lt" => Test::Range("$lt", number(value)?),
        "$lte" => Test::Range("$lte", number(value)?),
        "$in" => Test::In(scalars(field, value)?),
        "$nin" => Test::NotIn(scalars(field, value)?),
        "$exists" => Test::Exists(boolean(value)?),
        _ => return Err(format!("{operator} is no operator of the field `{field}`")),
    })
}

fn scalar(field: &str, value: &Value) -> Checked<Value> {
    let is_scalar = value.is_string() || value.is_number() || value.is_boolean();
    let fault = || format!("`{field}` is compared with {value}, which is no scalar");
    is_scalar.then(|| value.clone()).ok_or_else(fault)
}

/// Texts and numbers.
fn scalars(field: &str, value: &Value) -> Checked<Vec<Value>> {
    let values = value.as_array().filter(|values| {
        !values.is_empty() && values.iter().all(|value| value.is_string() || value.is_number())
    });
    values.cloned().ok_or_else(|| format!("`{field}` is not compared with a list: {value}"))
}

impl Test {
    fn holds(&self, stored: Option<&Value>, unequal_if_missing: bool) -> bool {
        let Some(stored) = stored else {
            return match self {
                Self::Exists(expected) => !expected,
                Self::Unequal(_) | Self::NotIn(_) => unequal_if_missing,
                _ => false,
            };
        };
        match self {
            Self::Equal(value) => has(stored, value),
            Self::Unequal(value) => !has(stored, value),
            Self::In(values) => values.iter().any(|value| has(stored, value)),
            Self::NotIn(values) => !values.iter().any(|value| has(stored, value)),
            Self::Exists(expected) => *expected,
            Self::Range(operator, bound) => stored.as_f64().is_some_and(|stored| match *operator {
                "$gt" => stored > *bound,
                "$gte" => stored >= *bound,
                "$lt" => stored < *bound,
                _ => stored <= *bound,
            }),
        }
    }
}

/// A list has each of its items. Numbers are floats.
fn has(stored: &Value, value: &Value) -> bool {
    match (stored, value) {
        (Value::Array(items), value) => items.contains(value),
        (Value::Number(stored), Value::Number(value)) => stored.as_f64() == value.as_f64(),
        (stored, value) => stored == value,
    }
}
