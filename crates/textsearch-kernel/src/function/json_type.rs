//! JSON types, and conversion of texts to them.

use serde_json::{Number, Value};

use crate::text::shorten_to;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonType {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// Each type, its name in schemas and in words, in the order of descriptions.
const TYPES: [(JsonType, &str, &str); 7] = [
    (JsonType::String, "string", "a string"),
    (JsonType::Integer, "integer", "an integer"),
    (JsonType::Number, "number", "a number"),
    (JsonType::Boolean, "boolean", "true or false"),
    (JsonType::Array, "array", "a list"),
    (JsonType::Object, "object", "an object"),
    (JsonType::Null, "null", "null"),
];

/// The empty set, for a schema without `type`, accepts every type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Types(u8);

impl JsonType {
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

impl Types {
    pub(super) fn named(names: &Value) -> Self {
        let names = match names {
            Value::Array(names) => names,
            name => std::slice::from_ref(name),
        };
        let types = TYPES.iter().filter(|(_, name, _)| names.iter().any(|known| known == name));
        Self(types.fold(0, |types, (kind, ..)| types | kind.bit()))
    }

    pub(super) const fn contains(self, kind: JsonType) -> bool {
        self.0 & kind.bit() != 0
    }

    pub(super) fn accept(self, value: &Value) -> bool {
        let kind = JsonType::from_value(value);
        let is_whole = kind == JsonType::Integer && self.contains(JsonType::Number);
        self.0 == 0 || self.contains(kind) || is_whole
    }

    pub(super) fn describe(self) -> Option<String> {
        let types = TYPES.iter().filter(|(kind, ..)| self.contains(*kind));
        let names: Vec<&str> = types.map(|(.., words)| *words).collect();
        (!names.is_empty()).then(|| names.join(" or "))
    }

    /// Converts a text that spells a value of these types, since templates can only write texts;
    /// and a number such as `5.0`, as some models write, to an integer.
    pub(super) fn read(self, value: Value) -> Value {
        if self.0 == 0 || self.accept(&value) {
            return value;
        }
        let read = match &value {
            Value::String(text) => self.read_text(text.trim()),
            Value::Number(number) if self.contains(JsonType::Integer) => whole(number),
            _ => None,
        };
        read.unwrap_or(value)
    }

    fn read_text(self, text: &str) -> Option<Value> {
        let boolean = || match text {
            _ if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            _ if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            _ => None,
        };
        let is_json = |first| text.starts_with(first);
        let json = || serde_json::from_str(text).ok();
        let of_type = |kind| self.contains(kind);
        let number = of_type(JsonType::Integer) || of_type(JsonType::Number);
        let nested = (of_type(JsonType::Array) && is_json('['))
            || (of_type(JsonType::Object) && is_json('{'));
        None.or_else(|| number.then(|| self.read_number(text)).flatten())
            .or_else(|| of_type(JsonType::Boolean).then(boolean).flatten())
            .or_else(|| nested.then(json).flatten())
    }

    fn read_number(self, text: &str) -> Option<Value> {
        let number: Number = text.strip_prefix('+').unwrap_or(text).parse().ok()?;
        if number.is_f64() && !self.contains(JsonType::Number) {
            return whole(&number);
        }
        Some(Value::Number(number))
    }
}

fn whole(number: &Number) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64()?;
    let is_whole = float.fract() == 0.0 && float.abs() <= EXACT;
    is_whole.then(|| Value::from(float as i64))
}

/// Returns the type of `value` in words, such as "a list".
pub(crate) fn describe_type(value: &Value) -> &'static str {
    let kind = JsonType::from_value(value);
    TYPES.iter().find(|(known, ..)| *known == kind).map_or("a value", |(.., words)| words)
}

pub(super) fn excerpt(value: &Value) -> String {
    shorten_to(&value.to_string(), 60)
}
