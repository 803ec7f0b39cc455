use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::Deserialize;
use tempfile::TempDir;
use textsearch_embeddings_local::{LocalReranker, LocalRerankerConfig, Reranker};

/// Made by `xtask/integration/cross-encoders/record.py`.
#[derive(Deserialize)]
struct Recorded {
    pairs: Vec<(String, String)>,
    scores: BTreeMap<String, Vec<f64>>,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cross-encoders")
}

async fn largest_difference(
    model: &LocalReranker,
    pairs: &[(String, String)],
    scores: &[f64],
) -> f64 {
    let mut largest = 0.0_f64;
    for ((query, text), expected) in pairs.iter().zip(scores) {
        let score = model.rerank(query, std::slice::from_ref(text)).await.unwrap()[0];
        largest = largest.max((score - expected).abs());
    }
    largest
}

async fn check(kind: &str) {
    let recorded = std::fs::read(fixtures().join("scores.json")).unwrap();
    let recorded: Recorded = serde_json::from_slice(&recorded).unwrap();
    let scores = &recorded.scores[kind];
    assert_eq!((recorded.pairs.len(), scores.len()), (71, 71));
    let config = LocalRerankerConfig::new(fixtures().join(kind));
    let model = LocalReranker::new(config).unwrap();
    assert_eq!((model.name(), model.max_tokens()), (kind, 48));
    let largest = largest_difference(&model, &recorded.pairs, scores).await;
    assert!(largest < 1e-4, "{kind}: {largest}");
}

#[tokio::test]
async fn bert_scores_match_the_reference_implementation() {
    check("bert").await;
}

#[tokio::test]
async fn distilbert_scores_match_the_reference_implementation() {
    check("distilbert").await;
}

#[tokio::test]
async fn xlm_roberta_scores_match_the_reference_implementation() {
    check("xlm-roberta").await;
}

const LOGITS: &[u8] = include_bytes!("../../fixtures/minilm-pairs.f32");

/// All-MiniLM-L6-v2 with the head of `xtask/integration/minilm/record.py`.
fn minilm_with_a_head(from: &Path) -> TempDir {
    let bytes = std::fs::read(from.join("model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let head: Vec<f32> = (1..=384).map(|number| f64::from(number).sin() as f32).collect();
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let head: [(&str, Vec<usize>, Vec<u8>); 2] = [
        ("classifier.weight", vec![1, 384], floats(&head)),
        ("classifier.bias", vec![1], floats(&[0.25])),
    ];
    let head = head.iter().map(|(name, shape, data)| {
        (*name, TensorView::new(Dtype::F32, shape.clone(), data).unwrap())
    });
    let head = head.map(|(name, tensor)| (name.to_owned(), tensor));
    let weights = safetensors::serialize(file.tensors().into_iter().chain(head), None).unwrap();
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("model.safetensors"), weights).unwrap();
    for name in ["config.json", "tokenizer.json", "sentence_bert_config.json"] {
        std::fs::copy(from.join(name), folder.path().join(name)).unwrap();
    }
    folder
}

#[tokio::test]
#[ignore = "needs the model: cargo xtask integration model"]
async fn a_hundred_pairs_have_the_logits_of_the_reference_implementation() {
    let folder = minilm_with_a_head(&crate::reference::model_folder());
    let model = LocalReranker::new(LocalRerankerConfig::new(folder.path())).unwrap();
    let sentences = crate::reference::sentences();
    let texts = sentences.iter().skip(1).cloned().chain([sentences.join(" ")]);
    let pairs: Vec<_> = sentences.iter().cloned().zip(texts).collect();
    let (logits, _) = LOGITS.as_chunks::<4>();
    let logits: Vec<f64> = logits.iter().map(|bytes| f32::from_le_bytes(*bytes).into()).collect();
    assert_eq!((pairs.len(), logits.len(), model.max_tokens()), (100, 100, 256));
    let largest = largest_difference(&model, &pairs, &logits).await;
    println!("largest difference of a logit {largest:.1e}");
    assert!(largest < 1e-4, "{largest}");
}
