//! Vector search.

use serde_json::json;
use textsearch_core::vector::{
    Distance, RecordDefinition, SearchInput, VectorField, VectorSearchOptions,
};

use crate::support::{collection, definition, keys, option_of, points, record};

fn query(vector: &[f32]) -> SearchInput {
    SearchInput::from(vector)
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
