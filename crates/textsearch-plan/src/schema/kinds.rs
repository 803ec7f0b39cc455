//! Sets of JSON types.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

const NAMES: [(&str, u8, &str); 7] = [
    ("string", 1, "a text"),
    ("integer", 2, "an integer"),
    // Each integer is a number.
    ("number", 2 | 4, "a number"),
    ("boolean", 8, "true or false"),
    ("array", 16, "a list"),
    ("object", 32, "an object"),
    ("null", 64, "null"),
];

impl Kinds {
    pub(crate) const ALL: Self = Self(127);
    pub(crate) const LIST: Self = Self(16);
    pub(crate) const OBJECT: Self = Self(32);
    pub(crate) const NULL: Self = Self(64);
    pub(crate) const TEXT: Self = Self(1);
    pub(crate) const NUMBER: Self = Self(2 | 4);
    pub(crate) const NONE: Self = Self(0);

    /// Reads the keyword `type`. An unknown name allows everything, and so do more names than there
    /// are, which need no reading.
    pub(crate) fn named(names: &Value) -> Self {
        let names = match names {
            Value::Array(names) if names.len() > NAMES.len() => return Self::ALL,
            Value::Array(names) => names,
            name => std::slice::from_ref(name),
        };
        let kind = |name: &Value| {
            let known = NAMES.iter().find(|(known, ..)| name.as_str() == Some(known));
            known.map_or(Self::ALL.0, |(_, bits, _)| *bits)
        };
        Self(names.iter().map(kind).fold(0, |all, kind| all | kind))
    }

    pub(crate) fn from_value(value: &Value) -> Self {
        Self(match value {
            Value::String(_) => 1,
            // JSON Schema: 1.0 is an integer.
            Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) => 2,
            Value::Number(_) => 4,
            Value::Bool(_) => 8,
            Value::Array(_) => 16,
            Value::Object(_) => 32,
            Value::Null => 64,
        })
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn describe(self) -> String {
        if self == Self::ALL {
            return "any value".to_owned();
        }
        let is_in = |bits: u8| self.0 & bits == bits && !(bits == 2 && self.0 & 4 != 0);
        let names: Vec<&str> =
            NAMES.iter().filter(|(_, bits, _)| is_in(*bits)).map(|(_, _, name)| *name).collect();
        if names.is_empty() { "no value".to_owned() } else { names.join(" or ") }
    }
}
