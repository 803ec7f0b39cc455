//! A model of two layers with random weights, written to a folder as sentence-transformers would.

use std::{collections::BTreeMap, fs, num::NonZero, path::Path};

use half::{bf16, f16};
use safetensors::{Dtype, tensor::TensorView};
use serde_json::{Value, json};
use tempfile::TempDir;
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, Error, ErrorKind, LocalEmbeddings,
    LocalEmbeddingsConfig,
};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    hidden: usize,
    heads: usize,
    intermediate: usize,
    positions: usize,
}

const SMALL: Size = Size { hidden: HIDDEN, heads: 4, intermediate: 40, positions: 24 };
/// Realistic heads, and vectors that take several blocks.
pub(crate) const WIDE: Size = Size { hidden: 96, heads: 3, intermediate: 800, positions: 256 };

pub(crate) const HIDDEN: usize = 32;
const LAYERS: usize = 2;

/// The vocabulary: these tokens, then words from `w0`.
pub(crate) const MARKS: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
const WORDS: usize = 60;

pub(crate) type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

pub(crate) struct Tiny {
    pub(crate) folder: TempDir,
    pub(crate) tensors: Tensors,
}

impl Tiny {
    /// Mean pooling, normalised.
    pub(crate) fn bert() -> Self {
        Self::bert_of(SMALL)
    }

    pub(crate) fn bert_of(size: Size) -> Self {
        Self::new("bert", size, tensors(size, "encoder.layer", &BERT, true))
    }

    pub(crate) fn roberta() -> Self {
        let tensors = tensors(SMALL, "encoder.layer", &BERT, true);
        let prefixed =
            tensors.into_iter().map(|(name, tensor)| (format!("roberta.{name}"), tensor));
        let tiny = Self::new("roberta", SMALL, prefixed.collect());
        tiny.change("config.json", |config| config["pad_token_id"] = json!(1));
        tiny
    }

    pub(crate) fn distilbert() -> Self {
        let tensors = tensors(SMALL, "transformer.layer", &DISTILBERT, false);
        let tiny = Self::new("distilbert", SMALL, tensors);
        tiny.write(
            "config.json",
            &json!({
                "model_type": "distilbert", "dim": HIDDEN, "n_heads": SMALL.heads, "n_layers": LAYERS,
                "hidden_dim": SMALL.intermediate, "vocab_size": MARKS.len() + WORDS,
                "max_position_embeddings": SMALL.positions, "activation": "gelu",
            }),
        );
        tiny
    }

    /// Two query heads share a key and a value, and heads are larger than their share of the vector.
    pub(crate) fn qwen3() -> Self {
        let mut random = fastrand::Rng::with_seed(8);
        let mut tensors = Tensors::new();
        let mut add = |name: String, shape: &[usize]| {
            let middle = if shape.len() == 1 { 1.0 } else { 0.0 };
            let count = shape.iter().product();
            let values = (0..count).map(|_| middle + (random.f32() - 0.5) * 0.8).collect();
            tensors.insert(format!("{name}.weight"), (shape.to_vec(), values));
        };
        add("embed_tokens".to_owned(), &[MARKS.len() + WORDS, HIDDEN]);
        add("norm".to_owned(), &[HIDDEN]);
        for layer in 0..LAYERS {
            for (name, shape) in [
                ("input_layernorm", vec![HIDDEN]),
                ("self_attn.q_proj", vec![48, HIDDEN]),
                ("self_attn.k_proj", vec![24, HIDDEN]),
                ("self_attn.v_proj", vec![24, HIDDEN]),
                ("self_attn.q_norm", vec![12]),
                ("self_attn.k_norm", vec![12]),
                ("self_attn.o_proj", vec![HIDDEN, 48]),
                ("post_attention_layernorm", vec![HIDDEN]),
                ("mlp.gate_proj", vec![40, HIDDEN]),
                ("mlp.up_proj", vec![40, HIDDEN]),
                ("mlp.down_proj", vec![HIDDEN, 40]),
            ] {
                add(format!("layers.{layer}.{name}"), &shape);
            }
        }
        let tiny = Self::new("qwen3", SMALL, tensors);
        tiny.change("config.json", |config| {
            config["num_key_value_heads"] = json!(2);
            config["head_dim"] = json!(12);
            config["hidden_act"] = json!("silu");
        });
        tiny
    }

    /// A vector of two elements for each token: its id, and 1.
    pub(crate) fn model2vec() -> Self {
        let count = MARKS.len() + WORDS;
        let values = (0..count).flat_map(|id| [id as f32, 1.0]).collect();
        let tensors = [("embeddings".to_owned(), (vec![count, 2], values))];
        let tiny = Self::new("model2vec", SMALL, tensors.into_iter().collect());
        fs::remove_file(tiny.path().join("modules.json")).unwrap();
        tiny
    }

