//! `Reranked`: order, windows, failures.

use std::sync::{Arc, Mutex};

use futures_util::stream;
use textsearch_compose::Reranked;
use textsearch_core::{
    Error, ErrorKind, FixedSearch, Result, SearchOptions, SearchResults, TextSearchConnector as _,
    TextSearchResult, async_trait, rerank::Reranker, results::TotalCount,
};

use crate::support::{Source, failure, results, texts};

/// Scores by the number in the text, modulo ten. Keeps the batches.
#[derive(Clone, Default)]
struct Digits(Arc<Mutex<Vec<Vec<String>>>>);

#[async_trait]
impl Reranker for Digits {
    fn name(&self) -> &str {
        "digits"
    }

    async fn rerank(&self, _: &str, texts: &[String]) -> Result<Vec<f64>> {
        self.0.lock().unwrap().push(texts.to_vec());
        Ok(texts.iter().map(|text| text.parse::<f64>().unwrap() % 10.0).collect())
    }
}

/// Returns these scores, whatever the texts.
struct Scores(Vec<f64>);

#[async_trait]
impl Reranker for Scores {
    fn name(&self) -> &str {
        "scores"
    }

    async fn rerank(&self, _: &str, _: &[String]) -> Result<Vec<f64>> {
        Ok(self.0.clone())
    }
}

fn numbers(count: usize) -> FixedSearch {
    let number = |number: usize| TextSearchResult::new(number.to_string()).with_score(99.0);
    FixedSearch::new((0..count).map(number).collect::<Vec<_>>())
}

#[tokio::test]
async fn the_best_results_come_first_with_the_new_scores() {
    let results =
        results(&Reranked::new(numbers(3), Digits::default()), &SearchOptions::top(2)).await;
    let results: Vec<_> =
        results.iter().map(|result| (result.value.as_str(), result.score)).collect();
    assert_eq!(results, [("2", Some(2.0)), ("1", Some(1.0))]);
}

#[tokio::test]
async fn ties_keep_their_order() {
    let search = Reranked::new(numbers(3), Scores(vec![0.0, -0.0, 0.0]));
    assert_eq!(texts(&search, &SearchOptions::top(3)).await, ["0", "1", "2"]);
}

#[tokio::test]
async fn every_window_is_a_slice_of_one_ranking() {
    let search = Reranked::new(numbers(25), Digits::default()).with_candidates(7);
    let whole = texts(&search, &SearchOptions::top(30)).await;
    assert_eq!(whole.len(), 25);
    assert_eq!(whole[..7], ["6", "5", "4", "3", "2", "1", "0"]);
    for skip in 0..27 {
        for top in 0..9 {
            let window = texts(&search, &SearchOptions::top(top).with_skip(skip)).await;
            let expected: Vec<_> = whole.iter().skip(skip).take(top).cloned().collect();
            assert_eq!(window, expected, "skip = {skip}, top = {top}");
        }
    }
}

#[tokio::test]
async fn a_block_is_scored_when_it_is_read() {
    let reranker = Digits::default();
    let search = Reranked::new(numbers(25), reranker.clone()).with_candidates(10);
    let mut answer = search.records("q", &SearchOptions::top(15)).await.unwrap();
    assert_eq!(reranker.0.lock().unwrap().len(), 1);
    for _ in 0..11 {
        answer.next().await.unwrap().unwrap();
    }
    let sizes: Vec<_> = reranker.0.lock().unwrap().iter().map(Vec::len).collect();
    assert_eq!(sizes, [10, 10]);
}

#[tokio::test]
async fn count_and_names_are_those_of_the_search_inside() {
    let search = Reranked::new(numbers(3), Digits::default());
    let answer = search.records("q", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Exact(3)));
    assert_eq!(search.name(), "fixed");
}

#[tokio::test]
async fn a_wrong_answer_of_the_reranker_is_an_error() {
    for (scores, message) in [
        (vec![1.0], "the reranker `scores` returned 1 scores for 2 texts"),
        (
            vec![1.0, f64::NAN],
            "the reranker `scores` returned the score NaN, which has no place in an order",
        ),
    ] {
        let search = Reranked::new(numbers(2), Scores(scores));
        let error = failure(&search, &SearchOptions::top(1)).await;
        assert_eq!((error.kind(), error.message()), (&ErrorKind::Undecodable, message));
    }
}

#[tokio::test]
async fn an_unreadable_result_comes_after_its_block() {
    let source = Source::ready("source", |_| {
        let error = Error::new(ErrorKind::Undecodable, "source", "no record");
        let items = [Ok(TextSearchResult::new("1")), Err(error), Ok(TextSearchResult::new("2"))];
        Ok(SearchResults::from_stream(stream::iter(items)))
    });
    let search = Reranked::new(source, Digits::default());
    let mut answer = search.records("q", &SearchOptions::top(5)).await.unwrap();
    let mut read = Vec::new();
    while let Some(item) = answer.next().await {
        read.push(item.is_ok());
    }
    assert_eq!(read, [true, true, false]);
}

#[tokio::test]
async fn no_candidates_are_refused() {
    let search = Reranked::new(numbers(2), Digits::default()).with_candidates(0);
    let error = failure(&search, &SearchOptions::top(1)).await;
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "candidates")
    );
}

#[tokio::test]
async fn an_empty_search_asks_no_reranker() {
    let reranker = Digits::default();
    let search = Reranked::new(numbers(0), reranker.clone());
    assert!(texts(&search, &SearchOptions::top(5)).await.is_empty());
    assert!(reranker.0.lock().unwrap().is_empty());
}
