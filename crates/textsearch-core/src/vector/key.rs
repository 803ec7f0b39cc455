//! Record keys.

use std::{borrow::Cow, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{KeyField, KeyKind};
use crate::{Error, ErrorKind, Result};

/// A record's identifier. Integers order before texts, texts by code point.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(untagged)]
#[expect(clippy::exhaustive_enums, reason = "each store writes both kinds")]
pub enum RecordKey {
    /// An unsigned integer.
    Integer(u64),
    /// Any text that is not empty.
    String(String),
}

impl fmt::Display for RecordKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(key) => key.fmt(formatter),
            Self::String(key) => key.fmt(formatter),
        }
    }
}

impl From<&str> for RecordKey {
    fn from(key: &str) -> Self {
        Self::String(key.to_owned())
    }
}

impl From<String> for RecordKey {
    fn from(key: String) -> Self {
        Self::String(key)
    }
}

impl From<u64> for RecordKey {
    fn from(key: u64) -> Self {
        Self::Integer(key)
    }
}

impl From<&RecordKey> for Value {
    fn from(key: &RecordKey) -> Self {
        match key {
            RecordKey::Integer(key) => Self::from(*key),
            RecordKey::String(key) => Self::from(key.as_str()),
        }
    }
}

/// Uses the UUID's text, as in keys of [`KeyKind::Uuid`].
impl From<Uuid> for RecordKey {
    fn from(key: Uuid) -> Self {
        Self::String(key.to_string())
    }
}

impl KeyField {
    /// Returns `key` as stores spell it: a UUID becomes 36 lower-case characters, any other key is
    /// unchanged, even of another kind.
    pub fn canonical<'a>(&self, key: &'a RecordKey) -> Cow<'a, RecordKey> {
        match (self.kind, key) {
            (KeyKind::Uuid, RecordKey::String(text)) => match Uuid::try_parse(text) {
                Ok(uuid) => Cow::Owned(RecordKey::from(uuid)),
                Err(_) => Cow::Borrowed(key),
            },
            _ => Cow::Borrowed(key),
        }
    }

    /// Returns whether `key` is of this kind, in its canonical spelling.
    pub fn accepts(&self, key: &RecordKey) -> bool {
        match (self.kind, key) {
            (KeyKind::String, RecordKey::String(key)) => !key.is_empty(),
            (KeyKind::Integer, RecordKey::Integer(_)) => true,
            (KeyKind::Uuid, RecordKey::String(text)) => {
                Uuid::try_parse(text).is_ok_and(|uuid| uuid.to_string() == *text)
            }
            _ => false,
        }
    }

    /// Describes keys of this kind, for errors.
    pub fn expected(&self) -> &'static str {
        match self.kind {
            KeyKind::String => "text that is not empty",
            KeyKind::Integer => "an unsigned integer",
            KeyKind::Uuid => "a UUID",
        }
    }

    /// Returns the key in the field's `value`, in its canonical spelling.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`](ErrorKind::InvalidRecord) if the value is missing or of another
    /// kind.
    pub fn key_of(&self, value: Option<Value>) -> Result<RecordKey> {
        let key = match value {
            Some(Value::String(text)) => Ok(RecordKey::String(text)),
            Some(Value::Number(number)) => {
                number.as_u64().map(RecordKey::Integer).ok_or_else(|| number.to_string())
            }
            Some(other) => Err(other.to_string()),
            None => Err("missing".to_owned()),
        };
        let key = key.map(|key| self.to_canonical(key)).and_then(|key| {
            if self.accepts(&key) { Ok(key) } else { Err(Value::from(&key).to_string()) }
        });
        key.map_err(|value| {
            let message =
                format!("the key field `{}` is {value}: it must be {}", self.name, self.expected());
            Error::new(ErrorKind::InvalidRecord { key: String::new() }, "record", message)
        })
    }

    /// Reads the key, and rewrites it in `data` in its canonical spelling.
    pub(super) fn take(&self, data: &mut Map<String, Value>) -> Result<RecordKey> {
        let value = data.get_mut(&self.name);
        let key = self.key_of(value.as_deref().cloned())?;
        if let Some(value) = value.filter(|value| !is_key(value, &key)) {
            *value = Value::from(&key);
        }
        Ok(key)
    }

    fn to_canonical(&self, key: RecordKey) -> RecordKey {
        let other = match self.canonical(&key) {
            Cow::Owned(other) => Some(other),
            Cow::Borrowed(_) => None,
        };
        other.unwrap_or(key)
    }
}

impl Error {
    /// Returns the error for a record that can't be stored. `fault` says why.
    pub fn invalid_record(
        connector: &str,
        key: impl fmt::Display,
        fault: impl fmt::Display,
    ) -> Self {
        let key = key.to_string();
        // Keys may be long.
        let message = format!("the record `{key:.100}` cannot be stored: {fault}");
        Self::new(ErrorKind::invalid_record(key), connector, message)
    }

    /// Returns the error for a collection that doesn't exist.
    pub fn collection_not_found(connector: &str, name: &str) -> Self {
        let message = format!("there is no collection `{name}`; create it with `ensure_exists`");
        Self::new(ErrorKind::collection_not_found(name), connector, message)
    }
}

pub(super) fn is_key(value: &Value, key: &RecordKey) -> bool {
    match key {
        RecordKey::Integer(key) => value.as_u64() == Some(*key),
        RecordKey::String(key) => value.as_str() == Some(key),
    }
}
