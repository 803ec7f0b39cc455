use safetensors::Dtype;
use textsearch_embeddings_local::{
    EmbeddingGenerator, LocalEmbeddings, LocalReranker, LocalRerankerConfig, Precision, Reranker,
};

use crate::tiny::{Tiny, WIDE, difference, embed};

const TEXTS: [&str; 4] = ["w3 w1 w4 w1 w5 w9", "", "w2 w6 nowhere w5", "w8 w1 w2 w8 w1 w8 w2 w8"];

fn int8(tiny: &Tiny) -> LocalEmbeddings {
    LocalEmbeddings::new(tiny.config().with_precision(Precision::Int8)).unwrap()
}

#[tokio::test]
async fn int8_vectors_are_close_to_those_of_floats() {
    for tiny in [Tiny::bert(), Tiny::bert_of(WIDE), Tiny::distilbert(), Tiny::qwen3()] {
        let exact = embed(&tiny.load(), &TEXTS).await;
        let close = embed(&int8(&tiny), &TEXTS).await;
        for (exact, close) in exact.iter().zip(&close) {
            // Both are of length 1.
            let cosine: f32 = exact.iter().zip(close.iter()).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.995 && cosine < 0.999_999, "{cosine}");
        }
    }
}

#[tokio::test]
async fn an_int8_vector_is_independent_of_other_texts() {
    let model = int8(&Tiny::bert_of(WIDE));
    let together = embed(&model, &TEXTS).await;
    for (text, vector) in TEXTS.iter().zip(&together) {
        assert_eq!(&embed(&model, &[text]).await[0], vector);
    }
}

#[tokio::test]
async fn reads_half_precision_weights() {
    let tiny = Tiny::bert();
    let exact = embed(&tiny.load(), &TEXTS[..1]).await;
    for (dtype, tolerance) in [(Dtype::F16, 2e-3), (Dtype::BF16, 2e-2)] {
        tiny.write_weights(dtype);
        let vectors = embed(&tiny.load(), &TEXTS[..1]).await;
        let difference = difference(&vectors[0], &exact[0]);
        assert!(difference > 0.0 && difference < tolerance, "{dtype:?}: {difference}");
    }
}

#[test]
fn precision_changes_fingerprint_and_name() {
    let tiny = Tiny::bert();
    let exact = tiny.load();
    let close = int8(&tiny);
    assert_ne!(close.fingerprint(), exact.fingerprint());
    let name = tiny.path().file_name().unwrap().to_str().unwrap();
    let id = format!("{name}-int8@{}", &close.fingerprint()[..8]);
    assert_eq!(close.model_id(), id);
}

#[test]
fn static_embeddings_have_the_same_name_in_each_precision() {
    let tiny = Tiny::model2vec();
    assert_eq!(int8(&tiny).model_id(), tiny.load().model_id());
    assert_eq!(int8(&tiny).fingerprint(), tiny.load().fingerprint());
}

#[tokio::test]
async fn int8_scores_are_close_to_those_of_floats() {
    let tiny = Tiny::cross_encoder();
    let config = LocalRerankerConfig::new(tiny.path());
    let exact = LocalReranker::new(config.clone()).unwrap();
    let close = LocalReranker::new(config.with_precision(Precision::Int8)).unwrap();
    let texts = TEXTS.map(str::to_owned);
    let exact = exact.rerank("w1 w7", &texts).await.unwrap();
    let close = close.rerank("w1 w7", &texts).await.unwrap();
    for (exact, close) in exact.iter().zip(&close) {
        assert!((exact - close).abs() < 0.1, "{close}, not {exact}");
    }
    assert_ne!(exact, close);
}
