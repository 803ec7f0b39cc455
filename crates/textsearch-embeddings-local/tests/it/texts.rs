use serde_json::json;
use textsearch_conformance::LogCapture;
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, LocalEmbeddings,
};

use crate::tiny::{Tiny, difference, embed, embed_for};

fn texts() -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(3);
    let text = |random: &mut fastrand::Rng| {
        let words = (0..random.usize(0..20)).map(|_| format!("w{}", random.usize(0..60)));
        words.collect::<Vec<_>>().join(" ")
    };
    (0..150).map(|_| text(&mut random)).collect()
}

#[tokio::test]
async fn vector_is_independent_of_other_texts() {
    let model = Tiny::bert().load();
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embed(&model, &texts).await;
    for (text, vector) in texts.iter().zip(&together) {
        let alone = embed(&model, &[text]).await;
        assert!(difference(&alone[0], vector) < 1e-6, "{text}");
    }
}

#[tokio::test]
async fn vectors_come_back_in_the_order_of_the_texts() {
    let model = Tiny::bert().load();
    let texts = ["w1", "w2 w3 w4 w5 w6", "w7 w8", "w1"];
    let vectors = embed(&model, &texts).await;
    let mut backwards: Vec<&str> = texts.to_vec();
    backwards.reverse();
    let mut reversed = embed(&model, &backwards).await;
    reversed.reverse();
    assert_eq!(vectors, reversed);
    assert_eq!(vectors[0], vectors[3]);
    assert_ne!(vectors[0], vectors[2]);
}

#[tokio::test]
async fn empty_text_has_the_vector_of_start_and_end_tokens() {
    let model = Tiny::bert().load();
    let vectors = embed(&model, &["", "  ", "w1"]).await;
    assert_eq!(vectors[0], vectors[1]);
    assert!(difference(&vectors[0], &vectors[2]) > 1e-3);
}

#[tokio::test]
async fn no_texts_give_no_vectors() {
    let model = Tiny::bert().load();
    assert!(embed(&model, &[]).await.is_empty());
}

#[tokio::test]
async fn token_count_includes_start_and_end_tokens() {
    let model = Tiny::bert().load();
    let texts = ["w1 w2".to_owned(), String::new()];
    let embeddings = model.generate(&texts, &EmbeddingSettings::default()).await.unwrap();
    assert_eq!(embeddings.tokens, Some(6));
}

#[tokio::test]
async fn counted_tokens_fit_into_one_embedding() {
    let tiny = Tiny::bert();
    tiny.write(
        "config_sentence_transformers.json",
        &json!({ "prompts": { "passage": "w20 w21 " } }),
    );
    let model = tiny.load();
    let max = model.max_document_tokens().unwrap();
    assert_eq!(max, model.max_tokens() - 4);
    let embed = |words| {
        let text = "w1 ".repeat(words);
        assert_eq!(model.count_tokens(&text), Some(words));
        let model = &model;
        async move { model.generate(&[text], &EmbeddingSettings::default()).await.unwrap().tokens }
    };
    assert_eq!(embed(max - 1).await, Some(model.max_tokens() as u64 - 1));
    // The model leaves the last one out.
    assert_eq!(embed(max + 1).await, Some(model.max_tokens() as u64));
}

#[tokio::test]
async fn queries_and_documents_get_the_models_own_prompts() {
    let tiny = Tiny::bert();
    let plain = tiny.load();
    let expected = embed(&plain, &["w10 w1", "w20 w1"]).await;
    tiny.write(
        "config_sentence_transformers.json",
        &json!({ "prompts": { "query": "w10 ", "passage": "w20 ", "document": null } }),
    );
    let model = tiny.load();
    assert_eq!(model.prefix(EmbeddingPurpose::Query), "w10 ");
    assert_eq!(embed_for(&model, &["w1"], EmbeddingPurpose::Query).await[0], expected[0]);
    assert_eq!(embed_for(&model, &["w1"], EmbeddingPurpose::Document).await[0], expected[1]);
}

