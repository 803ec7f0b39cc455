//! Shows what is searched for in place of the question.

use serde_json::Value;
use textsearch_core::{
    Result, SearchOptions, SearchResults, TextSearch, connector::TextSearchWrapper,
    results::AnyRecord,
};
use textsearch_kernel::transform::{QUERY_TRANSFORM, Transformed};

use crate::{messages, output::excerpt};

/// In characters.
const EXCERPT_LENGTH: usize = 300;

/// Prints the queries besides the question, or why there are none.
pub(crate) struct RewrittenSearch(pub(crate) Transformed);

impl TextSearchWrapper for RewrittenSearch {
    fn inner(&self) -> &dyn TextSearch {
        &self.0
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let results = self.0.search_any(query, options).await?;
        if let Some(report) = results.metadata().get(QUERY_TRANSFORM) {
            show(query, report);
        }
        Ok(results)
    }
}

fn show(question: &str, report: &Value) {
    let text = |place: &str| report.pointer(place).and_then(Value::as_str);
    if let Some(reason) = text("/fallback") {
        messages::warn(&format!("the question was not rewritten: {reason}"));
        return;
    }
    let queries = report.get("queries").and_then(Value::as_array).into_iter().flatten();
    let texts = queries.filter_map(|query| query.get("text")?.as_str());
    for text in texts.filter(|text| *text != question) {
        messages::note(&format!("searching for: {}", excerpt(text, EXCERPT_LENGTH)));
    }
}
