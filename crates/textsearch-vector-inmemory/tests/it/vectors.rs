//! Vector search.

use serde_json::json;
use textsearch_core::vector::{
    Distance, RecordDefinition, SearchInput, VectorField, VectorSearchOptions,
};
use textsearch_core::{ErrorKind, Filter, results::TotalCount};

use crate::support::{collection, definition, keys, option_of, point, points, record, scores};

fn query(vector: &[f32]) -> SearchInput {
    SearchInput::from(vector)
}

#[tokio::test]
async fn every_distance_ranks_and_scores_as_defined() {
    let vectors: [(&str, &[f32]); 4] = [
        ("a", &[3.0, 4.0, 0.0]),
        ("b", &[0.5, 0.0, 1.0]),
        ("c", &[3.0, 1.0, 2.0]),
        ("d", &[3.0, 4.0, 0.25]),
    ];
    for distance in Distance::ALL {
        let collection = points(distance, &vectors).await;
        let mut expected =
            vectors.map(|(id, vector)| (id.to_owned(), distance.score(&[3.0, 4.0, 0.25], vector)));
        expected.sort_by(|left, right| left.1.total_cmp(&right.1));
        if distance.is_higher_better() {
            expected.reverse();
        }
        let ranking = scores(
            collection.search(&query(&[3.0, 4.0, 0.25]), &VectorSearchOptions::top(9)).await,
        )
        .await;
        assert_eq!(ranking.len(), 4);
        for (scored, expected) in ranking.iter().zip(&expected) {
            assert_eq!(scored.0, expected.0, "{distance:?}");
            assert!(
                (scored.1 - expected.1).abs() < 1e-5,
                "{distance:?}: {scored:?} for {expected:?}"
            );
        }
    }
}

#[tokio::test]
async fn records_without_the_vector_are_not_found() {
    let definition = RecordDefinition::new("id")
        .with_vector(VectorField::new("embedding", 2))
        .with_vector(VectorField::new("other", 1).with_distance(Distance::Euclidean));
    let collection = collection(definition).await;
    let both = point("both", &[1.0, 0.0]).with_vector("other", vec![5.0]);
    let other = record("other", json!({})).with_vector("other", vec![1.0]);
    collection.upsert(vec![record("none", json!({})), both, other]).await.unwrap();
    assert_eq!(
        keys(collection.search(&query(&[0.0, 1.0]), &VectorSearchOptions::top(9)).await).await,
        ["both"]
    );
    let options = VectorSearchOptions::top(9).with_vector_field("other");
    let ranking = scores(collection.search(&query(&[2.0]), &options).await).await;
    assert_eq!(ranking, [("other".to_owned(), 1.0), ("both".to_owned(), 3.0)]);
}

#[tokio::test]
async fn equal_scores_sort_by_key() {
    let vector: &[f32] = &[1.0, 2.0];
    let collection =
        points(Distance::CosineSimilarity, &[("c", vector), ("a", vector), ("b", vector)]).await;
    for top in [1, 2, 3] {
        let ranked =
            keys(collection.search(&query(&[2.0, 1.0]), &VectorSearchOptions::top(top)).await)
                .await;
        assert_eq!(ranked, &["a", "b", "c"][..top]);
    }
}

#[tokio::test]
async fn threshold_is_inclusive() {
    let vectors: [(&str, &[f32]); 3] = [("one", &[1.0]), ("two", &[2.0]), ("three", &[3.0])];
    let higher = points(Distance::DotProduct, &vectors).await;
    let options = VectorSearchOptions::top(9).with_score_threshold(2.0).with_total_count(true);
    let results = higher.search(&query(&[1.0]), &options).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(2)));
    assert_eq!(keys(Ok(results)).await, ["three", "two"]);
    let lower = points(Distance::NegativeDotProduct, &vectors).await;
    let options = VectorSearchOptions::top(9).with_score_threshold(-2.0);
    assert_eq!(keys(lower.search(&query(&[1.0]), &options).await).await, ["three", "two"]);
    let error =
        lower.search(&query(&[1.0]), &options.with_score_threshold(f64::NAN)).await.unwrap_err();
    assert_eq!(option_of(&error), "score_threshold");
}

#[tokio::test]
async fn any_top_and_skip_work() {
    let collection = points(Distance::DotProduct, &[("a", &[1.0]), ("b", &[2.0])]).await;
    let search = |top, skip| {
        let options = VectorSearchOptions::top(top).with_skip(skip).with_total_count(true);
        let collection = &collection;
        async move {
            let results = collection.search(&query(&[1.0]), &options).await.unwrap();
            assert_eq!(results.total_count(), Some(TotalCount::Exact(2)));
            keys(Ok(results)).await
        }
    };
    assert!(search(0, 0).await.is_empty());
    assert_eq!(search(usize::MAX, 0).await, ["b", "a"]);
    assert_eq!(search(usize::MAX, 1).await, ["a"]);
    assert!(search(usize::MAX, usize::MAX).await.is_empty());
    assert!(search(1, 2).await.is_empty());
}

