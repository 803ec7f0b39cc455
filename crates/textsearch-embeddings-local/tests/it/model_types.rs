//! Models of other types than BERT. `layouts.rs` compares their vectors with the reference.

use safetensors::Dtype;
use serde_json::{Value, json};
use textsearch_embeddings_local::{EmbeddingGenerator, EmbeddingSettings};

use crate::tiny::{HIDDEN, Tensors, Tiny, difference, embed, modules};

fn refused_setting(field: &str, value: Value) -> String {
    Tiny::qwen3().refused_with("config.json", field, value)
}

#[tokio::test]
async fn later_tokens_do_not_change_earlier_ones_in_a_causal_model() {
    let tiny = Tiny::qwen3();
    for (pooling, is_changed) in [("cls", false), ("lasttoken", true)] {
        tiny.write("1_Pooling/config.json", &json!({ "pooling_mode": pooling }));
        let vectors = embed(&tiny.load(), &["w1 w2", "w1 w2 w3"]).await;
        assert_eq!(difference(&vectors[0], &vectors[1]) > 1e-3, is_changed, "{pooling}");
    }
}

#[tokio::test]
async fn a_window_hides_tokens_before_it() {
    let tiny = Tiny::qwen3();
    tiny.change("config.json", |config| {
        config["layer_types"] = json!(["sliding_attention", "sliding_attention"]);
        config["sliding_window"] = json!(2);
    });
    tiny.write("1_Pooling/config.json", &json!({ "pooling_mode": "lasttoken" }));
    // Each of two layers sees one token further back, and the last token is an end token.
    let vectors = embed(&tiny.load(), &["w1 w2 w3 w4", "w9 w2 w3 w4", "w1 w2 w9 w4"]).await;
    assert!(difference(&vectors[0], &vectors[1]) < 1e-6);
    assert!(difference(&vectors[0], &vectors[2]) > 1e-3);
}

#[test]
fn kind_of_position_tables_is_ignored_without_one() {
    let tiny = Tiny::qwen3();
    tiny.change("config.json", |config| config["position_embedding_type"] = json!("sans_pos"));
    tiny.load();
}

#[test]
fn missing_settings_are_named() {
    assert_eq!(refused_setting("vocab_size", Value::Null), "`vocab_size` is missing");
    assert_eq!(
        refused_setting("layer_types", json!(["full_attention", "sliding_attention"])),
        "`sliding_window` is missing"
    );
    assert_eq!(
        refused_setting("use_sliding_window", json!(true)),
        "`layer_types` is missing, where `use_sliding_window` is set"
    );
}

#[test]
fn unsupported_settings_are_refused_with_supported_values() {
    assert_eq!(
        refused_setting("rope_scaling", json!({ "rope_type": "yarn", "factor": 4.0 })),
        "`rope_type` is `yarn`: supported is `default`"
    );
    assert_eq!(
        refused_setting("num_key_value_heads", json!(3)),
        "`num_attention_heads` is 4 and `num_key_value_heads` 3: the first has to be a multiple of the second"
    );
    assert_eq!(
        refused_setting("layer_types", json!(["full_attention"])),
        "`layer_types` has 1 entries, where `num_hidden_layers` is 2"
    );
    assert_eq!(
        refused_setting("layer_types", json!(["full_attention", "chunked_attention"])),
        "`layer_types` has `chunked_attention`: supported are `full_attention`, `sliding_attention`"
    );
    assert_eq!(
        refused_setting("attn_logit_softcapping", json!(50.0)),
        "`attn_logit_softcapping` is 50.0: supported are false and null"
    );
    assert_eq!(
        refused_setting("rope_parameters", json!({ "partial_rotary_factor": 0.5 })),
        "`partial_rotary_factor` is 0.5: supported are 1 and null"
    );
    assert_eq!(
        refused_setting("head_dim", json!(5)),
        "heads have 5 elements, where rotary positions need pairs"
    );
}

#[test]
fn neutral_settings_are_accepted() {
    let tiny = Tiny::qwen3();
    tiny.change("config.json", |config| {
        config["rotary_emb_fraction"] = json!(1.0);
        config["partial_rotary_factor"] = json!(1);
        config["prenorm"] = json!(false);
    });
    tiny.load();
}

#[test]
fn sizes_of_zero_and_huge_sizes_are_refused() {
    for field in [
        "head_dim",
        "hidden_size",
        "num_attention_heads",
        "num_hidden_layers",
        "num_key_value_heads",
        "vocab_size",
    ] {
        let message = refused_setting(field, json!(0));
        assert_eq!(message, format!("`{field}` is 0: supported are 1 to 16777216"));
    }
    let message = refused_setting("head_dim", json!(1_u64 << 60));
    assert_eq!(message, "`head_dim` is 1152921504606846976: supported are 1 to 16777216");
    let message = refused_setting("head_dim", json!(1 << 24));
    assert_eq!(message, "heads have 16777216 elements: supported are at most 4096");
}

fn with_dense(config: &Value) -> Tiny {
    let tiny = Tiny::bert();
    tiny.write("modules.json", &modules(&["Transformer", "Pooling", "Dense"]));
    tiny.write("2_Dense/config.json", config);
    write_dense(&tiny, [0.5, 0.0]);
    tiny
}

