use std::fs;

use safetensors::Dtype;
use serde_json::{Value, json};
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingSettings, ErrorKind, LocalEmbeddings, LocalEmbeddingsConfig,
};

use crate::tiny::{HIDDEN, MARKS, Tiny, modules};

fn changed(file: &str, field: &str, value: Value) -> String {
    Tiny::bert().refused_with(file, field, value)
}

#[test]
fn missing_folder_is_named() {
    let config = LocalEmbeddingsConfig::new("no/such/folder");
    let error = LocalEmbeddings::new(config).unwrap_err().to_string();
    assert!(
        error.starts_with("local embeddings: `no/such/folder`: isn't a folder; a model is"),
        "{error}"
    );
}

#[test]
fn each_missing_file_is_named() {
    for file in ["config.json", "tokenizer.json", "1_Pooling/config.json"] {
        let tiny = Tiny::bert();
        fs::remove_file(tiny.path().join(file)).unwrap();
        let message = tiny.refused(file);
        assert!(message.starts_with("cannot be read: "), "{message}");
    }
    let tiny = Tiny::bert();
    fs::remove_file(tiny.path().join("model.safetensors")).unwrap();
    assert_eq!(tiny.refused("model.safetensors"), "is missing");
}

#[test]
fn weights_in_another_format_are_named() {
    let tiny = Tiny::bert();
    fs::remove_file(tiny.path().join("model.safetensors")).unwrap();
    fs::write(tiny.path().join("pytorch_model.bin"), "weights").unwrap();
    let message = tiny.refused("model.safetensors");
    assert_eq!(
        message,
        "is missing: save the model in `pytorch_model.bin` again, as one file in this format"
    );
}

#[test]
fn a_broken_file_is_named_with_the_place() {
    for file in ["config.json", "tokenizer.json", "modules.json", "model.safetensors"] {
        let tiny = Tiny::bert();
        fs::write(tiny.path().join(file), "{ \"model_type\": ").unwrap();
        let message = tiny.refused(file);
        let starts = ["has an unexpected form", "isn't a tokenizer", "is not in the format"];
        assert!(starts.iter().any(|start| message.starts_with(start)), "{message}");
    }
}

#[test]
fn unsupported_model_types_are_refused_with_supported_ones() {
    assert_eq!(
        changed("config.json", "model_type", json!("gpt2")),
        "`model_type` is `gpt2`: supported are `bert`, `camembert`, `roberta`, `xlm-roberta`, `distilbert`, `mpnet`, \
         `nomic_bert`, `modernbert`, `qwen3`, `gemma3_text`"
    );
    let message = changed("config.json", "model_type", Value::Null);
    assert!(message.starts_with("`model_type` is missing: supported are `bert`"), "{message}");
}

#[test]
fn unsupported_configuration_is_refused_with_supported_values() {
    let refused = |field: &str, value: Value| changed("config.json", field, value);
    assert_eq!(
        refused("position_embedding_type", json!("relative_key")),
        "`position_embedding_type` is `relative_key`: supported is `absolute`"
    );
    assert!(refused("hidden_act", json!("mish")).starts_with("`hidden_act` is `mish`: supported"));
    let message = refused("num_attention_heads", json!(5));
    assert!(message.starts_with("`hidden_size` is 32 and `num_attention_heads` 5"), "{message}");
    let message = refused("max_position_embeddings", json!(2));
    assert_eq!(message, "`max_position_embeddings` is 2: too few for any text");
    let message = refused("hidden_size", json!("wide"));
    assert!(message.contains("invalid type: string \"wide\""), "{message}");
}

#[test]
fn epsilon_of_zero_or_less_is_refused() {
    for (value, shown) in [(json!(0), "0"), (json!(-1e-5), "-0.00001"), (json!(1e-300), "0")] {
        assert_eq!(
            changed("config.json", "layer_norm_eps", value),
            format!(
                "`layer_norm_eps` is {shown} as a 32-bit float: it has to be greater than 0, and is usually 1e-12"
            )
        );
    }
}

#[test]
fn padding_id_overflow_is_refused() {
    assert_eq!(
        Tiny::roberta().refused_with("config.json", "pad_token_id", json!(u64::MAX)),
        "`pad_token_id` is 18446744073709551615: it has to be less than `max_position_embeddings`, which is 24"
    );
}

#[test]
fn two_models_in_one_file_are_named() {
    let mut tiny = Tiny::bert();
    let second: Vec<_> =
        tiny.tensors.iter().map(|(name, tensor)| (format!("b.{name}"), tensor.clone())).collect();
    tiny.tensors.extend(second);
    tiny.write_weights(Dtype::F32);
    assert_eq!(
        tiny.refused("model.safetensors"),
        "has the tensors `embeddings.word_embeddings.weight` and `b.embeddings.word_embeddings.weight`: save one model \
         alone"
    );
}

#[test]
fn texts_have_at_most_8192_tokens() {
    let mut tiny = Tiny::bert();
    let positions = (vec![9000, HIDDEN], vec![0.1; 9000 * HIDDEN]);
    tiny.tensors.insert("embeddings.position_embeddings.weight".to_owned(), positions);
    tiny.write_weights(Dtype::F32);
    tiny.change("config.json", |config| config["max_position_embeddings"] = json!(9000));
    assert_eq!(tiny.load().max_tokens(), 8192);
    let mut config = tiny.config();
    config.max_tokens = Some(8193);
    let error = LocalEmbeddings::new(config).unwrap_err().to_string();
    assert_eq!(error, "local embeddings: `max_tokens` is 8193; expected 1 to 8192");
}

