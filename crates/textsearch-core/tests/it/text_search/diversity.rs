//! Maximal marginal relevance.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::TryStreamExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textsearch_core::{
    ErrorKind, SearchOptions, TextSearch, TextSearchConnector as _,
    results::TotalCount,
    schemars,
    vector::{
        Collection, DataField, Distance, RecordDefinition, SearchMode, VectorField, VectorRecord,
        VectorStoreTextSearch,
    },
};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt as _};

use super::{reranking::ShortFirst, texts};
use crate::{shelf::Shelf, spans::keep_another_subscriber};

/// Three similar texts and three others; nearest to `1 0` first.
fn repetitive() -> std::sync::Arc<Shelf> {
    Shelf::new(
        Distance::CosineSimilarity,
        &[
            ("1", "one", Some([1.0, 0.0])),
            ("2", "one again", Some([1.0, 0.01])),
            ("3", "one once more", Some([1.0, 0.02])),
            ("4", "two", Some([0.8, -0.6])),
            ("5", "three", Some([0.8, 0.6])),
            ("6", "far away", Some([0.1, 1.0])),
            ("7", "a text without a vector", None),
        ],
    )
}

fn diverse(shelf: &std::sync::Arc<Shelf>) -> VectorStoreTextSearch {
    VectorStoreTextSearch::new(shelf.embedded()).with_diversity(0.3)
}

const RANKING: [&str; 6] = ["one", "far away", "two", "three", "one once more", "one again"];

#[tokio::test]
async fn new_texts_rank_above_repetitive_ones() {
    let search = diverse(&repetitive());
    assert_eq!(texts(&search, "1 0", SearchOptions::top(9)).await, RANKING);
    let relevant = search.with_diversity(1.0);
    let by_relevance = ["one", "one again", "one once more", "two", "three", "far away"];
    assert_eq!(texts(&relevant, "1 0", SearchOptions::top(9)).await, by_relevance);
}

#[tokio::test]
async fn every_page_is_cut_out_of_one_ranking() {
    for candidates in [1, 2, 3, 5, 50] {
        let shelf = repetitive();
        let search = diverse(&shelf).with_candidates(candidates);
        let whole = texts(&search, "1 0", SearchOptions::top(9)).await;
        for (skip, top) in [(0, 1), (0, 3), (1, 2), (2, 3), (4, 9), (6, 1)] {
            let page = texts(&search, "1 0", SearchOptions::top(top).with_skip(skip)).await;
            let expected: Vec<&String> = whole.iter().skip(skip).take(top).collect();
            assert_eq!(page.iter().collect::<Vec<_>>(), expected, "{candidates}: {skip} {top}");
        }
    }
}

#[tokio::test]
async fn candidates_are_fetched_with_their_vectors_and_returned_without() {
    let shelf = repetitive();
    let search = diverse(&shelf).with_candidates(4);
    let options = SearchOptions::top(2).with_skip(5);
    search.records("1 0", &options).await.unwrap();
    let (_, asked) = shelf.asked().remove(0);
    assert_eq!((asked.skip, asked.top, asked.include_vectors), (4, 4, true));
    let records = search.records("1 0", &SearchOptions::top(5)).await.unwrap();
    let records = records.into_vec().await.unwrap();
    assert!(records.iter().all(|result| result.record.vectors.is_empty()));
    assert!(records.iter().all(|result| result.record.data.contains_key("text")));
}

#[tokio::test]
async fn scores_and_the_total_count_are_those_of_the_search() {
    let search = diverse(&repetitive());
    let options = SearchOptions::top(2).with_total_count(true);
    let results = search.text_search_results("1 0", &options).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(6)));
    let scores: Vec<f64> =
        results.map_ok(|result| result.score.unwrap()).try_collect().await.unwrap();
    assert_eq!(scores[0], 1.0);
    assert!((scores[1] - 0.0995).abs() < 1e-4, "{scores:?}");
}

#[tokio::test]
async fn full_text_results_are_compared_by_vector() {
    let shelf = Shelf::new(
        Distance::Euclidean,
        &[
            ("1", "fig fig fig", Some([0.0, 0.0])),
            ("2", "fig fig", Some([0.0, 0.0])),
            ("3", "a fig", Some([9.0, 0.0])),
            ("4", "one fig", None),
        ],
    );
    let search = diverse(&shelf).with_mode(SearchMode::FullText);
    let expected = ["fig fig fig", "a fig", "fig fig", "one fig"];
    assert_eq!(texts(&search, "fig", SearchOptions::top(5)).await, expected);
}

