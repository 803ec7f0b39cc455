//! Rerankers.

use std::sync::{Arc, Mutex};

use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, TextSearch, async_trait,
    rerank::Reranker,
    vector::{Distance, SearchMode, VectorStoreTextSearch},
};

use super::texts;
use crate::shelf::Shelf;

/// Scores short texts highest.
#[derive(Default)]
pub(super) struct ShortFirst {
    pub(super) read: Mutex<Vec<Vec<String>>>,
}

#[async_trait]
impl Reranker for ShortFirst {
    fn name(&self) -> &str {
        "short-first"
    }

    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>> {
        assert_eq!(query, "fig");
        self.read.lock().unwrap().push(texts.to_vec());
        Ok(texts.iter().map(|text| -(text.len() as f64)).collect())
    }
}

struct Fixed(Result<Vec<f64>>);

#[async_trait]
impl Reranker for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }

    async fn rerank(&self, _: &str, _: &[String]) -> Result<Vec<f64>> {
        self.0.clone()
    }
}

/// Texts with a word five times to once; `abc`, the third, is the shortest.
fn figs() -> Arc<Shelf> {
    let texts: Vec<(String, String, Option<[f32; 2]>)> = (0..5_u8)
        .map(|number| {
            let filler = if number == 2 { "" } else { " and many other words beside it" };
            let text = format!("{}{filler}", "fig ".repeat(5 - usize::from(number)));
            (number.to_string(), text, Some([f32::from(number), 0.0]))
        })
        .collect();
    let texts: Vec<_> =
        texts.iter().map(|(id, text, v)| (id.as_str(), text.as_str(), *v)).collect();
    Shelf::new(Distance::Euclidean, &texts)
}

fn by_words(shelf: &Arc<Shelf>) -> VectorStoreTextSearch {
    VectorStoreTextSearch::new(shelf.embedded()).with_mode(SearchMode::FullText)
}

async fn ranked(search: &VectorStoreTextSearch, options: SearchOptions) -> Vec<(String, f64)> {
    let results = search.text_search_results("fig", &options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    results.into_iter().map(|result| (result.id.unwrap(), result.score.unwrap())).collect()
}

async fn keys(search: &VectorStoreTextSearch, options: SearchOptions) -> Vec<String> {
    ranked(search, options).await.into_iter().map(|(key, _)| key).collect()
}

#[tokio::test]
async fn the_order_and_the_scores_are_the_rerankers() {
    let reranker = Arc::new(ShortFirst::default());
    let search = by_words(&figs()).with_reranker(reranker.clone());
    let results = ranked(&search, SearchOptions::top(2)).await;
    assert_eq!(results, [("2".to_owned(), -12.0), ("4".to_owned(), -35.0)]);
    assert_eq!(reranker.read.lock().unwrap()[0].len(), 5, "more are read than are returned");
}

#[tokio::test]
async fn equal_scores_keep_the_order_of_the_search() {
    let search = by_words(&figs()).with_reranker(Fixed(Ok(vec![1.0; 5])));
    assert_eq!(keys(&search, SearchOptions::top(5)).await, ["0", "1", "2", "3", "4"]);
    let zeros = Arc::new(Fixed(Ok(vec![-0.0, 0.0, -0.0, 0.0, -0.0])));
    let search = by_words(&figs()).with_reranker(zeros);
    assert_eq!(keys(&search, SearchOptions::top(5)).await, ["0", "1", "2", "3", "4"]);
}

#[tokio::test]
async fn an_unreadable_record_is_an_error_after_its_candidates() {
    let texts = ["fig fig fig fig long", "fig fig fig unreadable", "fig fig", "fig"];
    let texts: Vec<_> = texts.iter().map(|text| (*text, *text, Some([1.0, 0.0]))).collect();
    let search = by_words(&Shelf::new(Distance::Euclidean, &texts)).with_candidates(3);
    let reranked = search.clone().with_reranker(ShortFirst::default());
    for (search, expected) in [
        (reranked, ["fig fig", "fig fig fig fig long", "", "fig"]),
        (search.with_diversity(0.5), ["fig fig fig fig long", "fig fig", "", "fig"]),
    ] {
        let mut results = search.search("fig", &SearchOptions::top(5)).await.unwrap();
        let mut read = Vec::new();
        while let Some(text) = results.next().await {
            read.push(text.unwrap_or_default());
        }
        assert_eq!(read, expected);
        // A search that stops before the error has none.
        assert_eq!(super::texts(&search, "fig", SearchOptions::top(2)).await, expected[..2]);
    }
}

#[tokio::test]
async fn candidates_behind_the_first_are_read_when_the_results_are() {
    let reranker = Arc::new(ShortFirst::default());
    let search = by_words(&figs()).with_reranker(reranker.clone()).with_candidates(2);
    let mut results = search.search("fig", &SearchOptions::top(5)).await.unwrap();
    let read = || reranker.read.lock().unwrap().len();
    assert_eq!(read(), 1);
    for (number, blocks) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
        results.next().await.unwrap().unwrap();
        assert_eq!(read(), blocks, "after {number} results");
    }
    assert!(results.next().await.is_none());
    assert_eq!(keys(&search, SearchOptions::top(5)).await, ["1", "0", "2", "3", "4"]);
}