#[tokio::test]
async fn overflowing_vectors_are_refused_with_the_text() {
    for pooling in ["mean", "max"] {
        let mut tiny = Tiny::bert();
        tiny.write("1_Pooling/config.json", &json!({ "pooling_mode": pooling }));
        let words = tiny.tensors.get_mut("embeddings.word_embeddings.weight").unwrap();
        words.1[(MARKS.len() + 7) * HIDDEN..][..HIDDEN].fill(3e38);
        tiny.write_weights(Dtype::F32);
        let mut config = tiny.config();
        config.model_id = Some("tiny".to_owned());
        let model = LocalEmbeddings::new(config).unwrap();
        let texts = ["w1 w2".to_owned(), "w7 w8".to_owned()];
        model.generate(&texts[..1], &EmbeddingSettings::default()).await.unwrap();
        let error = model.generate(&texts, &EmbeddingSettings::default()).await.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Embedding);
        assert_eq!(
            error.message(),
            "the vector of the text 1, counted from 0, is beyond 32-bit floats: the weights of the model `tiny` are too \
             large, or broken"
        );
    }
}

#[test]
fn weights_of_another_size_are_refused_with_both() {
    let tiny = Tiny::bert();
    tiny.change("config.json", |config| config["intermediate_size"] = json!(41));
    assert_eq!(
        tiny.refused("model.safetensors"),
        "the tensor `encoder.layer.0.intermediate.dense.weight` has the shape [40, 32], where \
         `config.json` asks for [41, 32]"
    );
}

#[test]
fn missing_broken_and_strange_weights_are_named() {
    let mut tiny = Tiny::bert();
    let name = "encoder.layer.1.output.dense.bias";
    tiny.tensors.get_mut(name).unwrap().1[3] = f32::NAN;
    tiny.write_weights(Dtype::F32);
    let message = tiny.refused("model.safetensors");
    assert_eq!(message, format!("the tensor `{name}` has a value that isn't a finite number"));
    tiny.tensors.remove(name);
    tiny.write_weights(Dtype::F32);
    let message = tiny.refused("model.safetensors");
    assert_eq!(message, format!("the tensor `{name}` is missing"));
    tiny.write_weights(Dtype::F64);
    let message = tiny.refused("model.safetensors");
    assert!(message.ends_with("is of type F64: supported are F32, F16, BF16"), "{message}");
}

#[test]
fn modules_and_pooling_that_are_not_supported_are_named() {
    let tiny = Tiny::bert();
    tiny.write("modules.json", &modules(&["Transformer", "Pooling", "LayerNorm", "Normalize"]));
    assert_eq!(
        tiny.refused("modules.json"),
        "the modules are Transformer, Pooling, LayerNorm, Normalize: supported are Transformer and Pooling, or \
         StaticEmbedding; then any number of Dense, and Normalize"
    );
    let tiny = Tiny::bert();
    let file = "1_Pooling/config.json";
    tiny.write(file, &json!({ "pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true }));
    assert_eq!(
        tiny.refused(file),
        "the pooling modes are pooling_mode_max_tokens and pooling_mode_mean_tokens: supported is one of them"
    );
    tiny.write(file, &json!({ "pooling_mode": "attention" }));
    assert_eq!(
        tiny.refused(file),
        "the pooling mode is `attention`: supported are cls, lasttoken, max, mean, mean_sqrt_len_tokens, weightedmean"
    );
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let tiny = Tiny::bert();
    tiny.change("config.json", |config| config["vocab_size"] = json!(50));
    assert_eq!(
        tiny.refused("tokenizer.json"),
        "has 64 tokens, where the model has 50: they do not belong together"
    );
}

#[test]
fn settings_out_of_range_are_refused_with_the_range() {
    let tiny = Tiny::bert();
    let refused = |config| LocalEmbeddings::new(config).unwrap_err().to_string();
    let mut config = tiny.config();
    config.max_tokens = Some(25);
    assert_eq!(refused(config), "local embeddings: `max_tokens` is 25; expected 1 to 24");
    let mut config = tiny.config();
    config.max_tokens = Some(2);
    assert_eq!(
        refused(config),
        "local embeddings: a limit of 2 tokens leaves no room for text: the start and end tokens take 2"
    );
}

#[test]
fn prefixes_excluded_from_pooling_are_refused() {
    let tiny = Tiny::bert();
    tiny.change("1_Pooling/config.json", |config| config["include_prompt"] = json!(false));
    tiny.load();
    let config = tiny.config().with_query_prefix("w1 ");
    let error = LocalEmbeddings::new(config).unwrap_err().to_string();
    assert!(error.contains("`include_prompt` is false"), "{error}");
}

#[tokio::test]
async fn other_dimensions_and_further_settings_are_refused() {
    let tiny = Tiny::bert();
    let mut config = tiny.config();
    config.model_id = Some("tiny".to_owned());
    let model = LocalEmbeddings::new(config).unwrap();
    let mut settings = EmbeddingSettings::default();
    settings.dimensions = Some(32);
    model.generate(&["w1".to_owned()], &settings).await.unwrap();
    settings.dimensions = Some(33);
    let error = model.generate(&["w1".to_owned()], &settings).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "local embeddings: `dimensions` is 33; expected 1 to 32, as the model `tiny` makes them"
    );
    let mut settings = EmbeddingSettings::default();
    settings.extra.insert("temperature".to_owned(), json!(1));
    let error = model.generate(&["w1".to_owned()], &settings).await.unwrap_err().to_string();
    assert!(error.contains("`extra.temperature` is set"), "{error}");
}