#[tokio::test]
async fn default_prompt_applies_where_no_other_is_set() {
    let tiny = Tiny::bert();
    tiny.write(
        "config_sentence_transformers.json",
        &json!({ "prompts": { "query": "w10 ", "own": "w30 " }, "default_prompt_name": "own" }),
    );
    let model = tiny.load();
    assert_eq!(model.prefix(EmbeddingPurpose::Query), "w10 ");
    assert_eq!(model.prefix(EmbeddingPurpose::Document), "w30 ");
}

#[tokio::test]
async fn prefixes_of_the_application_replace_the_models_own() {
    let tiny = Tiny::bert();
    tiny.write("config_sentence_transformers.json", &json!({ "prompts": { "query": "w10 " } }));
    let config = tiny.config().with_query_prefix("").with_document_prefix("w40 ");
    let model = LocalEmbeddings::new(config).unwrap();
    assert_eq!(model.prefix(EmbeddingPurpose::Query), "");
    let documents = embed(&model, &["w1"]).await;
    let queries = embed_for(&model, &["w40 w1"], EmbeddingPurpose::Query).await;
    assert_eq!(documents, queries);
}

#[tokio::test]
async fn long_texts_are_truncated_with_a_warning() {
    let tiny = Tiny::bert();
    tiny.write("sentence_bert_config.json", &json!({ "max_seq_length": 6 }));
    let model = tiny.load();
    let log = LogCapture::start();
    let vectors = embed(&model, &["w1 w2 w3 w4 w5 w6 w7", "w1 w2 w3 w4", "w1 w2 w3 w4 w9"]).await;
    assert_eq!(vectors[0], vectors[1]);
    assert_eq!(vectors[2], vectors[1]);
    let log = log.text();
    assert!(log.contains("longer than the 6 tokens"), "{log}");
    assert!(log.contains("texts=2\ntokens=4"), "{log}");
}

#[tokio::test]
async fn ignores_padding_and_truncation_of_the_tokenizer_file() {
    let model = Tiny::bert().load();
    assert_eq!(model.max_tokens(), 24);
    let vectors = embed(&model, &["w1 w2 w3 w4 w5 w6 w7", "w1 w2 w3 w4"]).await;
    assert!(difference(&vectors[0], &vectors[1]) > 1e-3);
}

#[tokio::test]
async fn markers_without_a_vector_are_left_out() {
    let tiny = Tiny::bert();
    tiny.add_marker("<image>");
    let vectors = embed(&tiny.load(), &["w1 <image> w2", "w1 w2"]).await;
    assert_eq!(vectors[0], vectors[1]);
}

#[tokio::test]
async fn max_tokens_setting_truncates_earlier() {
    let tiny = Tiny::bert();
    let mut config = tiny.config();
    config.max_tokens = Some(4);
    let model = LocalEmbeddings::new(config).unwrap();
    let vectors = embed(&model, &["w1 w2 w3 w4 w5", "w1 w2"]).await;
    assert_eq!(vectors[0], vectors[1]);
}

#[tokio::test]
async fn lowercase_setting_lowercases_texts() {
    let tiny = Tiny::bert();
    tiny.write("sentence_bert_config.json", &json!({ "do_lower_case": true }));
    let vectors = embed(&tiny.load(), &["W1 W2", "w1 w2"]).await;
    assert_eq!(vectors[0], vectors[1]);
}

#[tokio::test]
async fn shortened_vectors_are_normalised_again() {
    let tiny = Tiny::bert();
    let whole_model = tiny.load();
    let whole = embed(&whole_model, &["w3 w1"]).await;
    tiny.write("config_sentence_transformers.json", &json!({ "truncate_dim": 8 }));
    let model = tiny.load();
    assert_eq!(model.dimensions(), Some(8));
    let length = whole[0][..8].iter().map(|value| value * value).sum::<f32>().sqrt();
    let expected: Vec<f32> = whole[0][..8].iter().map(|value| value / length).collect();
    assert!(difference(&embed(&model, &["w3 w1"]).await[0], &expected) < 1e-6);
    let mut settings = EmbeddingSettings::default();
    settings.dimensions = Some(8);
    let shortened = whole_model.generate(&["w3 w1".to_owned()], &settings).await.unwrap();
    assert!(difference(&shortened.vectors[0], &expected) < 1e-6);
}
