use serde_json::json;
use textsearch_conformance::LogCapture;
use textsearch_embeddings_local::LocalReranker;

use super::{config, load, score};
use crate::tiny::Tiny;

#[tokio::test]
async fn scores_have_the_order_of_the_texts() {
    let model = load(&Tiny::cross_encoder());
    let texts = ["w1", "w2 w3 w4 w5 w6", "w7 w8", "w1"];
    let scores = score(&model, "w9", &texts).await;
    for (text, expected) in texts.iter().zip(&scores) {
        assert_eq!(score(&model, "w9", &[text]).await, [*expected], "{text}");
    }
    assert_eq!(scores[0], scores[3]);
    assert!((scores[0] - scores[1]).abs() > 1e-3 && (scores[1] - scores[2]).abs() > 1e-3);
}

#[tokio::test]
async fn query_and_text_play_different_parts() {
    let model = load(&Tiny::cross_encoder());
    let scores = [score(&model, "w1", &["w2 w3"]).await, score(&model, "w2 w3", &["w1"]).await];
    assert!((scores[0][0] - scores[1][0]).abs() > 1e-3, "{scores:?}");
}

#[tokio::test]
async fn empty_queries_and_texts_have_scores() {
    let model = load(&Tiny::cross_encoder());
    for query in ["", "w1"] {
        let scores = score(&model, query, &["", " ", "w2"]).await;
        assert_eq!(scores[0], scores[1]);
        assert!((scores[0] - scores[2]).abs() > 1e-4, "{scores:?}");
    }
}

#[tokio::test]
async fn no_texts_give_no_scores() {
    assert!(score(&load(&Tiny::cross_encoder()), "w1", &[]).await.is_empty());
}

/// Three of the tokens are the start and end tokens.
#[tokio::test]
async fn long_pairs_are_truncated_with_a_warning() {
    let tiny = Tiny::cross_encoder();
    tiny.write("sentence_bert_config.json", &json!({ "max_seq_length": 9 }));
    let model = load(&tiny);
    let log = LogCapture::start();
    let long = score(&model, "w1 w2", &["w3 w4 w5 w6 w7 w8", "w3 w4 w5 w6"]).await;
    assert_eq!(long[0], long[1]);
    let text = log.text();
    assert!(text.contains("longer than the 9 tokens"), "{text}");
    assert!(text.contains("texts=1\ntokens=2"), "{text}");
}

#[tokio::test]
async fn a_long_query_keeps_half_of_the_tokens() {
    let tiny = Tiny::cross_encoder();
    let mut config = config(&tiny);
    config.max_tokens = Some(9);
    let model = LocalReranker::new(config).unwrap();
    let query = "w1 ".repeat(100);
    let long = score(&model, &query, &["w3 w4 w5 w6 w7 w8", "w3 w4"]).await;
    assert_eq!(long[..1], score(&model, "w1 w1 w1", &["w3 w4 w5"]).await);
    assert_eq!(long[1..], score(&model, "w1 w1 w1 w1", &["w3 w4"]).await);
}

#[tokio::test]
async fn markers_without_a_vector_are_left_out() {
    let tiny = Tiny::cross_encoder();
    tiny.add_marker("<image>");
    let model = load(&tiny);
    let expected = score(&model, "w1", &["w2 w3"]).await;
    assert_eq!(score(&model, "w1 <image>", &["w2 <image> w3"]).await, expected);
}

#[tokio::test]
async fn lowercase_setting_lowercases_both() {
    let tiny = Tiny::cross_encoder();
    tiny.write("sentence_bert_config.json", &json!({ "do_lower_case": true }));
    let model = load(&tiny);
    assert_eq!(score(&model, "W1", &["W2"]).await, score(&model, "w1", &["w2"]).await);
}

#[tokio::test]
async fn a_named_sigmoid_is_applied() {
    let tiny = Tiny::cross_encoder();
    let logit = score(&load(&tiny), "w1", &["w2"]).await[0];
    let sigmoid = 1.0 / (1.0 + (-logit).exp());
    let name = "torch.nn.modules.activation.Sigmoid";
    let identity = "torch.nn.modules.linear.Identity";
    tiny.change("config.json", |config| {
        config["sbert_ce_default_activation_function"] = json!(name);
    });
    assert_eq!(score(&load(&tiny), "w1", &["w2"]).await, [sigmoid]);
    tiny.change("config.json", |config| {
        config["sentence_transformers"] = json!({ "activation_fn": identity, "version": "4.0.1" });
    });
    assert_eq!(score(&load(&tiny), "w1", &["w2"]).await, [logit], "the newer place counts");
    let settings = json!({ "activation_fn": name, "prompts": {}, "default_prompt_name": null });
    tiny.write("config_sentence_transformers.json", &settings);
    assert_eq!(score(&load(&tiny), "w1", &["w2"]).await, [sigmoid], "the newest place counts");
}

#[tokio::test]
async fn a_list_of_one_transformer_is_read() {
    let tiny = Tiny::cross_encoder();
    let plain = score(&load(&tiny), "w1", &["w2"]).await;
    tiny.write("modules.json", &crate::tiny::modules(&["Transformer"]));
    assert_eq!(score(&load(&tiny), "w1", &["w2"]).await, plain);
}

#[test]
fn debug_text_has_name_and_limits() {
    let tiny = Tiny::cross_encoder();
    let mut config = config(&tiny);
    config.model_id = Some("tiny".to_owned());
    let expected = r#"LocalReranker { model_id: "tiny", max_tokens: 24, threads: 2 }"#;
    assert_eq!(format!("{:?}", LocalReranker::new(config).unwrap()), expected);
}
