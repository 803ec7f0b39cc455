use std::fs;

use safetensors::Dtype;
use serde_json::{Value, json};
use textsearch_embeddings_local::{LocalReranker, Reranker};

use super::{config, refused};
use crate::tiny::{HIDDEN, MARKS, Tiny, modules};

fn changed(file: &str, field: &str, value: Value) -> String {
    let tiny = Tiny::cross_encoder();
    tiny.change(file, |content| content[field] = value);
    refused(&tiny, file)
}

#[test]
fn a_model_of_embeddings_is_refused() {
    let tiny = Tiny::bert();
    assert_eq!(
        refused(&tiny, "modules.json"),
        "the modules are Transformer, Pooling, Normalize: supported is one Transformer, in the folder itself, \
         alone (a cross-encoder) or before Dense or MultiVectorMask (late interaction); a model of embeddings can't rerank"
    );
    fs::remove_file(tiny.path().join("modules.json")).unwrap();
    assert_eq!(
        refused(&tiny, "model.safetensors"),
        "the tensor `classifier.weight` is missing: only a sequence classifier can rerank, not a model of embeddings"
    );
}

#[test]
fn several_labels_are_refused() {
    let mut tiny = Tiny::cross_encoder();
    let classifier = (vec![3, HIDDEN], vec![0.1; 3 * HIDDEN]);
    tiny.tensors.insert("classifier.weight".to_owned(), classifier);
    tiny.write_weights(Dtype::F32);
    assert_eq!(
        refused(&tiny, "model.safetensors"),
        "the classifier has 3 labels: supported is one, whose logit is the score"
    );
}

#[test]
fn a_missing_or_broken_head_is_named() {
    let mut tiny = Tiny::cross_encoder();
    tiny.tensors.get_mut("classifier.bias").unwrap().1[0] = f32::INFINITY;
    tiny.write_weights(Dtype::F32);
    assert_eq!(
        refused(&tiny, "model.safetensors"),
        "the tensor `classifier.bias` has a value that isn't a finite number"
    );
    tiny.tensors.remove("pooler.dense.bias");
    tiny.tensors.remove("classifier.bias");
    tiny.write_weights(Dtype::F32);
    assert_eq!(refused(&tiny, "model.safetensors"), "the tensor `classifier.bias` is missing");
    tiny.tensors.insert("classifier.bias".to_owned(), (vec![1], vec![0.0]));
    tiny.tensors.insert("classifier.weight".to_owned(), (vec![1, 3], vec![0.0; 3]));
    tiny.write_weights(Dtype::F32);
    assert_eq!(refused(&tiny, "model.safetensors"), "the tensor `pooler.dense.bias` is missing");
    tiny.tensors.insert("pooler.dense.bias".to_owned(), (vec![HIDDEN], vec![0.0; HIDDEN]));
    tiny.write_weights(Dtype::F32);
    assert_eq!(
        refused(&tiny, "model.safetensors"),
        "the tensor `classifier.weight` has the shape [1, 3], where `config.json` asks for [1, 32]"
    );
}

#[test]
fn other_activations_are_refused() {
    let file = "config.json";
    let settings = json!({ "activation_fn": "torch.nn.modules.activation.Tanh" });
    assert_eq!(
        changed(file, "sentence_transformers", settings),
        "the activation is `torch.nn.modules.activation.Tanh`: supported are Identity and Sigmoid"
    );
    let message = changed(file, "sentence_transformers", json!("Identity"));
    assert!(message.starts_with("has an unexpected form: "), "{message}");
}

#[test]
fn another_head_is_refused_with_supported_values() {
    assert_eq!(
        changed("config.json", "classifier_activation", json!("silu")),
        "`classifier_activation` is `silu`: supported is `gelu`"
    );
    assert_eq!(
        changed("config.json", "classifier_pooling", json!("max")),
        "`classifier_pooling` is `max`: supported are `cls`, `mean`"
    );
}

#[test]
fn a_default_prompt_is_refused() {
    let tiny = Tiny::cross_encoder();
    let file = "config_sentence_transformers.json";
    let settings =
        |name: Value| json!({ "prompts": { "own": "w1 " }, "default_prompt_name": name });
    tiny.write(file, &settings(Value::Null));
    LocalReranker::new(config(&tiny)).unwrap();
    tiny.write(file, &settings(json!("own")));
    let expected = "has a default prompt, which is not supported for a reranker";
    assert_eq!(refused(&tiny, file), expected);
}

#[test]
fn a_module_in_another_folder_is_refused() {
    let tiny = Tiny::cross_encoder();
    let mut list = modules(&["Transformer"]);
    list[0]["path"] = json!("0_Transformer");
    tiny.write("modules.json", &list);
    let message = refused(&tiny, "modules.json");
    assert!(message.starts_with("the modules are Transformer: supported is"), "{message}");
}

#[test]
fn huge_sizes_are_refused_without_reserving_memory() {
    for (field, value) in [
        ("num_hidden_layers", json!(1_u64 << 60)),
        ("intermediate_size", json!(1_u64 << 60)),
        ("hidden_size", json!(1_u64 << 60)),
        ("max_position_embeddings", json!(1_u64 << 60)),
        ("vocab_size", json!(u64::MAX)),
        ("type_vocab_size", json!(u64::MAX)),
    ] {
        let tiny = Tiny::cross_encoder();
        tiny.change("config.json", |config| config[field] = value);
        // The positions exceed the limit without it.
        let mut config = config(&tiny);
        config.max_tokens = Some(20);
        let error = LocalReranker::new(config).unwrap_err();
        assert!(error.message().contains("config.json"), "{field}: {error}");
    }
}

#[tokio::test]
async fn overflowing_scores_are_refused_with_the_text() {
    for tensor in ["embeddings.word_embeddings.weight", "classifier.weight"] {
        let mut tiny = Tiny::cross_encoder();
        let values = &mut tiny.tensors.get_mut(tensor).unwrap().1;
        match tensor {
            "classifier.weight" => values.fill(3e38),
            _ => values[(MARKS.len() + 7) * HIDDEN..][..HIDDEN].fill(3e38),
        }
        tiny.write_weights(Dtype::F32);
        let mut config = config(&tiny);
        config.model_id = Some("tiny".to_owned());
        let model = LocalReranker::new(config).unwrap();
        let texts = ["w1 w2".to_owned(), "w7 w8".to_owned()];
        match model.rerank("w3", &texts).await {
            // Products and their sum are 64-bit floats.
            Ok(scores) => assert!(tensor == "classifier.weight" && scores[0].is_finite()),
            Err(error) => assert_eq!(
                error.message(),
                "the score of the text 1, counted from 0, is beyond 32-bit floats: the weights of the model `tiny` are \
                 too large, or broken"
            ),
        }
    }
}
