//! Models of one layer with random weights.

use serde_json::{Map, Value, json};

use crate::support::Workplace;

pub(crate) const HIDDEN: usize = 32;
const INTERMEDIATE: usize = 40;
const POSITIONS: usize = 24;
const TOKENS: [&str; 6] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "apple", "day"];

pub(crate) fn write_model(place: &Workplace, folder: &str, seed: u64) {
    let write =
        |file: &str, value: Value| place.write(&format!("{folder}/{file}"), value.to_string());
    write(
        "config.json",
        json!({
            "model_type": "bert", "hidden_size": HIDDEN, "num_attention_heads": 4, "num_hidden_layers": 1,
            "intermediate_size": INTERMEDIATE, "vocab_size": TOKENS.len(),
            "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
            "hidden_act": "gelu",
        }),
    );
    write("tokenizer.json", tokenizer());
    place.write(&format!("{folder}/model.safetensors"), weights(seed));
}

fn tokenizer() -> Value {
    let vocabulary: Map<String, Value> =
        TOKENS.iter().enumerate().map(|(id, token)| ((*token).to_owned(), json!(id))).collect();
    let special = |id: usize| json!({ "id": TOKENS[id], "ids": [id], "tokens": [TOKENS[id]] });
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{ "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
                       { "Sequence": { "id": "A", "type_id": 0 } },
                       { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }],
            "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } }],
            "special_tokens": { "[CLS]": special(2), "[SEP]": special(3) },
        },
        "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    })
}

/// Returns a `safetensors` file: length of the header, header, values.
fn weights(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut header = Map::new();
    let mut values = Vec::new();
    for (name, shape) in tensors() {
        let begin = values.len();
        for _ in 0..shape.iter().product::<usize>() {
            values.extend((random.f32() - 0.5).to_le_bytes());
        }
        let offsets = [begin, values.len()];
        header.insert(name, json!({ "dtype": "F32", "shape": shape, "data_offsets": offsets }));
    }
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &values].concat()
}

fn tensors() -> Vec<(String, Vec<usize>)> {
    let tables = [
        ("word_embeddings", TOKENS.len()),
        ("position_embeddings", POSITIONS),
        ("token_type_embeddings", 2),
    ];
    let matrices = [
        ("attention.self.query", HIDDEN, HIDDEN),
        ("attention.self.key", HIDDEN, HIDDEN),
        ("attention.self.value", HIDDEN, HIDDEN),
        ("attention.output.dense", HIDDEN, HIDDEN),
        ("intermediate.dense", INTERMEDIATE, HIDDEN),
        ("output.dense", HIDDEN, INTERMEDIATE),
    ];
    let norms = ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"];
    let mut tensors = Vec::new();
    for (table, rows) in tables {
        tensors.push((format!("embeddings.{table}.weight"), vec![rows, HIDDEN]));
    }
    for (matrix, to, from) in matrices {
        tensors.push((format!("encoder.layer.0.{matrix}.weight"), vec![to, from]));
        tensors.push((format!("encoder.layer.0.{matrix}.bias"), vec![to]));
    }
    for norm in norms {
        for part in ["weight", "bias"] {
            tensors.push((format!("{norm}.LayerNorm.{part}"), vec![HIDDEN]));
        }
    }
    tensors
}
