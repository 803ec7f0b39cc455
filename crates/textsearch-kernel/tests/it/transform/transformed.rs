//! The wrapper: fusion, pages, filters, spans.

use std::sync::Arc;

use serde_json::json;
use textsearch_conformance::LogCapture;
use textsearch_kernel::{
    Result,
    textsearch_core::{
        self, CheckedOptions, Error, ErrorKind, Filter, SearchOptions, SearchResults,
        TextSearch as _, TextSearchConnector, TextSearchResult, async_trait, chat::ChatHistory,
        results::TotalCount,
    },
    transform::{QUERY_TRANSFORM, QueryTransform, Standalone, Transformed, TransformedQuery},
};

use super::{Notes, conversation, results, search};
use crate::support::{Scripted, text};

/// Always these queries.
pub(super) struct Fixed(pub(super) Vec<TransformedQuery>);

#[async_trait]
impl QueryTransform for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }

    async fn transform(&self, _: &ChatHistory, _: &str) -> Result<Vec<TransformedQuery>> {
        Ok(self.0.clone())
    }
}

fn queries<const N: usize>(texts: [&str; N]) -> Fixed {
    Fixed(texts.map(TransformedQuery::new).into())
}

/// Finds endless numbered results, except for two queries.
pub(super) struct Endless;

impl TextSearchConnector for Endless {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "endless"
    }

    async fn search_records(
        &self,
        query: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> textsearch_core::Result<SearchResults<TextSearchResult>> {
        match query {
            "broken" => {
                return Err(Error::new(ErrorKind::Unavailable, "endless", "down at 10.0.0.7"));
            }
            "refused" | "Refused" => {
                return Err(Error::invalid_options("endless", "query", query, "another"));
            }
            _ => {}
        }
        let query = query.to_owned();
        let numbers = futures_util::stream::iter(0_u64..);
        let results = futures_util::StreamExt::map(numbers, move |number| {
            Ok(TextSearchResult::new(format!("{query} {number}")))
        });
        let facts = [("took".to_owned(), json!(7))].into_iter().collect();
        let results = SearchResults::from_stream(results).with_metadata(facts);
        Ok(results.with_total_count(TotalCount::Exact(1_000_000)))
    }
}

#[tokio::test]
async fn single_query_streams_with_its_count() {
    let search = Transformed::new(Endless, queries(["sea"]));
    let mut results = search.search("moon", &SearchOptions::top(usize::MAX)).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(1_000_000)));
    assert_eq!(results.metadata()["took"], 7);
    assert_eq!(results.next().await.unwrap().unwrap(), "sea 0");
}

#[tokio::test]
async fn weights_decide_the_fused_order() {
    let notes = Notes::new().await;
    let heavy = TransformedQuery::new("ferry").with_weight(3.0);
    let fixed = Fixed(vec![TransformedQuery::new("moon"), heavy]);
    let (results, _) = results(&Transformed::new(notes, fixed), "?", &SearchOptions::top(5)).await;
    let scores: Vec<_> = results
        .iter()
        .map(|result| (result.id.as_deref().unwrap(), result.score.unwrap()))
        .collect();
    assert_eq!(scores, [("ferry", 3.0 / 61.0), ("moon", 1.0 / 61.0)]);
}

#[tokio::test]
async fn explanation_has_the_rank_of_each_query() {
    let notes = Notes::new().await;
    let transformed = Transformed::new(notes, queries(["ferry", "moon", "Sunday ferry"]));
    let options = SearchOptions::top(2).with_explanation(true);
    let (results, _) = results(&transformed, "?", &options).await;
    let steps: Vec<_> = results[0]
        .explanation
        .steps()
        .iter()
        .map(|step| (step.name.as_ref(), step.detail.as_deref().unwrap_or_default(), step.rank))
        .filter(|(name, ..)| ["query", "fusion"].contains(name))
        .collect();
    let expected = [
        ("query", "ferry", Some(1)),
        ("query", "Sunday ferry", Some(1)),
        ("fusion", "reciprocal_rank", Some(1)),
    ];
    assert_eq!(steps, expected);
}

#[tokio::test]
async fn result_of_two_queries_comes_first_and_once() {
    let notes = Notes::new().await;
    let transformed = Transformed::new(notes, queries(["winter moon", "storms ferry winter"]));
    let (ids, _) = search(&transformed, "?").await;
    assert_eq!(ids[0], "winter");
    assert_eq!(ids.iter().filter(|id| *id == "winter").count(), 1);
}

#[tokio::test]
async fn explanation_has_the_rank_for_each_query() {
    let notes = Notes::new().await;
    let transformed = Transformed::new(notes, queries(["winter moon", "storms ferry winter"]));
    let options = SearchOptions::top(1).with_explanation(true);
    let (results, _) = results(&transformed, "?", &options).await;
    let steps = results[0].explanation.steps();
    let names: Vec<_> = steps.iter().map(|step| &*step.name).collect();
    assert_eq!(names, ["full_text", "query", "query", "fusion"]);
    assert_eq!(steps[2].detail.as_deref(), Some("storms ferry winter"));
    let parts: f64 = steps.iter().filter_map(|step| step.contribution).sum();
    assert_eq!((Some(parts), steps[3].rank), (results[0].score, Some(1)));
}

