//! Return values of functions.

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer};
use serde_json::Value;
use textsearch_core::TextSearchResult;

use super::SearchRecords;
use crate::function::value_to_text;

/// The value a function returned.
///
/// Search functions return unconverted records, since a conversion takes longer than the call.
/// `Serialize` and `Display` write JSON, and values with the same JSON are equal.
///
/// ```
/// use serde_json::json;
/// use textsearch_kernel::{function::FunctionValue, textsearch_core::TextSearchResult};
///
/// let value = FunctionValue::from(vec![TextSearchResult::new("A text.").with_name("Page")]);
/// assert_eq!(value, json!([{ "Name": "Page", "Value": "A text." }]));
/// assert_eq!(value.to_json()[0]["Name"], "Page");
/// assert_eq!(value.to_string(), r#"[{"Name":"Page","Value":"A text."}]"#);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FunctionValue {
    /// Any JSON: returned by native functions, prompts and functions from
    /// [`create_with_records`](crate::TextSearchPlugins::create_with_records).
    Json(Value),
    /// Search results, as a list of texts.
    Texts(SearchRecords),
    /// Search results, as a list of results.
    Results(SearchRecords),
}

impl FunctionValue {
    /// Returns the records of a list of texts or results.
    pub fn records(&self) -> Option<&SearchRecords> {
        match self {
            Self::Texts(records) | Self::Results(records) => Some(records),
            Self::Json(_) => None,
        }
    }

    /// Like [`records`](Self::records), but mutable.
    pub fn records_mut(&mut self) -> Option<&mut SearchRecords> {
        match self {
            Self::Texts(records) | Self::Results(records) => Some(records),
            Self::Json(_) => None,
        }
    }

    /// Returns the value as prompt text: see [`value_to_text`].
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Json(value) => value_to_text(value),
            Self::Texts(records) => Cow::Owned(records.joined()),
            Self::Results(records) if records.records().is_empty() => Cow::Borrowed(""),
            Self::Results(_) => Cow::Owned(self.to_string()),
        }
    }

    /// Returns the value as JSON. Each call converts a value that is not JSON yet.
    pub fn to_json(&self) -> Cow<'_, Value> {
        match self {
            Self::Json(value) => Cow::Borrowed(value),
            other => Cow::Owned(other.clone().into_json()),
        }
    }

    /// Converts the value to JSON, moving its parts instead of copying them.
    pub fn into_json(self) -> Value {
        match self {
            Self::Json(value) => value,
            Self::Texts(records) => records.into_texts().into(),
            Self::Results(records) => records.into_results().into(),
        }
    }
}

impl Default for FunctionValue {
    fn default() -> Self {
        Self::Json(Value::Null)
    }
}

impl From<Value> for FunctionValue {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}

impl From<FunctionValue> for Value {
    fn from(value: FunctionValue) -> Self {
        value.into_json()
    }
}

impl From<Vec<TextSearchResult>> for FunctionValue {
    fn from(results: Vec<TextSearchResult>) -> Self {
        Self::Results(results.into())
    }
}

impl PartialEq for FunctionValue {
    fn eq(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }
}

impl PartialEq<Value> for FunctionValue {
    fn eq(&self, other: &Value) -> bool {
        *self.to_json() == *other
    }
}

impl Serialize for FunctionValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::Texts(records) => records.serialize_texts(serializer),
            Self::Results(records) => records.serialize_results(serializer),
        }
    }
}

impl fmt::Display for FunctionValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textsearch_core::filter::DateTime;

    use super::*;

    fn full() -> TextSearchResult {
        TextSearchResult::new("text \"quoted\"")
            .with_name("name")
            .with_link("https://example.com/")
            .with_score(0.1)
            .with_published(DateTime::parse("2024-08-21T12:00:00.5+02:00").unwrap())
            .with_source("source")
            .with_id("id")
            .with_metadata("fact", 1)
    }

    fn values() -> [FunctionValue; 6] {
        [
            FunctionValue::from(json!({ "a": [1, null] })),
            FunctionValue::from(json!("text")),
            FunctionValue::Texts(vec![full(), TextSearchResult::new("two")].into()),
            FunctionValue::Texts(Vec::new().into()),
            FunctionValue::from(vec![
                full(),
                full().with_score(f64::NAN),
                TextSearchResult::new(""),
            ]),
            FunctionValue::from(Vec::<TextSearchResult>::new()),
        ]
    }

    #[test]
    fn a_value_prints_like_its_json() {
        for value in values() {
            let json = value.clone().into_json();
            assert_eq!(value.to_string(), json.to_string());
            assert_eq!(value.text(), value_to_text(&json));
            assert_eq!(value, json);
            assert_eq!(value, FunctionValue::from(json));
        }
    }

    #[test]
    fn every_field_of_a_result_is_written() {
        let schema = schemars::schema_for!(TextSearchResult);
        let fields = schema.get("properties").and_then(Value::as_object).unwrap();
        let written = serde_json::to_value(FunctionValue::from(vec![full()])).unwrap();
        assert!(fields.keys().eq(written[0].as_object().unwrap().keys()), "{written}");
    }
}
