//! Values of a rendering and their origins.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use super::path::Name;

static NULL: Value = Value::Null;

#[derive(Debug, Clone)]
pub(super) struct Evaluated<'s> {
    content: Content<'s>,
    pub(super) origin: Origin,
}

#[derive(Debug, Clone)]
enum Content<'s> {
    Missing,
    Here(Cow<'s, Value>),
    Set(Arc<Value>),
}

/// Decides how a value is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Variables,
    Variable { trusted: bool },
    Answer { trusted: bool, is_whole: bool },
    Unknown,
}

impl<'s> Evaluated<'s> {
    pub(super) const MISSING: Self = Self { content: Content::Missing, origin: Origin::Unknown };

    pub(super) fn at(value: &'s Value, origin: Origin) -> Self {
        Self { content: Content::Here(Cow::Borrowed(value)), origin }
    }

    pub(super) fn made(value: impl Into<Value>) -> Self {
        Self { content: Content::Here(Cow::Owned(value.into())), origin: Origin::Unknown }
    }

    pub(super) fn set(value: Arc<Value>, origin: Origin) -> Self {
        Self { content: Content::Set(value), origin }
    }

    pub(super) fn value(&self) -> &Value {
        match &self.content {
            Content::Missing => &NULL,
            Content::Here(value) => value,
            Content::Set(value) => value,
        }
    }

    pub(super) fn get(&self) -> Option<&Value> {
        (!self.is_missing()).then(|| self.value())
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self.content, Content::Missing)
    }

    pub(super) fn into_shared(self) -> Arc<Value> {
        match self.content {
            Content::Missing => Arc::new(Value::Null),
            Content::Here(value) => Arc::new(value.into_owned()),
            Content::Set(value) => value,
        }
    }

    pub(super) fn members(self, names: &[Name], origin: Origin) -> Self {
        let evaluated = match &self.content {
            Content::Missing => None,
            Content::Here(Cow::Borrowed(value)) => descend(value, names),
            Content::Here(Cow::Owned(value)) => owned(descend(value, names)),
            Content::Set(value) => owned(descend(value, names)),
        };
        evaluated.map_or(Self::MISSING, |value| Self { content: Content::Here(value), origin })
    }
}

fn owned<'s>(evaluated: Option<Cow<'_, Value>>) -> Option<Cow<'s, Value>> {
    evaluated.map(|value| Cow::Owned(value.into_owned()))
}

/// As in JavaScript, lists and texts have a length, but no other named members.
fn descend<'v>(mut value: &'v Value, names: &[Name]) -> Option<Cow<'v, Value>> {
    for (position, name) in names.iter().enumerate() {
        value = match value {
            Value::Object(members) => members.get(&name.text)?,
            Value::Array(items) if name.index.is_some() => items.get(name.index?)?,
            _ => {
                let is_last = position + 1 == names.len();
                let length = length(value).filter(|_| is_last && name.text == "length")?;
                return Some(Cow::Owned(length.into()));
            }
        };
    }
    Some(Cow::Borrowed(value))
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::String(text) => Some(text.encode_utf16().count()),
        _ => None,
    }
}