#[tokio::test]
async fn pages_are_windows_of_one_ranking() {
    let notes = Notes::new().await;
    let transformed = Transformed::new(notes, queries(["tides", "moon", "ferry"]));
    let (all, _) = search(&transformed, "?").await;
    let mut pages = Vec::new();
    for skip in 0..all.len() {
        let options = SearchOptions::top(1).with_skip(skip);
        let (page, _) = results(&transformed, "?", &options).await;
        pages.extend(page.into_iter().filter_map(|result| result.id));
    }
    assert_eq!(pages, all);
}

#[tokio::test]
async fn total_count_is_exact_if_all_is_read() {
    let notes = Notes::new().await;
    let transformed = Transformed::new(notes, queries(["tides", "moon"]));
    let found = transformed.search("?", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(found.total_count(), Some(TotalCount::Exact(4)));
    let endless = Transformed::new(Endless, queries(["a", "b"]));
    let found = endless.search("?", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(found.total_count(), Some(TotalCount::Estimated(1_000_000)));
}

#[tokio::test]
async fn paid_searches_read_no_more_than_needed() {
    let notes = Notes::new().await;
    let transformed = Transformed::new(notes.clone(), queries(["tides", "moon", "ferry"]))
        .with_max_queries(2)
        .with_min_depth(0);
    let options = SearchOptions::top(2).with_skip(1);
    let (_, metadata) = results(&transformed, "?", &options).await;
    assert_eq!(metadata[QUERY_TRANSFORM]["dropped"], json!({ "too_many": 1 }));
    let tops: Vec<_> = notes.asked.lock().unwrap().iter().map(|(_, asked)| asked.top).collect();
    assert_eq!(tops, [3, 3]);
}

#[tokio::test]
async fn failed_query_is_reported_without_its_message() {
    let search = Transformed::new(Endless, queries(["sea", "broken"]));
    let found = search.search("?", &SearchOptions::top(2)).await.unwrap();
    let report = found.metadata()[QUERY_TRANSFORM].clone();
    assert_eq!(report["queries"][1]["error"], "unavailable");
    assert!(!report.to_string().contains("10.0.0.7"));
    assert_eq!(found.into_vec().await.unwrap(), ["sea 0", "sea 1"]);

    let search = Transformed::new(Endless, queries(["broken"]));
    let error = search.search("?", &SearchOptions::top(2)).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn no_query_leaves_the_fixed_filter() {
    let notes = Notes::new().await;
    let fixed = queries(["secret", "secret tides", "tenant:b secret", "\") OR tenant = 'b' --"]);
    let transformed = Transformed::new(notes.clone(), fixed);
    let options = SearchOptions::top(5).with_fixed_filter(Filter::eq("tenant", "a"));
    let (results, _) = results(&transformed, "secret", &options).await;
    assert!(results.iter().all(|result| result.id.as_deref() != Some("secret")), "{results:?}");
    let asked = notes.asked.lock().unwrap();
    assert_eq!(asked.len(), 4);
    assert!(asked.iter().all(|(_, options)| options.fixed_filter().is_some()));
}

#[tokio::test]
async fn refused_filter_fails_the_search() {
    let transformed = Transformed::new(Endless, queries(["a", "b"]));
    let options = SearchOptions::top(5).with_fixed_filter(Filter::eq("tenant", "a"));
    let error = transformed.search("?", &options).await.unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "fixed_filter")
    );
}

#[tokio::test]
async fn blank_question_is_not_transformed() {
    let notes = Notes::new().await;
    let model = Scripted::new([]);
    let transformed = Transformed::new(notes.clone(), Standalone::new(model.clone()))
        .with_history(conversation());
    let found = transformed.search(" ", &SearchOptions::top(1)).await.unwrap();
    assert!(!found.metadata().contains_key(QUERY_TRANSFORM));
    assert_eq!((notes.queries().len(), model.requests().len()), (1, 0));
}

#[tokio::test]
async fn search_has_one_retrieval_span_around_the_chat() {
    let notes = Notes::new().await;
    let log = LogCapture::start();
    let model = Scripted::new([text("tides in winter")]);
    let transformed =
        Transformed::new(notes, Arc::new(Standalone::new(model))).with_history(conversation());
    search(&transformed, "And in winter?").await;
    let spans = log.spans();
    let names: Vec<&str> = spans.iter().map(|span| span.name).collect();
    assert_eq!(names, ["retrieval", "chat"]);
    assert!(!format!("{spans:?}").contains("winter"));
    assert_eq!(json!(spans[0].fields["textsearch.result_count"]), json!("3"));
}
