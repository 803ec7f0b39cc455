//! Response format, the public record, and errors.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use textsearch_core::{
    TextSearchRecord, TextSearchResult, http::{ErrorAnswer, ProviderError}, results::Metadata,
    schemars::{self, JsonSchema}, web::ResultList,
};

// Reference 3 of 5: the response format, and each documented field of a result. If Acme reports a
// total count, pass it to `SearchResults::with_total_count` in src/search.rs and add
// `with_total_count` in tests/it/conformance.rs.
/// A response.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    pub(crate) results: ResultList<AcmePage>,
    /// All other fields. Without this field, serde would accept a list as this object.
    #[serde(flatten)]
    pub(crate) about: Metadata,
}

/// A web page found by Acme.
///
/// Templates and JSON see the fields as `Title`, `Snippet` and `Url`; missing values are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase"))]
#[non_exhaustive]
pub struct AcmePage {
    /// Title of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Snippet: one or two sentences about the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// URL of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl TextSearchRecord for AcmePage {
    /// Returns the snippet, or the title if there's no snippet.
    fn text(&self) -> Cow<'_, str> {
        let text = self.snippet.as_deref().or(self.title.as_deref());
        Cow::Borrowed(text.unwrap_or_default())
    }

    fn to_result(&self) -> TextSearchResult {
        let mut result = TextSearchResult::new(self.text());
        result.name = self.title.clone();
        result.link = self.url.clone().filter(|url| !url.is_empty());
        result
    }
}

// Reference 5 of 5: where an error response has its message, and which of its codes mean another
// kind of error than the status (`ProviderError::with_kind`).
/// Reads an error response. The status determines whatever this doesn't set.
pub(crate) fn read_error(answer: &ErrorAnswer<'_>) -> Option<ProviderError> {
    let problem: Problem = answer.json()?;
    Some(ProviderError::default().with_message(problem.message))
}

#[derive(Deserialize)]
struct Problem {
    message: String,
}

#[cfg(test)]
mod tests {
    use textsearch_core::serde_json;

    use super::*;

    const RECORDED: &str = include_str!("../tests/fixtures/search.json");

    #[test]
    fn a_recorded_response_becomes_records() {
        let answer: Answer = serde_json::from_str(RECORDED).unwrap();
        let results = answer.results.into_readable("acme");
        let first = results.first();
        let first =
            first.expect("put a real response into tests/fixtures/search.json, without the key");
        assert!(!first.text().is_empty(), "{first:?}");
        assert!(first.to_result().link.is_some(), "{first:?}");
    }
}