    /// A BERT that scores pairs.
    pub(crate) fn cross_encoder() -> Self {
        let mut tensors = tensors(SMALL, "encoder.layer", &BERT, true);
        let mut random = fastrand::Rng::with_seed(9);
        let mut values = |count: usize| (0..count).map(|_| random.f32() - 0.5).collect::<Vec<_>>();
        for (name, shape) in [
            ("pooler.dense.weight", vec![HIDDEN, HIDDEN]),
            ("pooler.dense.bias", vec![HIDDEN]),
            ("classifier.weight", vec![1, HIDDEN]),
            ("classifier.bias", vec![1]),
        ] {
            let values = values(shape.iter().product());
            tensors.insert(name.to_owned(), (shape, values));
        }
        let tiny = Self::new("bert", SMALL, tensors);
        fs::remove_file(tiny.path().join("modules.json")).unwrap();
        tiny
    }

    fn new(kind: &str, size: Size, tensors: Tensors) -> Self {
        let tiny = Self { folder: TempDir::new().unwrap(), tensors };
        tiny.write(
            "config.json",
            &json!({
                "model_type": kind, "hidden_size": size.hidden, "num_attention_heads": size.heads,
                "num_hidden_layers": LAYERS, "intermediate_size": size.intermediate,
                "vocab_size": MARKS.len() + WORDS, "max_position_embeddings": size.positions,
                "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu",
            }),
        );
        tiny.write("tokenizer.json", &tokenizer());
        tiny.write("modules.json", &modules(&["Transformer", "Pooling", "Normalize"]));
        tiny.write("1_Pooling/config.json", &json!({ "pooling_mode_mean_tokens": true }));
        tiny.write_weights(Dtype::F32);
        tiny
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, file: &str, value: &Value) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }

    pub(crate) fn change(&self, file: &str, change: impl FnOnce(&mut Value)) {
        let text = fs::read_to_string(self.path().join(file)).unwrap();
        let mut value = serde_json::from_str(&text).unwrap();
        change(&mut value);
        self.write(file, &value);
    }

    /// Adds a token that the model has no vector for.
    pub(crate) fn add_marker(&self, name: &str) {
        self.change("tokenizer.json", |tokenizer| {
            let marker = added_token(MARKS.len() + WORDS, name);
            tokenizer["added_tokens"].as_array_mut().unwrap().push(marker);
        });
    }

    pub(crate) fn write_weights(&self, dtype: Dtype) {
        self.write_weights_to("", &self.tensors, dtype);
    }

    pub(crate) fn write_weights_to(&self, folder: &str, tensors: &Tensors, dtype: Dtype) {
        let bytes = |value: f32| match dtype {
            Dtype::F16 => f16::from_f32(value).to_le_bytes().to_vec(),
            Dtype::BF16 => bf16::from_f32(value).to_le_bytes().to_vec(),
            Dtype::F64 => f64::from(value).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        let data: Vec<(&String, &Vec<usize>, Vec<u8>)> = tensors
            .iter()
            .map(|(name, (shape, values))| {
                (name, shape, values.iter().flat_map(|value| bytes(*value)).collect())
            })
            .collect();
        let views = data.iter().map(|(name, shape, data)| {
            (name, TensorView::new(dtype, (*shape).clone(), data).unwrap())
        });
        let file = safetensors::serialize(views, None).unwrap();
        fs::write(self.path().join(folder).join("model.safetensors"), file).unwrap();
    }

    pub(crate) fn config(&self) -> LocalEmbeddingsConfig {
        let mut config = LocalEmbeddingsConfig::new(self.path());
        config.threads = Some(NonZero::<usize>::MIN.saturating_add(1));
        config
    }

    pub(crate) fn load(&self) -> LocalEmbeddings {
        LocalEmbeddings::new(self.config()).unwrap()
    }

    /// Returns what is wrong with the file, from the error of loading embeddings.
    pub(crate) fn refused(&self, file: &str) -> String {
        let error = LocalEmbeddings::new(self.config()).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Embedding, "{error}");
        self.without_path(file, &error)
    }

    /// Sets the field, and returns what is wrong with the file.
    pub(crate) fn refused_with(&self, file: &str, field: &str, value: Value) -> String {
        self.change(file, |content| content[field] = value);
        self.refused(file)
    }

    /// Returns the error's message without the file that it is about.
    pub(crate) fn without_path(&self, file: &str, error: &Error) -> String {
        let start = format!("`{}`: ", self.path().join(file).display());
        let message = error.message();
        message.strip_prefix(&start).unwrap_or_else(|| panic!("{message}")).to_owned()
    }
}

pub(crate) async fn embed(model: &LocalEmbeddings, texts: &[&str]) -> Vec<Vec<f32>> {
    embed_for(model, texts, EmbeddingPurpose::Document).await
}

