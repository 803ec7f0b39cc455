//! Checks of JSON against the published schema: types, required and unknown properties.

use serde_json::{Map, Value};

/// A fault of a request, which the service answers with 400.
pub(crate) type Checked<T> = Result<T, String>;

/// An object at a place of a request.
pub(crate) struct Object<'a> {
    pub(crate) place: String,
    fields: &'a Map<String, Value>,
}

impl<'a> Object<'a> {
    /// Refuses properties that the schema doesn't have.
    pub(crate) fn new(value: &'a Value, place: &str, known: &[&str]) -> Checked<Self> {
        let fields = value.as_object().ok_or_else(|| format!("{place}: not an object"))?;
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(format!("{place}: The property '{name}' does not exist")),
            None => Ok(Self { place: place.to_owned(), fields }),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    pub(crate) fn text(&self, name: &str) -> Checked<&'a str> {
        self.opt_text(name)?.ok_or_else(|| self.missing(name))
    }

    pub(crate) fn opt_text(&self, name: &str) -> Checked<Option<&'a str>> {
        self.read(name, "a string", Value::as_str)
    }

    pub(crate) fn flag(&self, name: &str) -> Checked<Option<bool>> {
        self.read(name, "a boolean", Value::as_bool)
    }

    pub(crate) fn integer(&self, name: &str) -> Checked<Option<i64>> {
        self.read(name, "an integer", Value::as_i64)
    }

    pub(crate) fn number(&self, name: &str) -> Checked<Option<f64>> {
        self.read(name, "a number", Value::as_f64)
    }

    pub(crate) fn list(&self, name: &str) -> Checked<&'a [Value]> {
        let list = self.read(name, "an array", Value::as_array)?;
        Ok(list.map(Vec::as_slice).unwrap_or_default())
    }

    pub(crate) fn value(&self, name: &str) -> Checked<&'a Value> {
        self.fields.get(name).ok_or_else(|| self.missing(name))
    }

    pub(crate) fn within(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Checked<Option<i64>> {
        match self.integer(name)? {
            Some(number) if !range.contains(&number) => {
                Err(format!("{}.{name}: {number} is not within {range:?}", self.place))
            }
            value => Ok(value),
        }
    }

    pub(crate) fn one_of(&self, name: &str, allowed: &[&str]) -> Checked<Option<&'a str>> {
        match self.opt_text(name)? {
            Some(text) if !allowed.contains(&text) => {
                Err(format!("{}.{name}: '{text}' is none of {allowed:?}", self.place))
            }
            value => Ok(value),
        }
    }

    fn read<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Checked<Option<T>> {
        let Some(value) = self.fields.get(name) else { return Ok(None) };
        let parsed = read(value);
        parsed.map(Some).ok_or_else(|| format!("{}.{name}: not {expected}", self.place))
    }

    fn missing(&self, name: &str) -> String {
        format!("{}: the required property '{name}' is missing", self.place)
    }
}