#[tokio::test]
async fn count_is_returned_only_on_request() {
    let collection = points(Distance::DotProduct, &[("a", &[1.0])]).await;
    let results = collection.search(&query(&[1.0]), &VectorSearchOptions::top(1)).await.unwrap();
    assert_eq!(results.total_count(), None);
}

#[tokio::test]
async fn filter_applies_before_ranking() {
    let collection = collection(definition()).await;
    let records = (0..50).map(|number| {
        record(&format!("{number:02}"), json!({ "year": number }))
            .with_vector("embedding", vec![number as f32, 0.0])
    });
    collection.upsert(records.collect()).await.unwrap();
    let options =
        VectorSearchOptions::top(2).with_filter(Filter::lt("year", 3)).with_total_count(true);
    let results = collection.search(&query(&[1.0, 0.0]), &options).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(3)));
    assert_eq!(keys(Ok(results)).await, ["02", "01"]);
    let unknown = options.with_filter(Filter::eq("body", "x"));
    let error = collection.search(&query(&[1.0, 0.0]), &unknown).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { field, .. } if field == "body"));
}

#[tokio::test]
async fn vectors_are_returned_unchanged_on_request() {
    let collection = points(Distance::CosineSimilarity, &[("a", &[3.0, 4.0])]).await;
    let options = VectorSearchOptions::top(1).with_vectors(true);
    let results =
        collection.search(&query(&[1.0, 0.0]), &options).await.unwrap().into_vec().await.unwrap();
    assert_eq!(results[0].record.vectors["embedding"].as_ref(), [3.0, 4.0]);
    let results =
        collection.search(&query(&[1.0, 0.0]), &VectorSearchOptions::top(1)).await.unwrap();
    assert!(results.into_vec().await.unwrap()[0].record.vectors.is_empty());
}

#[tokio::test]
async fn invalid_query_error_says_why() {
    let collection = points(Distance::CosineSimilarity, &[("a", &[3.0, 4.0])]).await;
    let options = VectorSearchOptions::top(1);
    for (vector, what) in [
        (vec![1.0], "a vector that has 1 dimensions: expected are 2"),
        (vec![1.0, f32::INFINITY], "a vector that holds inf at index 1"),
        (vec![0.0, 0.0], "a vector that is all zeros"),
    ] {
        let error = collection.search(&query(&vector), &options).await.unwrap_err();
        assert_eq!(option_of(&error), "vector");
        assert!(error.message().contains(what), "{error}");
    }
    let error =
        collection.search(&query(&[1.0]), &options.with_vector_field("none")).await.unwrap_err();
    assert_eq!(option_of(&error), "vector_field");
}

#[tokio::test]
async fn text_query_uses_full_text() {
    let collection = collection(definition()).await;
    collection.upsert(vec![record("a", json!({ "title": "apples" }))]).await.unwrap();
    let results =
        collection.search(&SearchInput::from("apple"), &VectorSearchOptions::default()).await;
    assert_eq!(keys(results).await, ["a"]);
    let bare = points(Distance::DotProduct, &[("a", &[1.0])]).await;
    let error = bare
        .search(&SearchInput::from("apple"), &VectorSearchOptions::default())
        .await
        .unwrap_err();
    assert_eq!(option_of(&error), "input");
    assert!(error.message().contains("without an embedding generator"), "{error}");
    assert!(error.message().contains("`VectorStoreExt::with_embedding_generator`"), "{error}");
}

#[cfg(not(feature = "hnsw"))]
#[test]
fn approximate_index_needs_a_feature() {
    use textsearch_core::vector::{IndexKind, VectorStore as _};
    let field = VectorField::new("embedding", 2).with_index(IndexKind::hnsw());
    let definition = RecordDefinition::new("id").with_vector(field);
    let store = textsearch_vector_inmemory::InMemoryVectorStore::new();
    let error = store.stored_collection("docs", definition).err().unwrap();
    assert_eq!(option_of(&error), "embedding.index");
    assert!(error.message().contains("the feature `hnsw`"), "{error}");
}

#[test]
fn too_many_dimensions_are_refused() {
    use textsearch_core::vector::VectorStore as _;
    let store = textsearch_vector_inmemory::InMemoryVectorStore::new();
    let docs = |dimensions| {
        let field = VectorField::new("embedding", dimensions);
        store.stored_collection("docs", RecordDefinition::new("id").with_vector(field))
    };
    docs(65_536).unwrap();
    for dimensions in [65_537, usize::MAX] {
        let error = docs(dimensions).err().unwrap();
        let expected = format!("`embedding.dimensions` is {dimensions}; expected from 1 to 65536");
        assert!(error.message().contains(&expected), "{error}");
    }
}
