//! Reads JSON strictly: wrong types, missing and unknown properties are faults.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

pub(crate) type Checked<T> = Result<T, String>;

/// An object whose properties must all be read.
pub(crate) struct Object<'a> {
    place: &'a str,
    properties: &'a Map<String, Value>,
    read: BTreeSet<&'a str>,
}

impl<'a> Object<'a> {
    pub(crate) fn new(place: &'a str, value: &'a Value) -> Checked<Self> {
        let properties =
            value.as_object().ok_or_else(|| format!("{place} is no object: {value}"))?;
        Ok(Self { place, properties, read: BTreeSet::new() })
    }

    pub(crate) fn optional(&mut self, name: &'static str) -> Option<&'a Value> {
        self.read.insert(name);
        self.properties.get(name)
    }

    pub(crate) fn required(&mut self, name: &'static str) -> Checked<&'a Value> {
        let place = self.place;
        self.optional(name).ok_or_else(|| format!("{place} lacks `{name}`"))
    }

    pub(crate) fn finish(self) -> Checked<()> {
        match self.properties.keys().find(|name| !self.read.contains(name.as_str())) {
            Some(name) => Err(format!("{} has an unknown property `{name}`", self.place)),
            None => Ok(()),
        }
    }
}

pub(crate) fn text(value: &Value) -> Checked<&str> {
    value.as_str().ok_or_else(|| format!("{value} is no string"))
}

pub(crate) fn boolean(value: &Value) -> Checked<bool> {
    value.as_bool().ok_or_else(|| format!("{value} is no boolean"))
}

pub(crate) fn integer(value: &Value, min: u64, max: u64) -> Checked<usize> {
    let number = value.as_u64().filter(|number| (min..=max).contains(number));
    number.map(|number| number as usize).ok_or_else(|| format!("{value} is not {min} to {max}"))
}

pub(crate) fn number(value: &Value) -> Checked<f64> {
    value.as_f64().ok_or_else(|| format!("{value} is no number"))
}

pub(crate) fn array(value: &Value, min: usize, max: usize) -> Checked<&[Value]> {
    let items = value.as_array().ok_or_else(|| format!("{value} is no array"))?;
    if (min..=max).contains(&items.len()) {
        return Ok(items);
    }
    Err(format!("an array has {} items, and not {min} to {max}", items.len()))
}

/// `^[\x01-\x7F]+$`, of 1 to 512 characters.
pub(crate) fn ascii(text: &str) -> Checked<String> {
    let is_ascii = text.bytes().all(|byte| (1..=0x7f).contains(&byte));
    if is_ascii && (1..=512).contains(&text.len()) {
        return Ok(text.to_owned());
    }
    Err(format!("{text:?} is not 1 to 512 ASCII characters"))
}

pub(crate) fn identifiers(value: &Value) -> Checked<Vec<String>> {
    array(value, 1, 1_000)?.iter().map(|id| ascii(text(id)?)).collect()
}
