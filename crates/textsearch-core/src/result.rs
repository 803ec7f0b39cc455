//! The normalised search result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{explanation::Explanation, filter::DateTime};

/// Additional facts by name, from the provider.
pub type Metadata = Map<String, Value>;

/// A search result in the form that all connectors share. It serialises as `Name`, `Value`, `Link`,
/// `Score`, `Published`, `Source`, `Id`, `Metadata` and `Explanation`, without unknown ones.
///
/// ```
/// use textsearch_core::TextSearchResult;
///
/// let result = TextSearchResult::new("Exact search over contiguous storage.")
///     .with_name("Vector search")
///     .with_link("https://example.com/vector-search");
/// assert_eq!(serde_json::to_value(&result)?["Name"], "Vector search");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
#[schemars(description = "A search result: its name, its text and its link")]
#[non_exhaustive]
pub struct TextSearchResult {
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The text, or the part of it that answers the query.
    #[serde(default)]
    pub value: String,
    /// The link for citations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The relevance on the connector's own scale, comparable within one search only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// When it was published or last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<DateTime>,
    /// The name of the connector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The key of the record in its store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Other facts from the connector.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Metadata,
    /// Why the result has its place; empty without
    /// [`with_explanation`](crate::SearchOptions::with_explanation).
    // Models never ask for one, so it would only lengthen the schemas that they read.
    #[serde(default, skip_serializing_if = "Explanation::is_empty")]
    #[schemars(skip)]
    pub explanation: Explanation,
}

impl TextSearchResult {
    /// Creates a result with only a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), ..Self::default() }
    }

    /// Sets the title.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the link. A blank link counts as none.
    #[must_use]
    pub fn with_link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into()).filter(|link| !link.trim().is_empty());
        self
    }

    /// Sets the score.
    #[must_use]
    pub fn with_score(mut self, score: f64) -> Self {
        self.score = Some(score);
        self
    }

    /// Sets when the result was published.
    #[must_use]
    pub fn with_published(mut self, published: DateTime) -> Self {
        self.published = Some(published);
        self
    }

    /// Sets the name of the connector.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the key of the record in its store.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Adds one fact, replacing one of the same name.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }
}

/// Moves the parts instead of copying them.
impl From<TextSearchResult> for Value {
    fn from(result: TextSearchResult) -> Self {
        let parts = [
            ("Name", result.name.map(Value::String)),
            ("Value", Some(Value::String(result.value))),
            ("Link", result.link.map(Value::String)),
            ("Score", result.score.map(Value::from)),
            ("Published", result.published.map(|date| Value::String(date.to_string()))),
            ("Source", result.source.map(Value::String)),
            ("Id", result.id.map(Value::String)),
            (
                "Metadata",
                Some(result.metadata).filter(|facts| !facts.is_empty()).map(Value::Object),
            ),
        ];
        let mut fields = Map::new();
        // Collecting a map sorts a list first, which takes longer than all the rest.
        for (name, part) in parts {
            if let Some(part) = part {
                fields.insert(name.to_owned(), part);
            }
        }
        // An explanation always has a JSON form.
        if let (false, Ok(steps)) =
            (result.explanation.is_empty(), serde_json::to_value(&result.explanation))
        {
            fields.insert("Explanation".to_owned(), steps);
        }
        Value::Object(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::ExplanationStep;

    #[test]
    fn a_result_becomes_the_value_that_it_serialises_as() {
        let published = DateTime::parse("2024-08-21T12:00:00.5+02:00").unwrap();
        let full = TextSearchResult::new("text")
            .with_name("name")
            .with_link("https://example.com/")
            .with_score(0.1)
            .with_published(published)
            .with_source("source")
            .with_id("id")
            .with_metadata("fact", 1);
        let mut explained = full.clone();
        explained.explanation.push(ExplanationStep::new(ExplanationStep::VECTOR));
        for result in
            [explained, full.clone().with_score(f64::NAN), full, TextSearchResult::default()]
        {
            assert_eq!(Value::from(result.clone()), serde_json::to_value(result).unwrap());
        }
    }
}
