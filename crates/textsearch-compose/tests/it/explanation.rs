//! Explanations of wrappers.

use std::time::Duration;

use textsearch_compose::{
    CacheSettings, Cached, FanOut, FanOutSettings, Recent, Reranked, Sources,
};
use textsearch_core::{
    FixedSearch, Result, SearchOptions, TextSearch, TextSearchResult, async_trait,
    filter::DateTime, rerank::Reranker, results::ExplanationStep,
};

use crate::support::{pages, results};

/// Scores the last text highest.
struct Backwards;

#[async_trait]
impl Reranker for Backwards {
    fn name(&self) -> &str {
        "backwards"
    }

    async fn rerank(&self, _: &str, texts: &[String]) -> Result<Vec<f64>> {
        Ok((1_u32..).take(texts.len()).map(f64::from).collect())
    }
}

fn top(count: usize) -> SearchOptions {
    SearchOptions::top(count).with_explanation(true)
}

fn scored(text: &str, score: f64) -> TextSearchResult {
    let published = DateTime::parse("2024-12-22").unwrap();
    TextSearchResult::new(text).with_score(score).with_published(published)
}

#[tokio::test]
async fn a_reranker_says_what_it_moved() {
    let search = Reranked::new(FixedSearch::new([scored("a", 0.9), scored("b", 0.8)]), Backwards);
    let results = results(&search, &top(1)).await;
    let expected = ExplanationStep {
        detail: Some("backwards".to_owned()),
        rank_before: Some(2),
        rank: Some(1),
        score_before: Some(0.8),
        score: Some(2.0),
        ..ExplanationStep::new("reranking")
    };
    assert_eq!(results[0].explanation.steps(), [expected]);
}

#[tokio::test]
async fn recency_says_date_and_factor() {
    let search =
        Recent::new(FixedSearch::new([scored("a", 0.5)]), Duration::from_secs(10 * 24 * 3600));
    let search = search.with_now(DateTime::parse("2025-01-01").unwrap());
    let results = results(&search, &top(1)).await;
    let expected = ExplanationStep {
        detail: Some("2024-12-22T00:00:00Z".to_owned()),
        rank_before: Some(1),
        rank: Some(1),
        score_before: Some(0.5),
        score: Some(0.375),
        weight: Some(0.75),
        ..ExplanationStep::new("recency")
    };
    assert_eq!(results[0].explanation.steps(), [expected]);
}

#[tokio::test]
async fn each_source_of_a_fan_out_explains_its_rank() {
    let sources = Sources::new("one", Reranked::new(pages(&["a", "b"]), Backwards))
        .with_source("two", pages(&["c", "a"]));
    let search = FanOut::new(sources, FanOutSettings::default()).unwrap();
    let answer = search.text_search_results("q", &top(1)).await.unwrap().into_vec().await.unwrap();
    let steps = answer[0].explanation.steps();
    let named: Vec<_> = steps.iter().map(|step| (&*step.name, step.rank)).collect();
    let expected =
        [("reranking", Some(2)), ("source", Some(2)), ("source", Some(2)), ("fusion", Some(1))];
    assert_eq!(named, expected);
    let details: Vec<_> = steps.iter().filter_map(|step| step.detail.as_deref()).collect();
    assert_eq!(details, ["backwards", "one", "two", "reciprocal_rank"]);
    let parts: f64 = steps.iter().filter_map(|step| step.contribution).sum();
    assert_eq!(Some(parts), answer[0].score);
    let records = search.search_values("q", &top(1)).await.unwrap().into_vec().await.unwrap();
    assert_eq!(records[0]["Explanation"][3]["Name"], "fusion");
}

#[tokio::test]
async fn wrappers_explain_nothing_unasked() {
    let sources = Sources::new("one", Reranked::new(pages(&["a"]), Backwards));
    let search = FanOut::new(sources, FanOutSettings::default()).unwrap();
    let search = Recent::new(search, Duration::from_secs(1)).with_candidates(20);
    assert!(results(&search, &SearchOptions::top(1)).await[0].explanation.is_empty());
}

#[tokio::test]
async fn a_cache_keeps_explained_searches_apart() {
    let search = Reranked::new(pages(&["a"]), Backwards);
    let search = Cached::new(search, CacheSettings::default()).unwrap();
    for options in [SearchOptions::top(1), top(1), SearchOptions::top(1), top(1)] {
        let is_explained = !results(&search, &options).await[0].explanation.is_empty();
        assert_eq!(is_explained, options.include_explanation);
    }
}