fn write_dense(tiny: &Tiny, bias: [f32; 2]) {
    // The first two elements, swapped.
    let mut matrix = vec![0.0; 2 * HIDDEN];
    (matrix[1], matrix[HIDDEN]) = (1.0, 1.0);
    let tensors = [
        ("linear.weight".to_owned(), (vec![2, HIDDEN], matrix)),
        ("linear.bias".to_owned(), (vec![2], bias.to_vec())),
    ];
    tiny.write_weights_to("2_Dense", &Tensors::from(tensors), Dtype::F32);
}

#[test]
fn weights_of_dense_modules_change_the_fingerprint() {
    let tiny = with_dense(&json!({ "in_features": HIDDEN, "out_features": 2 }));
    let first = tiny.load();
    assert_eq!(tiny.load().fingerprint(), first.fingerprint());
    write_dense(&tiny, [0.5, 0.1]);
    let second = tiny.load();
    assert_ne!(second.fingerprint(), first.fingerprint());
    assert_ne!(second.model_id(), first.model_id());
}

#[tokio::test]
async fn dense_module_multiplies_pooled_vectors() {
    let plain = Tiny::bert();
    plain.write("modules.json", &modules(&["Transformer", "Pooling"]));
    let pooled = &embed(&plain.load(), &["w1 w2"]).await[0];
    let sums = [pooled[1] + 0.5, pooled[0]];
    for (activation, expected) in [("Identity", sums), ("activation.Tanh", sums.map(f32::tanh))] {
        let tiny = with_dense(&json!({
            "in_features": HIDDEN, "out_features": 2, "activation_function": activation,
        }));
        let vectors = embed(&tiny.load(), &["w1 w2"]).await;
        assert!(difference(&vectors[0], &expected) < 1e-6, "{vectors:?}");
    }
}

#[test]
fn unsupported_dense_modules_are_named() {
    let config = |field: &str, value: Value| {
        let mut config = json!({ "in_features": HIDDEN, "out_features": 2 });
        config[field] = value;
        with_dense(&config).refused("2_Dense/config.json")
    };
    assert_eq!(
        config("in_features", json!(5)),
        "`in_features` is 5, where the vectors have 32 elements"
    );
    assert_eq!(
        config("out_features", json!(0)),
        "`out_features` is 0: supported are 1 to 16777216"
    );
    assert_eq!(
        config("activation_function", json!("torch.nn.modules.activation.GELU")),
        "`activation_function` is `torch.nn.modules.activation.GELU`: supported are Identity and Tanh"
    );
    assert_eq!(
        config("use_residual", json!(true)),
        "`use_residual` is set, which is not supported"
    );
}

#[tokio::test]
async fn static_vectors_are_means_of_the_tokens() {
    let model = Tiny::model2vec().load();
    // The ids of `w0` and `w6` are 4 and 10, and there are neither start nor end tokens.
    assert_eq!(embed(&model, &["w0 w6"]).await, [[7.0, 1.0]]);
    let texts = ["w0".to_owned(), " ".to_owned()];
    let error = model.generate(&texts, &EmbeddingSettings::default()).await.unwrap_err();
    assert_eq!(error.message(), "the text 1, counted from 0, has no tokens");
}

#[tokio::test]
async fn static_tokens_share_rows_and_have_weights() {
    let mut tiny = Tiny::model2vec();
    let count = 64;
    let table = (vec![2, 2], vec![1.0, 2.0, 3.0, 4.0]);
    let mapping = (0..count).map(|id| (id % 2) as f32).collect();
    let weights = (0..count).map(|id| id as f32).collect();
    tiny.tensors.insert("embeddings".to_owned(), table);
    tiny.tensors.insert("mapping".to_owned(), (vec![count], mapping));
    tiny.tensors.insert("weights".to_owned(), (vec![count], weights));
    tiny.write_weights(Dtype::F32);
    assert_eq!(embed(&tiny.load(), &["w0 w1"]).await, [[9.5, 14.0]]);
    for row in [2.0, -1.0, 0.5] {
        tiny.tensors.get_mut("mapping").unwrap().1[0] = row;
        tiny.write_weights(Dtype::F32);
        assert_eq!(
            tiny.refused("model.safetensors"),
            format!("the tensor `mapping` has the row {row}, where the table has 2 rows")
        );
    }
}

#[tokio::test]
async fn a_token_beyond_the_model_is_an_error() {
    for (tiny, what) in [
        (Tiny::model2vec(), "the token 70 is not among the 64 of the model"),
        (Tiny::bert(), "the token 70 of type 0 at position 1 is not among the 64 of the model"),
    ] {
        tiny.change("tokenizer.json", |tokenizer| tokenizer["model"]["vocab"]["w9"] = json!(70));
        let texts = ["w9 w1".to_owned()];
        let model = tiny.load();
        let error = model.generate(&texts, &EmbeddingSettings::default()).await.unwrap_err();
        assert!(error.message().starts_with(what), "{error}");
    }
}
