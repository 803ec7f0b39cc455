//! A collection as a text search.

mod diversity;
mod explanation;
mod reranking;

use futures_util::TryStreamExt as _;
use textsearch_core::{
    ErrorKind, SearchOptions, TextSearch,
    vector::{Distance, Fusion, SearchMode, VectorStoreTextSearch},
};

use crate::shelf::Shelf;

async fn texts(search: &VectorStoreTextSearch, query: &str, options: SearchOptions) -> Vec<String> {
    search.search(query, &options).await.unwrap().try_collect().await.unwrap()
}

fn shelf() -> std::sync::Arc<Shelf> {
    Shelf::new(
        Distance::CosineSimilarity,
        &[
            ("a", "east", Some([1.0, 0.0])),
            ("b", "north north", Some([0.0, 1.0])),
            ("c", "north", Some([1.0, 1.0])),
        ],
    )
}

#[tokio::test]
async fn each_mode_is_the_search_of_its_name() {
    let shelf = shelf();
    let mut asked = Vec::new();
    for mode in [SearchMode::Vector, SearchMode::FullText, SearchMode::Hybrid] {
        let search = VectorStoreTextSearch::new(shelf.embedded()).with_mode(mode);
        texts(&search, "0 1", SearchOptions::top(2)).await;
        asked = shelf.asked();
    }
    let how: Vec<&str> = asked.iter().map(|(how, _)| *how).collect();
    assert_eq!(how, ["vector", "words", "hybrid"]);
}

#[tokio::test]
async fn fusion_threshold_and_field_reach_the_collection() {
    let shelf = shelf();
    let search = VectorStoreTextSearch::new(shelf.embedded())
        .with_mode(SearchMode::Hybrid)
        .with_fusion(Fusion::weighted_scores(0.25))
        .with_score_threshold(0.5)
        .with_vector_field("other");
    search.search("0 1", &SearchOptions::top(2)).await.unwrap();
    let (_, options) = shelf.asked().remove(0);
    assert_eq!(options.fusion, Fusion::weighted_scores(0.25));
    assert_eq!(options.score_threshold, Some(0.5));
    assert_eq!(options.vector_field.as_deref(), Some("other"));
    assert!(!options.include_vectors);
}

#[tokio::test]
async fn a_threshold_leaves_out_what_is_worse() {
    let search = VectorStoreTextSearch::new(shelf().embedded()).with_score_threshold(0.7);
    assert_eq!(texts(&search, "0 1", SearchOptions::top(5)).await, ["north north", "north"]);
}

#[tokio::test]
async fn invalid_numbers_are_refused_by_name() {
    let shelf = shelf();
    let search = || VectorStoreTextSearch::new(shelf.embedded());
    for (search, option) in [
        (search().with_diversity(1.5), "diversity"),
        (search().with_diversity(f64::NAN), "diversity"),
        (search().with_diversity(0.5).with_candidates(0), "candidates"),
        (search().with_diversity(0.5).with_vector_field("w"), "vector_field"),
    ] {
        let error = search.search("0 1", &SearchOptions::top(2)).await.unwrap_err();
        let ErrorKind::InvalidOptions { option: refused, .. } = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(refused, option);
    }
    assert!(shelf.asked().is_empty());
}
