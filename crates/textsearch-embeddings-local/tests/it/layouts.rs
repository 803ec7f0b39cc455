//! Models that `xtask/integration/layouts/record.py` makes with random weights.

use std::path::Path;

use serde::Deserialize;
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, LocalEmbeddings,
    LocalEmbeddingsConfig, LocalReranker, LocalRerankerConfig, Reranker,
};

/// Set by `cargo xtask integration layouts`.
const FOLDER: &str = "TEXTSEARCH_LAYOUTS_FOLDER";

/// Vectors of sentence-transformers; or the scores of late interaction, a row for each query.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    documents: Option<Vec<Vec<f32>>>,
    queries: Option<Vec<Vec<f32>>>,
    scores: Option<Vec<Vec<f32>>>,
}

/// Returns the largest difference of two elements, relative to the largest element of the row.
fn difference(rows: &[&[f32]], expected: &[Vec<f32>]) -> f32 {
    assert_eq!(rows.len(), expected.len());
    let differences = rows.iter().zip(expected).map(|(row, expected)| {
        let largest = expected.iter().map(|value| value.abs()).fold(f32::MIN_POSITIVE, f32::max);
        crate::tiny::difference(row, expected) / largest
    });
    differences.fold(0.0, f32::max)
}

async fn difference_of_vectors(
    folder: &Path,
    texts: &[String],
    purpose: EmbeddingPurpose,
    expected: &[Vec<f32>],
) -> f32 {
    let model = LocalEmbeddings::new(LocalEmbeddingsConfig::new(folder)).unwrap();
    let settings = EmbeddingSettings::new(purpose);
    let vectors = model.generate(texts, &settings).await.unwrap().vectors;
    difference(&vectors.iter().map(|vector| &**vector).collect::<Vec<_>>(), expected)
}

async fn difference_of_scores(folder: &Path, texts: &[String], expected: &[Vec<f32>]) -> f32 {
    let model = LocalReranker::new(LocalRerankerConfig::new(folder)).unwrap();
    let mut rows = Vec::new();
    for query in texts {
        let scores = model.rerank(query, texts).await.unwrap();
        rows.push(scores.into_iter().map(|score| score as f32).collect::<Vec<_>>());
    }
    difference(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), expected)
}

async fn check(folder: &Path) {
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected: Expected = serde_json::from_slice(&expected).unwrap();
    let Expected { texts, documents, queries, scores } = expected;
    let mut differences = Vec::new();
    for (vectors, purpose) in
        [(documents, EmbeddingPurpose::Document), (queries, EmbeddingPurpose::Query)]
    {
        if let Some(vectors) = vectors {
            differences.push(difference_of_vectors(folder, &texts, purpose, &vectors).await);
        }
    }
    if let Some(scores) = scores {
        differences.push(difference_of_scores(folder, &texts, &scores).await);
    }
    let name = folder.file_name().unwrap().display();
    assert!(!differences.is_empty(), "{name}: nothing to compare");
    let largest = differences.into_iter().fold(0.0, f32::max);
    println!("{name}: largest relative difference {largest:.1e}");
    assert!(largest < 1e-4, "{name}: {largest}");
}

#[tokio::test]
#[ignore = "needs models: cargo xtask integration layouts"]
async fn each_layout_has_the_numbers_of_the_reference_implementation() {
    let folder = std::env::var_os(FOLDER)
        .unwrap_or_else(|| panic!("set {FOLDER}, or run `cargo xtask integration layouts`"));
    let mut folders: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort_unstable();
    assert!(!folders.is_empty());
    for folder in folders {
        check(&folder).await;
    }
}