#[tokio::test]
async fn pages_share_one_ranking() {
    let reranker = Arc::new(ShortFirst::default());
    let search = by_words(&figs()).with_reranker(reranker.clone()).with_candidates(2);
    assert_eq!(keys(&search, SearchOptions::top(2).with_skip(3)).await, ["3", "4"]);
    assert_eq!(reranker.read.lock().unwrap().len(), 2, "what is skipped whole is not read");
    assert_eq!(keys(&search, SearchOptions::top(9).with_skip(4)).await, ["4"]);
}

#[tokio::test]
async fn the_threshold_applies_before_reranking() {
    let reranker = Arc::new(ShortFirst::default());
    let search = by_words(&figs()).with_score_threshold(4.0).with_reranker(reranker.clone());
    assert_eq!(keys(&search, SearchOptions::top(5)).await, ["1", "0"]);
    assert_eq!(reranker.read.lock().unwrap()[0].len(), 2);
}

#[tokio::test]
async fn diversity_takes_its_relevance_from_the_reranker() {
    let shelf = figs();
    let search = by_words(&shelf).with_reranker(Fixed(Ok(vec![0.0, 1.0, 2.0, 3.0, 4.0])));
    assert_eq!(keys(&search, SearchOptions::top(5)).await, ["4", "3", "2", "1", "0"]);
    // 4 is the most relevant, 0 the least similar to it, and so on.
    let diverse = search.with_diversity(0.1);
    assert_eq!(keys(&diverse, SearchOptions::top(3)).await, ["4", "0", "2"]);
}

#[tokio::test]
async fn a_failing_reranker_is_named_with_its_error() {
    let failure = Error::new(ErrorKind::RateLimited, "elsewhere", "slow down");
    let search = by_words(&figs()).with_reranker(Fixed(Err(failure)));
    let error = search.search("fig", &SearchOptions::top(2)).await.unwrap_err();
    assert_eq!(error.to_string(), "shelf: the reranker `fixed` failed: slow down");
    assert!(error.is_retryable());
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "elsewhere: slow down");
}

#[tokio::test]
async fn a_failure_behind_the_first_candidates_ends_the_results() {
    let search = by_words(&figs()).with_reranker(Fixed(Ok(vec![1.0, 2.0]))).with_candidates(2);
    let mut results = search.search("fig", &SearchOptions::top(5)).await.unwrap();
    for _ in 0..4 {
        results.next().await.unwrap().unwrap();
    }
    let error = results.next().await.unwrap().unwrap_err();
    assert_eq!(error.message(), "the reranker `fixed` returned 2 scores for 1 texts");
    assert!(results.next().await.is_none());
}

#[tokio::test]
async fn scores_that_have_no_order_are_an_error() {
    for score in [f64::NAN, f64::INFINITY] {
        let search = by_words(&figs()).with_reranker(Fixed(Ok(vec![score; 5])));
        let error = search.search("fig", &SearchOptions::top(2)).await.unwrap_err();
        assert!(error.message().starts_with("the reranker `fixed` returned the score"), "{error}");
    }
}

#[tokio::test]
async fn empty_results_are_not_reranked() {
    let reranker = Arc::new(ShortFirst::default());
    let search = by_words(&figs()).with_reranker(reranker.clone());
    assert!(texts(&search, "date", SearchOptions::top(2)).await.is_empty());
    assert!(texts(&search, "fig", SearchOptions::top(0)).await.is_empty());
    assert!(reranker.read.lock().unwrap().is_empty());
}

#[test]
fn debug_of_a_search_shows_only_names() {
    let search = by_words(&figs()).with_reranker(ShortFirst::default());
    let printed = format!("{search:?}");
    assert!(printed.contains(r#"reranker: Some("short-first")"#), "{printed}");
    assert!(!printed.contains("many other words"), "{printed}");
}
