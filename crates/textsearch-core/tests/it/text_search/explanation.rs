//! Explanations of results.

use textsearch_core::{
    SearchOptions, TextSearch, TextSearchConnector as _, TextSearchRecord, TextSearchResult,
    results::{Explanation, ExplanationStep},
    vector::{Distance, SearchMode, VectorSearchOptions, VectorStoreTextSearch},
};

use super::{reranking::ShortFirst, shelf};
use crate::shelf::Shelf;

async fn results(
    search: &impl TextSearch,
    query: &str,
    options: SearchOptions,
) -> Vec<TextSearchResult> {
    let options = options.with_explanation(true);
    search.text_search_results(query, &options).await.unwrap().into_vec().await.unwrap()
}

fn names(explanation: &Explanation) -> Vec<&str> {
    explanation.steps().iter().map(|step| &*step.name).collect()
}

#[tokio::test]
async fn every_store_explains_rank_and_score() {
    let shelf = shelf();
    let embedded = shelf.embedded();
    for (mode, query, name) in [
        (SearchMode::Vector, "0 1", "vector"),
        (SearchMode::FullText, "north", "full_text"),
        (SearchMode::Hybrid, "0 1", "fusion"),
    ] {
        let search = VectorStoreTextSearch::new(embedded.clone()).with_mode(mode);
        let results = results(&search, query, SearchOptions::top(1).with_skip(1)).await;
        let step = results[0].explanation.step(name).unwrap();
        assert_eq!((step.rank, step.score), (Some(2), results[0].score), "{name}");
    }
}

#[tokio::test]
async fn batches_explain_each_search() {
    let options = VectorSearchOptions::top(1).with_explanation(true);
    let inputs = [[0.0, 1.0].as_slice().into(), "1 0".into()];
    for results in shelf().embedded().search_batch(&inputs, &options).await.unwrap() {
        let results = results.into_vec().await.unwrap();
        assert_eq!(names(&results[0].explanation), ["vector"]);
    }
}

#[tokio::test]
async fn without_a_request_nothing_is_explained() {
    let search = VectorStoreTextSearch::new(shelf().embedded())
        .with_score_threshold(0.1)
        .with_diversity(0.5);
    let results = search.text_search_results("0 1", &SearchOptions::top(3)).await.unwrap();
    let results = results.into_vec().await.unwrap();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result.explanation.is_empty()));
}

#[tokio::test]
async fn each_step_says_what_it_changed() {
    let texts = ["fig fig fig fig", "fig fig fig", "fig fig", "fig and others", "fig"];
    let texts: Vec<_> = texts
        .iter()
        .zip(0_u8..)
        .map(|(text, n)| (*text, *text, Some([f32::from(n), 0.0])))
        .collect();
    let search = VectorStoreTextSearch::new(Shelf::new(Distance::Euclidean, &texts).embedded())
        .with_mode(SearchMode::FullText)
        .with_score_threshold(1.0)
        .with_reranker(ShortFirst::default())
        .with_diversity(0.9)
        .with_candidates(3);
    let results = results(&search, "fig", SearchOptions::top(1).with_skip(3)).await;
    let explanation = &results[0].explanation;
    assert_eq!(names(explanation), ["full_text", "threshold", "reranking", "diversity"]);
    let [words, threshold, reranking, diversity] = explanation.steps() else { unreachable!() };
    assert_eq!((words.rank, words.score), (Some(4), Some(1.0)));
    assert_eq!(threshold.score, Some(1.0));
    let model = ExplanationStep {
        detail: Some("short-first".to_owned()),
        rank_before: Some(4),
        rank: Some(4),
        score_before: Some(1.0),
        score: Some(-3.0),
        ..ExplanationStep::new("reranking")
    };
    assert_eq!(*reranking, model);
    assert_eq!((diversity.rank_before, diversity.rank), (Some(4), Some(4)));
}

#[tokio::test]
async fn mapped_results_and_records_keep_the_explanation() {
    let search = VectorStoreTextSearch::new(shelf().embedded())
        .with_result(|record| TextSearchResult::new(record.record.key.to_string()));
    let options = SearchOptions::top(1).with_explanation(true);
    let mapped = results(&search, "0 1", SearchOptions::top(1)).await;
    assert_eq!((mapped[0].value.as_str(), names(&mapped[0].explanation)), ("b", vec!["vector"]));
    let json = search.search_values("0 1", &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(json[0]["Explanation"][0]["Rank"], 1);
    let records = search.search_any("0 1", &options).await.unwrap().into_vec().await.unwrap();
    let record = records[0].clone().with_step(ExplanationStep::new("query"));
    assert_eq!(names(record.explanation()), ["vector", "query"]);
    assert_eq!(names(&record.to_result().explanation), ["vector", "query"]);
    let json = record.to_value().unwrap();
    assert_eq!(json["Explanation"][1]["Name"], "query");
    assert!(record.size().unwrap() > records[0].size().unwrap());
}
