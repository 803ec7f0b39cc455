//! Values as parts of a URL or a form: the parameter styles of OpenAPI.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// Leaves only characters without a meaning in URLs.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// For `allowReserved`: leaves the reserved characters that can't end a value in a query.
const RESERVED: &AsciiSet = &UNRESERVED
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b'/')
    .remove(b':')
    .remove(b'=')
    .remove(b'?')
    .remove(b'@');

/// How lists and objects are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
}

impl Style {
    pub(crate) fn of_path(name: &str) -> Option<Self> {
        match name {
            "simple" => Some(Self::Simple),
            "label" => Some(Self::Label),
            "matrix" => Some(Self::Matrix),
            _ => None,
        }
    }

    pub(crate) fn of_query(name: &str) -> Option<Self> {
        match name {
            "form" => Some(Self::Form),
            "spaceDelimited" => Some(Self::SpaceDelimited),
            "pipeDelimited" => Some(Self::PipeDelimited),
            "deepObject" => Some(Self::DeepObject),
            _ => None,
        }
    }

    fn delimiter(self) -> &'static str {
        match self {
            Self::SpaceDelimited => " ",
            Self::PipeDelimited => "|",
            _ => ",",
        }
    }
}

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Percent,
    /// Leaves reserved characters.
    Reserved,
    /// For parts of a body.
    Plain,
}

/// Writes the names and values of a query or a form.
pub(crate) struct Pairs<'a> {
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) encoding: Encoding,
    /// Names aren't encoded.
    pub(crate) written: &'a mut Vec<(String, String)>,
}

impl Pairs<'_> {
    pub(crate) fn add(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(entries) if self.style == Style::DeepObject => {
                self.add_deep(name, entries);
            }
            Value::Object(entries) if self.explode => {
                entries.iter().for_each(|(key, value)| self.add_one(key, &text(value)));
            }
            Value::Array(items) if self.explode => {
                items.iter().for_each(|item| self.add_one(name, &text(item)));
            }
            Value::Array(_) | Value::Object(_) => {
                let written: Vec<String> = parts(value).map(|part| self.encoded(&part)).collect();
                let delimiter = match self.style.delimiter() {
                    "," => Cow::Borrowed(","),
                    delimiter => Cow::Owned(self.encoded(delimiter)),
                };
                self.push(name, written.join(&delimiter));
            }
            value => self.add_one(name, &text(value)),
        }
    }

    fn add_deep(&mut self, name: &str, entries: &Map<String, Value>) {
        for (key, value) in entries {
            let name = format!("{name}[{key}]");
            match value {
                Value::Object(entries) => self.add_deep(&name, entries),
                Value::Array(items) => {
                    items.iter().for_each(|item| self.add_one(&name, &text(item)));
                }
                value => self.add_one(&name, &text(value)),
            }
        }
    }

    fn add_one(&mut self, name: &str, value: &str) {
        self.push(name, self.encoded(value));
    }

    fn push(&mut self, name: &str, encoded: String) {
        self.written.push((name.to_owned(), encoded));
    }

    fn encoded(&self, text: &str) -> String {
        match self.encoding {
            Encoding::Percent => percent_encoded(text),
            Encoding::Reserved => utf8_percent_encode(text, RESERVED).to_string(),
            Encoding::Plain => text.to_owned(),
        }
    }
}

/// Joins pairs to a query or a form.
pub(crate) fn query(pairs: &[(String, String)]) -> String {
    let written = pairs.iter().map(|(name, value)| format!("{}={value}", percent_encoded(name)));
    written.collect::<Vec<_>>().join("&")
}

/// Writes a value in the style `simple`; `encoded` writes each part.
pub(crate) fn simple(value: &Value, explode: bool, encoded: impl Fn(&str) -> String) -> String {
    joined(value, explode, ",", encoded)
}

/// Writes a value in the style `label`, with a `.` before each part.
pub(crate) fn label(value: &Value, explode: bool) -> String {
    // Otherwise a `.` in a part would begin another one. In URLs, `%2E` means the same.
    let encoded = |text: &str| percent_encoded(text).replace('.', "%2E");
    format!(".{}", joined(value, explode, if explode { "." } else { "," }, encoded))
}

/// Writes a value in the style `matrix`, with a `;` and a name before each part.
pub(crate) fn matrix(name: &str, value: &Value, explode: bool) -> String {
    let named = |name: &str, encoded: String| {
        let separator = if encoded.is_empty() { "" } else { "=" };
        format!(";{}{separator}{encoded}", percent_encoded(name))
    };
    match value {
        Value::Object(entries) if explode => {
            let entry = |(key, value): (&String, &Value)| named(key, percent_encoded(&text(value)));
            entries.iter().map(entry).collect()
        }
        Value::Array(items) if explode => {
            items.iter().map(|item| named(name, percent_encoded(&text(item)))).collect()
        }
        value => named(name, simple(value, false, percent_encoded)),
    }
}

fn joined(
    value: &Value,
    explode: bool,
    separator: &str,
    encoded: impl Fn(&str) -> String,
) -> String {
    let written: Vec<String> = match value {
        Value::Object(entries) if explode => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{}={}", encoded(key), encoded(&text(value)))
            };
            entries.iter().map(entry).collect()
        }
        value => parts(value).map(|part| encoded(&part)).collect(),
    };
    written.join(separator)
}

pub(crate) fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// Returns a string as it is, and anything else as JSON.
pub(crate) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        value => Cow::Owned(value.to_string()),
    }
}

/// Returns the items of a list, the names and values of an object, or a value alone.
fn parts(value: &Value) -> Box<dyn Iterator<Item = Cow<'_, str>> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter().map(text)),
        Value::Object(entries) => Box::new(
            entries.iter().flat_map(|(key, value)| [Cow::Borrowed(key.as_str()), text(value)]),
        ),
        value => Box::new(std::iter::once(text(value))),
    }
}
