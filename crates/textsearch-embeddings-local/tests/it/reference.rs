use std::path::PathBuf;

use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingSettings, LocalEmbeddings, LocalEmbeddingsConfig, Precision,
};

/// Set by `cargo xtask integration model`.
const MODEL_FOLDER: &str = "TEXTSEARCH_MODEL_FOLDER";

const SENTENCES: &str = include_str!("../fixtures/sentences.json");
const VECTORS: &[u8] = include_bytes!("../fixtures/minilm.f32");

pub(crate) fn model_folder() -> PathBuf {
    let folder = std::env::var_os(MODEL_FOLDER)
        .unwrap_or_else(|| panic!("set {MODEL_FOLDER}, or run `cargo xtask integration model`"));
    PathBuf::from(folder)
}

pub(crate) fn sentences() -> Vec<String> {
    serde_json::from_str(SENTENCES).unwrap()
}

pub(crate) fn minilm(precision: Precision) -> LocalEmbeddings {
    let config = LocalEmbeddingsConfig::new(model_folder()).with_precision(precision);
    LocalEmbeddings::new(config).unwrap()
}

fn recorded() -> Vec<Vec<f32>> {
    let (floats, rest) = VECTORS.as_chunks::<4>();
    assert!(rest.is_empty());
    let floats: Vec<f32> = floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    floats.chunks(384).map(<[f32]>::to_vec).collect()
}

#[tokio::test]
#[ignore = "needs the model: cargo xtask integration model"]
async fn a_hundred_sentences_have_the_vectors_of_the_reference_implementation() {
    let sentences = sentences();
    let recorded = recorded();
    assert_eq!((sentences.len(), recorded.len()), (100, 100));
    let embeddings =
        minilm(Precision::F32).generate(&sentences, &EmbeddingSettings::default()).await.unwrap();
    let mut worst = (f32::INFINITY, "", 0.0);
    for ((sentence, vector), expected) in sentences.iter().zip(&embeddings.vectors).zip(&recorded) {
        // Both are of length 1.
        let cosine: f32 = vector.iter().zip(expected).map(|(value, other)| value * other).sum();
        let differences = vector.iter().zip(expected).map(|(value, other)| (value - other).abs());
        let difference = differences.fold(0.0, f32::max);
        assert!(cosine > 0.9999, "cosine {cosine} for {sentence:?}");
        if cosine < worst.0 {
            worst = (cosine, sentence, difference);
        }
    }
    let (cosine, sentence, difference) = worst;
    let start: String = sentence.chars().take(40).collect();
    println!("lowest cosine {cosine:.7}, largest difference {difference:.1e}, at {start:?}");
}

#[tokio::test]
#[ignore = "needs the model: cargo xtask integration model"]
async fn int8_vectors_are_close_to_those_of_the_reference_implementation() {
    let sentences = sentences();
    let model = minilm(Precision::Int8);
    let embeddings = model.generate(&sentences, &EmbeddingSettings::default()).await.unwrap();
    let vectors = embeddings.vectors.iter().zip(recorded());
    // All are of length 1.
    let cosine =
        |vector: &[f32], other: Vec<f32>| vector.iter().zip(other).map(|(a, b)| a * b).sum();
    let cosines: Vec<f32> = vectors.map(|(vector, other)| cosine(vector, other)).collect();
    let lowest = cosines.iter().copied().min_by(f32::total_cmp).unwrap();
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    println!("8-bit weights: lowest cosine {lowest:.5}, mean {mean:.5}");
    assert!(lowest > 0.98 && mean > 0.995, "lowest {lowest}, mean {mean}");
}
