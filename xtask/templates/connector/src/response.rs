//! What Acme answers, and the record that is made of it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use textsearch_core::{
    Metadata, TextSearchRecord, TextSearchResult,
    http::{ErrorAnswer, ProviderError},
    schemars::{self, JsonSchema},
    web::ResultList,
};

// Reference 3 of 5: the shape of an answer, and each documented field of a result. If it counts all results, give the
// count to `SearchResults::with_total_count` in src/search.rs, and say so in tests/it/conformance.rs
// (`with_total_count`).
/// An answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    pub(crate) results: ResultList<AcmePage>,
    /// What it says besides. Without it serde would read a list as this object.
    #[serde(flatten)]
    pub(crate) about: Metadata,
}

/// One page that Acme found.
///
/// Templates and JSON have the fields as `Title`, `Snippet` and `Url`; what is missing is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all(serialize = "PascalCase"))]
#[non_exhaustive]
pub struct AcmePage {
    /// The title of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the page says about the query, in a sentence or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The address of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl TextSearchRecord for AcmePage {
    /// The snippet, or the title where there is no more.
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

// Reference 5 of 5: where an error says what is wrong, and which of its codes mean another kind of error than the
// status does (`ProviderError::with_kind`).
/// What Acme means by an error; what is left out is taken from the status.
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
    fn a_recorded_answer_becomes_records() {
        let answer: Answer = serde_json::from_str(RECORDED).unwrap();
        let results = answer.results.into_readable("acme");
        let first = results.first();
        let first =
            first.expect("put a real answer into tests/fixtures/search.json, without its key");
        assert!(!first.text().is_empty(), "{first:?}");
        assert!(first.to_result().link.is_some(), "{first:?}");
    }
}
