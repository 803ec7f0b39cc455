use safetensors::Dtype;
use serde_json::json;
use textsearch_embeddings_local::{EmbeddingGenerator, EmbeddingSettings};

use crate::{
    plain::Plain,
    tiny::{BERT, DISTILBERT, MARKS, Tiny, WIDE, WORDS, difference, embed, modules},
};

const TEXT: &str = "w3 w1 w4 w1 w5 w9 w2 w6 nowhere w5";
/// With start and end tokens, and `[UNK]` for an unknown word.
const IDS: [usize; 12] = [2, 7, 5, 8, 5, 9, 13, 6, 10, 1, 9, 3];

fn mean(rows: &[Vec<f64>]) -> Vec<f32> {
    let hidden = 0..rows[0].len();
    let sums: Vec<f64> = hidden.map(|at| rows.iter().map(|row| row[at]).sum()).collect();
    let length = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
    sums.iter().map(|sum| (sum / length) as f32).collect()
}

#[tokio::test]
async fn bert_matches_the_definition() {
    let tiny = Tiny::bert();
    let expected = mean(&Plain::bert(&tiny).encode(&IDS));
    let vectors = embed(&tiny.load(), &[TEXT]).await;
    assert!(difference(&vectors[0], &expected) < 2e-6, "{vectors:?}\n{expected:?}");
}

/// Lengths on both sides of the block sizes: panels, blocks of rows, depths.
#[tokio::test]
async fn texts_of_all_lengths_match_the_definition() {
    let tiny = Tiny::bert_of(WIDE);
    let plain = Plain::bert(&tiny);
    let mut random = fastrand::Rng::with_seed(7);
    let texts = [68, 0, 30, 31, 9, 14, 46, 98].map(|count| {
        let words = (0..count).map(|_| random.usize(0..WORDS));
        words.collect::<Vec<_>>()
    });
    let as_text = |words: &Vec<usize>| {
        words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")
    };
    let written = texts.each_ref().map(as_text);
    let vectors = embed(&tiny.load(), &written.each_ref().map(String::as_str)).await;
    for (words, vector) in texts.iter().zip(&vectors) {
        let words = words.iter().map(|word| word + MARKS.len());
        let ids: Vec<usize> = [2].into_iter().chain(words).chain([3]).collect();
        let expected = mean(&plain.encode(&ids));
        let squares = vector.iter().zip(&expected).map(|(value, other)| (value - other).powi(2));
        // Both are of length 1.
        let relative = squares.sum::<f32>().sqrt();
        assert!(relative < 1e-5, "{} tokens: {relative}", ids.len());
    }
}

#[tokio::test]
async fn roberta_positions_start_after_the_padding() {
    let tiny = Tiny::roberta();
    let plain = Plain { prefix: "roberta.", first_position: 2, parts: BERT, ..Plain::bert(&tiny) };
    let vectors = embed(&tiny.load(), &[TEXT]).await;
    assert!(difference(&vectors[0], &mean(&plain.encode(&IDS))) < 2e-6);
}

#[tokio::test]
async fn a_distilbert_has_other_names_and_no_types() {
    let tiny = Tiny::distilbert();
    let plain = Plain { layers: "transformer.layer", parts: DISTILBERT, ..Plain::bert(&tiny) };
    let vectors = embed(&tiny.load(), &[TEXT]).await;
    assert!(difference(&vectors[0], &mean(&plain.encode(&IDS))) < 2e-6);
}

#[tokio::test]
async fn reads_half_precision_weights() {
    let tiny = Tiny::bert();
    let exact = embed(&tiny.load(), &[TEXT]).await;
    for (dtype, tolerance) in [(Dtype::F16, 2e-3), (Dtype::BF16, 2e-2)] {
        tiny.write_weights(dtype);
        let vectors = embed(&tiny.load(), &[TEXT]).await;
        let difference = difference(&vectors[0], &exact[0]);
        assert!(difference > 0.0 && difference < tolerance, "{dtype:?}: {difference}");
    }
}

#[tokio::test]
async fn cls_pooling_takes_the_first_token() {
    let tiny = Tiny::bert();
    tiny.write("1_Pooling/config.json", &json!({ "pooling_mode": "cls" }));
    tiny.write("modules.json", &modules(&["Transformer", "Pooling"]));
    let rows = Plain::bert(&tiny).encode(&IDS);
    let first: Vec<f32> = rows[0].iter().map(|value| *value as f32).collect();
    let vectors = embed(&tiny.load(), &[TEXT]).await;
    assert!(difference(&vectors[0], &first) < 2e-5, "{vectors:?}\n{first:?}");
}

#[tokio::test]
async fn shortened_vectors_are_normalised_again() {
    let tiny = Tiny::bert();
    let whole_model = tiny.load();
    let whole = embed(&whole_model, &[TEXT]).await;
    tiny.write("config_sentence_transformers.json", &json!({ "truncate_dim": 8 }));
    let model = tiny.load();
    assert_eq!(model.dimensions(), Some(8));
    let length = whole[0][..8].iter().map(|value| value * value).sum::<f32>().sqrt();
    let expected: Vec<f32> = whole[0][..8].iter().map(|value| value / length).collect();
    assert!(difference(&embed(&model, &[TEXT]).await[0], &expected) < 1e-6);
    let mut settings = EmbeddingSettings::default();
    settings.dimensions = Some(8);
    let shortened = whole_model.generate(&[TEXT.to_owned()], &settings).await.unwrap();
    assert!(difference(&shortened.vectors[0], &expected) < 1e-6);
}