pub(crate) async fn embed_for(
    model: &LocalEmbeddings,
    texts: &[&str],
    purpose: EmbeddingPurpose,
) -> Vec<Vec<f32>> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let embeddings = model.generate(&texts, &EmbeddingSettings::new(purpose)).await.unwrap();
    embeddings.vectors.iter().map(|vector| vector.to_vec()).collect()
}

pub(crate) fn difference(first: &[f32], second: &[f32]) -> f32 {
    assert_eq!(first.len(), second.len());
    // `max` ignores NaN.
    assert!(first.iter().chain(second).all(|value| value.is_finite()), "not a number");
    first.iter().zip(second).map(|(first, second)| (first - second).abs()).fold(0.0, f32::max)
}

#[test]
#[should_panic(expected = "not a number")]
fn a_difference_needs_numbers() {
    difference(&[f32::NAN], &[1.0]);
}

pub(crate) fn modules(kinds: &[&str]) -> Value {
    let module = |(place, kind): (usize, &&str)| {
        let path = if place == 0 { String::new() } else { format!("{place}_{kind}") };
        json!({ "idx": place, "name": place.to_string(), "path": path,
                "type": format!("sentence_transformers.models.{kind}") })
    };
    kinds.iter().enumerate().map(module).collect()
}

pub(crate) fn tokenizer() -> Value {
    let words = (0..WORDS).map(|number| format!("w{number}"));
    let names = MARKS.iter().map(|mark| (*mark).to_owned()).chain(words);
    let vocabulary: serde_json::Map<String, Value> =
        names.enumerate().map(|(id, name)| (name, json!(id))).collect();
    let mark = |id: usize| added_token(id, MARKS[id]);
    let special = |id: usize| json!({ "id": MARKS[id], "ids": [id], "tokens": [MARKS[id]] });
    json!({
        "version": "1.0",
        // The crate ignores both.
        "truncation": { "max_length": 5, "strategy": "LongestFirst", "stride": 0, "direction": "Right" },
        "padding": { "strategy": { "Fixed": 9 }, "direction": "Right", "pad_to_multiple_of": null,
                     "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]" },
        "added_tokens": [mark(0), mark(1), mark(2), mark(3)],
        "normalizer": null,
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{ "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
                       { "Sequence": { "id": "A", "type_id": 0 } },
                       { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }],
            "pair": [{ "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
                     { "Sequence": { "id": "A", "type_id": 0 } },
                     { "SpecialToken": { "id": "[SEP]", "type_id": 0 } },
                     { "Sequence": { "id": "B", "type_id": 1 } },
                     { "SpecialToken": { "id": "[SEP]", "type_id": 1 } }],
            "special_tokens": { "[CLS]": special(2), "[SEP]": special(3) },
        },
        "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    })
}

fn added_token(id: usize, content: &str) -> Value {
    json!({ "id": id, "content": content, "special": true, "normalized": false,
            "single_word": false, "lstrip": false, "rstrip": false })
}

/// Query, key, value, output of the attention, its norm, the two matrices, the last norm.
const BERT: [&str; 8] = [
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
];
const DISTILBERT: [&str; 8] = [
    "attention.q_lin",
    "attention.k_lin",
    "attention.v_lin",
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
];

fn tensors(size: Size, layers: &str, parts: &[&str; 8], has_types: bool) -> Tensors {
    let Size { hidden, intermediate, positions, .. } = size;
    // Keeps the sums of a larger model's products equally large.
    let spread = 0.8 * (HIDDEN as f32 / hidden as f32).sqrt();
    let mut random = fastrand::Rng::with_seed(6);
    let mut tensors = Tensors::new();
    let mut add = |name: String, shape: &[usize], middle: f32| {
        let count = shape.iter().product();
        let values = (0..count).map(|_| middle + (random.f32() - 0.5) * spread).collect();
        tensors.insert(name, (shape.to_vec(), values));
    };
    let norm = |name: String, add: &mut dyn FnMut(String, &[usize], f32)| {
        add(format!("{name}.weight"), &[hidden], 1.0);
        add(format!("{name}.bias"), &[hidden], 0.0);
    };
    add("embeddings.word_embeddings.weight".into(), &[MARKS.len() + WORDS, hidden], 0.0);
    add("embeddings.position_embeddings.weight".into(), &[positions, hidden], 0.0);
    if has_types {
        add("embeddings.token_type_embeddings.weight".into(), &[2, hidden], 0.0);
    }
    norm("embeddings.LayerNorm".into(), &mut add);
    for layer in 0..LAYERS {
        for part in parts {
            let name = format!("{layers}.{layer}.{part}");
            if part.ends_with("orm") {
                norm(name, &mut add);
                continue;
            }
            let (from, to) = match *part {
                "intermediate.dense" | "ffn.lin1" => (hidden, intermediate),
                "output.dense" | "ffn.lin2" => (intermediate, hidden),
                _ => (hidden, hidden),
            };
            add(format!("{name}.weight"), &[to, from], 0.0);
            add(format!("{name}.bias"), &[to], 0.0);
        }
    }
    tensors
}
