//! Models that `xtask/integration/layouts/record.py` makes with random weights.

use std::path::Path;

use serde::Deserialize;
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, LocalEmbeddings, LocalEmbeddingsConfig,
};

/// Set by `cargo xtask integration layouts`.
const FOLDER: &str = "TEXTSEARCH_LAYOUTS_FOLDER";

/// Vectors of sentence-transformers.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    documents: Vec<Vec<f32>>,
    queries: Option<Vec<Vec<f32>>>,
}

/// Returns the largest difference of two elements, relative to the largest element of the vector.
async fn difference(
    model: &LocalEmbeddings,
    texts: &[String],
    purpose: EmbeddingPurpose,
    expected: &[Vec<f32>],
) -> f32 {
    let settings = EmbeddingSettings::new(purpose);
    let embeddings = model.generate(texts, &settings).await.unwrap();
    assert_eq!(embeddings.vectors.len(), expected.len());
    let differences = embeddings.vectors.iter().zip(expected).map(|(vector, expected)| {
        assert_eq!(vector.len(), expected.len());
        let largest = expected.iter().map(|value| value.abs()).fold(f32::MIN_POSITIVE, f32::max);
        crate::tiny::difference(vector, expected) / largest
    });
    differences.fold(0.0, f32::max)
}

async fn check(folder: &Path) {
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected: Expected = serde_json::from_slice(&expected).unwrap();
    let model = LocalEmbeddings::new(LocalEmbeddingsConfig::new(folder)).unwrap();
    let purpose = EmbeddingPurpose::Document;
    let documents = difference(&model, &expected.texts, purpose, &expected.documents).await;
    let queries = match &expected.queries {
        None => 0.0,
        Some(vectors) => {
            difference(&model, &expected.texts, EmbeddingPurpose::Query, vectors).await
        }
    };
    let name = folder.file_name().unwrap().display();
    println!("{name}: largest relative difference {:.1e}", documents.max(queries));
    assert!(documents < 1e-4 && queries < 1e-4, "{name}: {documents} {queries}");
}

#[tokio::test]
#[ignore = "needs models: cargo xtask integration layouts"]
async fn each_layout_has_the_vectors_of_the_reference_implementation() {
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