#[tokio::test]
async fn empty_windows_and_results_need_no_diversity() {
    let shelf = repetitive();
    assert!(texts(&diverse(&shelf), "1 0", SearchOptions::top(0)).await.is_empty());
    let words = diverse(&shelf).with_mode(SearchMode::FullText);
    assert!(texts(&words, "nowhere", SearchOptions::top(3)).await.is_empty());
}

#[derive(Clone, Default)]
struct Warnings(std::sync::Arc<AtomicUsize>);

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test]
async fn a_warning_says_that_no_candidate_can_be_compared() {
    keep_another_subscriber();
    let warnings = Warnings::default();
    let subscriber = tracing_subscriber::registry().with(warnings.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let shelf = Shelf::new(
        Distance::Euclidean,
        &[("1", "fig fig", None), ("2", "fig", None), ("3", "date", Some([1.0, 0.0]))],
    );
    let search = diverse(&shelf).with_mode(SearchMode::FullText);
    assert_eq!(texts(&search, "date", SearchOptions::top(5)).await, ["date"]);
    assert_eq!(warnings.0.load(Ordering::Relaxed), 0);
    assert_eq!(texts(&search, "fig", SearchOptions::top(5)).await, ["fig fig", "fig"]);
    assert_eq!(warnings.0.load(Ordering::Relaxed), 1);
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Forgetful {
    id: String,
    text: String,
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "it is read from a record, and lost")]
    v: Option<Vec<f32>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Complete {
    id: String,
    text: String,
    #[serde(default)]
    v: Option<Vec<f32>>,
}

fn by_hand() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::string("text").full_text())
        .with_vector(VectorField::new("v", 2))
        .with_value_field("text")
}

impl VectorRecord for Forgetful {
    fn definition() -> RecordDefinition {
        by_hand()
    }
}

impl VectorRecord for Complete {
    fn definition() -> RecordDefinition {
        by_hand()
    }
}

fn typed<R: VectorRecord>(shelf: &std::sync::Arc<Shelf>) -> VectorStoreTextSearch<R> {
    let collection = Collection::<R>::new(std::sync::Arc::clone(shelf));
    VectorStoreTextSearch::new(collection).with_diversity(0.3).with_mode(SearchMode::FullText)
}

#[tokio::test]
async fn a_type_that_loses_its_vectors_is_refused_by_name() {
    let search = typed::<Forgetful>(&repetitive());
    let error = search.records("one", &SearchOptions::top(3)).await.unwrap_err();
    let ErrorKind::InvalidOptions { option, .. } = error.kind() else { panic!("{error:?}") };
    assert_eq!(option, "diversity");
    let expected =
        "diversity::Forgetful`, which loses its vector `v`; expected a type that is derived";
    assert!(error.message().contains(expected), "{error}");
}

#[tokio::test]
async fn diversity_refuses_before_the_reranker_runs() {
    let figs = Shelf::new(Distance::Euclidean, &[("1", "fig", Some([1.0, 0.0]))]);
    let reranker = std::sync::Arc::new(ShortFirst::default());
    let search = typed::<Forgetful>(&figs).with_reranker(reranker.clone());
    let error = search.records("fig", &SearchOptions::top(3)).await.unwrap_err();
    assert!(error.message().contains("loses its vector"), "{error}");
    assert!(reranker.read.lock().unwrap().is_empty());
}

#[tokio::test]
async fn types_with_vectors_accept_records_without() {
    keep_another_subscriber();
    let warnings = Warnings::default();
    let subscriber = tracing_subscriber::registry().with(warnings.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let none = Shelf::new(Distance::Euclidean, &[("1", "fig fig", None), ("2", "fig", None)]);
    let results = typed::<Complete>(&none).records("fig", &SearchOptions::top(5)).await;
    assert_eq!(results.unwrap().into_vec().await.unwrap().len(), 2);
    assert_eq!(warnings.0.load(Ordering::Relaxed), 1);
    let search = typed::<Complete>(&repetitive());
    let results = search.records("one", &SearchOptions::top(3)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap().len(), 3);
}
