use std::fs;

use safetensors::Dtype;
use serde_json::{Value, json};
use textsearch_conformance::LogCapture;
use textsearch_embeddings_local::Reranker;

use super::{load, refused, score};
use crate::tiny::{HIDDEN, Tensors, Tiny, modules};

const SETTINGS: &str = "config_sentence_transformers.json";

/// In the format of PyLate.
fn tiny(settings: &Value) -> Tiny {
    let tiny = Tiny::bert();
    tiny.write("modules.json", &modules(&["Transformer", "Dense"]));
    tiny.write(SETTINGS, settings);
    tiny.write(
        "1_Dense/config.json",
        &json!({
            "in_features": HIDDEN, "out_features": 8, "bias": false,
            "activation_function": "torch.nn.modules.linear.Identity",
        }),
    );
    let matrix = (0..8 * HIDDEN).map(|place| (place as f32).sin()).collect();
    let tensors = [("linear.weight".to_owned(), (vec![8, HIDDEN], matrix))];
    tiny.write_weights_to("1_Dense", &Tensors::from(tensors), Dtype::F32);
    tiny
}

fn plain() -> Tiny {
    tiny(&json!({ "do_query_expansion": false }))
}

#[tokio::test]
async fn each_token_of_an_equal_text_matches_itself() {
    let scores = score(&load(&plain()), "w1 w2", &["w3", "w1 w2", ""]).await;
    assert!((scores[1] - 4.0).abs() < 1e-5, "{scores:?}");
    assert!(scores[0] < 3.999 && scores[2] < 3.999, "{scores:?}");
}

#[tokio::test]
async fn scores_are_independent_of_other_texts() {
    let model = load(&plain());
    let texts = ["w1", "w2 w3 w4 w5 w6", "w7 w8", "w1"];
    let scores = score(&model, "w9", &texts).await;
    for (text, expected) in texts.iter().zip(&scores) {
        assert_eq!(score(&model, "w9", &[text]).await, [*expected], "{text}");
    }
}

#[tokio::test]
async fn skipped_words_of_documents_match_nothing() {
    let skipping =
        tiny(&json!({ "do_query_expansion": false, "skiplist_words": ["w2", "beyond"] }));
    let scores = score(&load(&skipping), "w1 w2", &["w1 w2"]).await;
    assert!(scores[0] < 3.999, "{scores:?}");
}

#[tokio::test]
async fn prefixes_are_part_of_queries_and_documents() {
    let prefixed = tiny(
        &json!({ "do_query_expansion": false, "query_prefix": "w1 ", "document_prefix": "w1 " }),
    );
    let scores = score(&load(&prefixed), "w2", &["w2"]).await;
    assert!((scores[0] - 4.0).abs() < 1e-5, "{scores:?}");
}

#[tokio::test]
async fn long_documents_are_truncated_with_a_warning() {
    let short = tiny(&json!({ "do_query_expansion": false, "document_length": 5 }));
    let model = load(&short);
    assert_eq!(model.max_tokens(), 5);
    let log = LogCapture::start();
    let scores = score(&model, "w1", &["w2 w3 w4 w5 w6", "w2 w3 w4"]).await;
    assert_eq!(scores[0], scores[1]);
    assert!(log.text().contains("longer than the 5 tokens"), "{}", log.text());
}

#[test]
fn a_tokenizer_without_a_mask_is_refused() {
    assert_eq!(
        refused(&tiny(&json!({})), "tokenizer.json"),
        "has no token `[MASK]` or `<mask>` to fill up short queries"
    );
}

#[test]
fn metadata_of_colberts_authors_marks_a_late_interaction_model() {
    let mut tiny = Tiny::bert();
    fs::remove_file(tiny.path().join("modules.json")).unwrap();
    tiny.write("artifact.metadata", &json!({ "query_maxlen": 16 }));
    let message = refused(&tiny, "model.safetensors");
    assert_eq!(message, "the tensor `linear.weight` is missing");
    tiny.tensors.insert("linear.weight".to_owned(), (vec![0, HIDDEN], Vec::new()));
    tiny.write_weights(Dtype::F32);
    let message = refused(&tiny, "model.safetensors");
    assert_eq!(message, "the tensor `linear.weight` has no rows");
    tiny.write("artifact.metadata", &json!({ "query_maxlen": "long" }));
    let message = refused(&tiny, "artifact.metadata");
    assert!(message.starts_with("`query_maxlen` has an unexpected form"), "{message}");
}

#[test]
fn unknown_strategies_are_refused_with_supported_ones() {
    let tiny = plain();
    tiny.write("modules.json", &modules(&["Transformer", "Dense", "MultiVectorMask", "Normalize"]));
    let file = "sentence_bert_config.json";
    tiny.write(file, &json!({ "query_expansion": { "strategy": "max", "length": 8 } }));
    assert_eq!(
        refused(&tiny, file),
        "`query_expansion.strategy` is `max`: supported are `fixed`, `min`"
    );
}

fn without_marks(tiny: Tiny) -> Tiny {
    tiny.change("tokenizer.json", |tokenizer| tokenizer["post_processor"] = Value::Null);
    tiny
}

#[tokio::test]
async fn a_text_without_tokens_has_a_score_of_zero() {
    let model = load(&without_marks(plain()));
    let scores = score(&model, "w1", &["", "w1"]).await;
    assert_eq!(scores[0], 0.0);
    assert!((scores[1] - 1.0).abs() < 1e-5, "{scores:?}");
}

#[tokio::test]
async fn an_empty_query_is_filled_up() {
    let tiny = without_marks(plain());
    tiny.write("modules.json", &modules(&["Transformer", "Dense", "MultiVectorMask", "Normalize"]));
    let expansion = json!({ "strategy": "fixed", "length": 4, "token": "w5" });
    tiny.write("sentence_bert_config.json", &json!({ "query_expansion": expansion }));
    let score = score(&load(&tiny), "", &["w1"]).await[0];
    assert!(score != 0.0 && score.abs() <= 4.0, "{score}");
}

#[tokio::test]
async fn overflowing_queries_are_refused() {
    let mut tiny = plain();
    tiny.tensors.get_mut("embeddings.LayerNorm.weight").unwrap().1.fill(f32::MAX);
    tiny.write_weights(Dtype::F32);
    let texts = ["w2".to_owned()];
    let error = load(&tiny).rerank("w1", &texts).await.unwrap_err();
    let message = error.message();
    assert!(message.starts_with("the vector of the query is beyond 32-bit floats"), "{message}");
}

#[tokio::test]
async fn short_queries_are_filled_up() {
    let tiny = plain();
    tiny.write("modules.json", &modules(&["Transformer", "Dense", "MultiVectorMask", "Normalize"]));
    for attend in [false, true] {
        let expansion = json!({ "strategy": "min", "length": 7, "token": "w5", "attend": attend });
        tiny.write("sentence_bert_config.json", &json!({ "query_expansion": expansion }));
        let model = load(&tiny);
        let filled = score(&model, "w1", &["w1"]).await[0];
        // Three tokens match themselves.
        assert!((filled - 3.0).abs() > 1e-3 && filled < 7.0, "{filled}");
        // Longer queries stay whole.
        let long = score(&model, "w1 w2 w3 w4 w6 w7", &["w1 w2 w3 w4 w6 w7"]).await[0];
        assert!((long - 8.0).abs() < 1e-5, "{long}");
    }
}
