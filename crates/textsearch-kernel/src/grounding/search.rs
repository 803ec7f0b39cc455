//! Searches for the results of a grounding.

use std::{collections::HashSet, fmt, sync::Arc};

use serde_json::Value;
use textsearch_core::{
    Error, SearchOptions, TextSearch, TextSearchResult,
    chat::{ChatHistory, ChatMessage},
};

use super::{
    context,
    options::{GroundingOptions, MIN_CHARACTERS},
};
use crate::{citations::Sources, transform::Transformed};

/// No search engine takes more, and an embedding model ignores the rest.
const MAX_QUERY_CHARACTERS: usize = 2_000;

/// A search, and how its results get into a prompt. Cheap to clone.
#[derive(Clone)]
pub(super) struct Grounding {
    search: Arc<dyn TextSearch>,
    /// The search, if it may be told the conversation.
    transformed: Option<Transformed>,
    options: Arc<GroundingOptions>,
}

impl Grounding {
    pub(super) fn new(
        search: Arc<dyn TextSearch>,
        options: GroundingOptions,
    ) -> Result<Self, Error> {
        let connector = search.name();
        let refuse = |option: &str, value: &dyn fmt::Display, allowed: String| {
            Err(Error::invalid_options(connector, option, value, allowed))
        };
        if options.top == 0 {
            return refuse("top", &0, "1 or more".to_owned());
        }
        if let Some(score) = options.min_score.filter(|score| !score.is_finite()) {
            return refuse("min_score", &score, "a finite number".to_owned());
        }
        if options.max_characters < MIN_CHARACTERS {
            let allowed = format!("{MIN_CHARACTERS} or more");
            return refuse("max_characters", &options.max_characters, allowed);
        }
        if let Some(filter) = &options.fixed_filter {
            search.check_fixed_filter(filter)?;
        }
        Ok(Self { search, transformed: None, options: Arc::new(options) })
    }

    pub(super) fn transformed(
        search: Transformed,
        options: GroundingOptions,
    ) -> Result<Self, Error> {
        let grounding = Self::new(Arc::new(search.clone()), options)?;
        if let Some(score) = grounding.options.min_score {
            let connector = grounding.search.name();
            let allowed = "none: the scores of several queries are fused; set a threshold on the search inside";
            return Err(Error::invalid_options(connector, "min_score", score, allowed));
        }
        Ok(Self { transformed: Some(search), ..grounding })
    }

    /// Whether the search uses the messages before the question.
    pub(super) fn follows_conversation(&self) -> bool {
        self.transformed.is_some()
    }

    /// Finds results for a question without a conversation. A blank query finds nothing.
    pub(super) async fn find(&self, query: &str) -> Result<Vec<TextSearchResult>, Error> {
        self.find_with(&self.search, query).await
    }

    async fn find_with(
        &self,
        search: &dyn TextSearch,
        query: &str,
    ) -> Result<Vec<TextSearchResult>, Error> {
        let query = end_of(query.trim(), MAX_QUERY_CHARACTERS);
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let mut options = SearchOptions::top(self.options.top);
        if let Some(filter) = &self.options.fixed_filter {
            options = options.with_fixed_filter(filter.clone());
        }
        let results = search.text_search_results(query, &options).await?;
        // A connector may return too many results, or an endless stream.
        let mut results = results.window(0, self.options.top).into_vec().await?;
        self.drop_worse(&mut results)?;
        if self.options.deduplicate {
            let mut links = HashSet::new();
            results.retain(|result| {
                result.link.as_deref().is_none_or(|link| links.insert(link.trim().to_owned()))
            });
        }
        Ok(results)
    }

    /// Finds results for the question `query` after the messages `before`. A failure finds nothing if
    /// the options say so.
    pub(super) async fn find_or_continue(
        &self,
        before: &[ChatMessage],
        query: &str,
    ) -> Result<Vec<TextSearchResult>, Error> {
        let results = match &self.transformed {
            Some(transformed) => {
                let history = ChatHistory::from(before.to_vec());
                self.find_with(&transformed.clone().with_history(history), query).await
            }
            None => self.find(query).await,
        };
        match results {
            Err(error) if self.options.continue_on_error => {
                // The message could repeat the query.
                tracing::warn!(
                    connector = self.search.name(),
                    error = error.kind().name(),
                    "the search failed, so the prompt has no results"
                );
                Ok(Vec::new())
            }
            results => results,
        }
    }

    pub(super) fn values(&self, results: Vec<TextSearchResult>) -> Value {
        context::values(results, &self.options)
    }

    pub(super) fn context(
        &self,
        results: Vec<TextSearchResult>,
        sources: &mut Sources,
    ) -> Option<String> {
        context::write(results, &self.options, sources)
    }

    fn drop_worse(&self, results: &mut Vec<TextSearchResult>) -> Result<(), Error> {
        let Some(min) = self.options.min_score else {
            return Ok(());
        };
        if results.iter().any(|result| result.score.is_none()) {
            let allowed = "none: a result of this search has no score";
            let connector = self.search.name();
            return Err(Error::invalid_options(connector, "min_score", min, allowed));
        }
        results.retain(|result| result.score.is_some_and(|score| score >= min));
        Ok(())
    }
}

impl fmt::Debug for Grounding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let search = self.search.name();
        formatter
            .debug_struct("Grounding")
            .field("search", &search)
            .field("options", &self.options)
            .finish()
    }
}

/// Starts at a word. The question is usually at the end.
fn end_of(text: &str, max: usize) -> &str {
    let Some((start, _)) = text.char_indices().rev().nth(max.saturating_sub(1)) else {
        return text;
    };
    let (before, end) = text.split_at(start);
    if before.is_empty() || before.ends_with(char::is_whitespace) {
        return end;
    }
    end.split_once(char::is_whitespace).map_or(end, |(_, end)| end.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_query_keeps_its_end_from_a_word_on() {
        for (text, max, expected) in [
            ("one two three", 13, "one two three"),
            ("one two three", 9, "two three"),
            ("one two three", 8, "three"),
            ("éééé", 2, "éé"),
            ("", 2, ""),
        ] {
            assert_eq!(end_of(text, max), expected, "{text} {max}");
        }
    }
}
