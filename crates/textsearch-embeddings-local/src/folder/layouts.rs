//! What differs between the kinds of models: one table, with a row per `model_type`.

use crate::compute::Activation;

/// A kind of model: the names of its weights, and how its layers use them.
///
/// Names have neither the prefix that all names of a file share, nor `.weight` and `.bias`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Values of `model_type`.
    pub(crate) model_types: &'static [&'static str],
    /// The table with a row per token.
    pub(crate) token_embeddings: &'static str,
    /// Whether the rows of `token_embeddings` are multiplied by the square root of their size.
    pub(crate) scales_token_embeddings: bool,
    pub(crate) positions: Positions,
    /// The table of biases by the distance of two tokens.
    pub(crate) relative_bias: Option<&'static str>,
    /// Rows of the table of token types unless `type_vocab_size` is set, or 0 if there is none.
    pub(crate) types: usize,
    pub(crate) embeddings_norm: Option<&'static str>,
    pub(crate) layer: LayerNames,
    pub(crate) final_norm: Option<&'static str>,
    pub(crate) classifier: Option<Classifier>,
    pub(crate) norm: NormKind,
    /// Whether each matrix and norm has a bias. Otherwise one has it if the file does.
    pub(crate) has_biases: bool,
    pub(crate) direction: Direction,
    pub(crate) windows: Option<Windows>,
    pub(crate) defaults: Defaults,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Positions {
    /// A table with a row per position.
    FromZero,
    /// The same, but the first rows are for padding.
    BehindPadding,
    /// Queries and keys are rotated by their position.
    Rotary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NormKind {
    /// Subtracts the mean, and divides by the standard deviation.
    Layer,
    /// Divides by the root of the mean square.
    Rms,
    /// The same, with 1 added to each weight.
    RmsAroundOne,
}

/// Which tokens a token sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Both,
    Backward,
    /// Backward, unless `use_bidirectional_attention` is set.
    Configured,
}

/// Layers whose tokens see only their neighbours. In other layers they see the whole text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Windows {
    /// The setting with the number of tokens in a window. The token is in the middle, or the last.
    pub(crate) size: &'static str,
    /// Which layers see the whole text unless `layer_types` says so. Default: all.
    pub(crate) full_layers: Option<FullLayers>,
}

/// Every so many layers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FullLayers {
    /// The setting with how many.
    pub(crate) every: &'static str,
    pub(crate) default: usize,
    /// The number of layer 0, counted on until it is a multiple.
    pub(crate) start: usize,
}

/// What holds where `config.json` says nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Defaults {
    pub(crate) epsilon: f32,
    pub(crate) activation: &'static str,
    /// Base of the rotation.
    pub(crate) theta: f64,
    /// Base of the rotation in layers with a window. Default: `theta`.
    pub(crate) window_theta: Option<f64>,
}

/// The names after the number of the layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerNames {
    /// Before the number.
    pub(crate) layers: &'static str,
    /// Queries, keys and values: in one matrix or three.
    pub(crate) projection: &'static [&'static str],
    /// Norms of each head's query and key.
    pub(crate) head_norms: Option<[&'static str; 2]>,
    pub(crate) attention_output: &'static str,
    pub(crate) attention_norms: NormNames,
    /// The matrix to the wide vector. A gated layer has two, in one tensor or two.
    pub(crate) intermediate: &'static [&'static str],
    pub(crate) is_gated: bool,
    pub(crate) output: &'static str,
    pub(crate) output_norms: NormNames,
}

/// Norms around attention or feed-forward.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NormNames {
    /// Of the input. The first layer has none if the embeddings are normalised.
    pub(crate) input: Option<&'static str>,
    /// Of the output, before the input is added.
    pub(crate) output: Option<&'static str>,
    /// Of the sum of both.
    pub(crate) sum: Option<&'static str>,
}

/// The head of a sequence classifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Classifier {
    pub(crate) dense: &'static str,
    /// Whether the names of `dense` have the model's prefix.
    pub(crate) is_prefixed: bool,
    pub(crate) activation: Activation,
    pub(crate) norm: Option<&'static str>,
    pub(crate) output: &'static str,
}

pub(super) fn layout(model_type: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.model_types.contains(&model_type))
}

/// Returns every `model_type`, each in backticks.
pub(super) fn supported() -> String {
    let types: Vec<&str> = LAYOUTS.iter().flat_map(|layout| layout.model_types).copied().collect();
    format!("`{}`", types.join("`, `"))
}

const LAYOUTS: &[Layout] = &[BERT, ROBERTA, DISTILBERT, MPNET, NOMIC, MODERNBERT, QWEN3, GEMMA3];

const BERT: Layout = Layout {
    model_types: &["bert"],
    token_embeddings: "embeddings.word_embeddings",
    scales_token_embeddings: false,
    positions: Positions::FromZero,
    relative_bias: None,
    types: 2,
    embeddings_norm: Some("embeddings.LayerNorm"),
    layer: LayerNames {
        layers: "encoder.layer",
        projection: &["attention.self.query", "attention.self.key", "attention.self.value"],
        head_norms: None,
        attention_output: "attention.output.dense",
        attention_norms: sum("attention.output.LayerNorm"),
        intermediate: &["intermediate.dense"],
        is_gated: false,
        output: "output.dense",
        output_norms: sum("output.LayerNorm"),
    },
    final_norm: None,
    classifier: Some(Classifier {
        dense: "pooler.dense",
        is_prefixed: true,
        activation: Activation::Tanh,
        norm: None,
        output: "classifier",
    }),
    norm: NormKind::Layer,
    has_biases: true,
    direction: Direction::Both,
    windows: None,
    defaults: Defaults { epsilon: 1e-12, activation: "gelu", theta: 1e4, window_theta: None },
};

const ROBERTA: Layout = Layout {
    model_types: &["camembert", "roberta", "xlm-roberta"],
    positions: Positions::BehindPadding,
    types: 1,
    classifier: Some(Classifier {
        dense: "classifier.dense",
        is_prefixed: false,
        activation: Activation::Tanh,
        norm: None,
        output: "classifier.out_proj",
    }),
    ..BERT
};

const DISTILBERT: Layout = Layout {
    model_types: &["distilbert"],
    types: 0,
    layer: LayerNames {
        layers: "transformer.layer",
        projection: &["attention.q_lin", "attention.k_lin", "attention.v_lin"],
        attention_output: "attention.out_lin",
        attention_norms: sum("sa_layer_norm"),
        intermediate: &["ffn.lin1"],
        output: "ffn.lin2",
        output_norms: sum("output_layer_norm"),
        ..BERT.layer
    },
    classifier: Some(Classifier {
        dense: "pre_classifier",
        is_prefixed: false,
        activation: Activation::Relu,
        norm: None,
        output: "classifier",
    }),
    ..BERT
};

const MPNET: Layout = Layout {
    model_types: &["mpnet"],
    relative_bias: Some("encoder.relative_attention_bias"),
    types: 0,
    layer: LayerNames {
        projection: &["attention.attn.q", "attention.attn.k", "attention.attn.v"],
        attention_output: "attention.attn.o",
        attention_norms: sum("attention.LayerNorm"),
        ..BERT.layer
    },
    ..ROBERTA
};

const NOMIC: Layout = Layout {
    model_types: &["nomic_bert"],
    positions: Positions::Rotary,
    embeddings_norm: Some("emb_ln"),
    layer: LayerNames {
        layers: "encoder.layers",
        projection: &["attn.Wqkv"],
        attention_output: "attn.out_proj",
        attention_norms: sum("norm1"),
        intermediate: &["mlp.fc12", "mlp.fc11"],
        is_gated: true,
        output: "mlp.fc2",
        output_norms: sum("norm2"),
        ..BERT.layer
    },
    classifier: None,
    has_biases: false,
    defaults: Defaults { activation: "silu", theta: 1000.0, ..BERT.defaults },
    ..BERT
};

const MODERNBERT: Layout = Layout {
    model_types: &["modernbert"],
    token_embeddings: "embeddings.tok_embeddings",
    scales_token_embeddings: false,
    positions: Positions::Rotary,
    relative_bias: None,
    types: 0,
    embeddings_norm: Some("embeddings.norm"),
    layer: LayerNames {
        layers: "layers",
        projection: &["attn.Wqkv"],
        head_norms: None,
        attention_output: "attn.Wo",
        attention_norms: input("attn_norm"),
        intermediate: &["mlp.Wi"],
        is_gated: true,
        output: "mlp.Wo",
        output_norms: input("mlp_norm"),
    },
    final_norm: Some("final_norm"),
    classifier: Some(Classifier {
        dense: "head.dense",
        is_prefixed: false,
        activation: Activation::Gelu,
        norm: Some("head.norm"),
        output: "classifier",
    }),
    norm: NormKind::Layer,
    has_biases: false,
    direction: Direction::Both,
    windows: Some(Windows {
        size: "local_attention",
        full_layers: Some(FullLayers { every: "global_attn_every_n_layers", default: 3, start: 0 }),
    }),
    defaults: Defaults {
        epsilon: 1e-5,
        activation: "gelu",
        theta: 160_000.0,
        window_theta: Some(10_000.0),
    },
};

const QWEN3: Layout = Layout {
    model_types: &["qwen3"],
    token_embeddings: "embed_tokens",
    scales_token_embeddings: false,
    positions: Positions::Rotary,
    relative_bias: None,
    types: 0,
    embeddings_norm: None,
    layer: LayerNames {
        layers: "layers",
        projection: &["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
        head_norms: Some(["self_attn.q_norm", "self_attn.k_norm"]),
        attention_output: "self_attn.o_proj",
        attention_norms: input("input_layernorm"),
        intermediate: &["mlp.gate_proj", "mlp.up_proj"],
        is_gated: true,
        output: "mlp.down_proj",
        output_norms: input("post_attention_layernorm"),
    },
    final_norm: Some("norm"),
    classifier: None,
    norm: NormKind::Rms,
    has_biases: false,
    direction: Direction::Backward,
    windows: Some(Windows { size: "sliding_window", full_layers: None }),
    defaults: Defaults { epsilon: 1e-6, activation: "silu", theta: 10_000.0, window_theta: None },
};

const GEMMA3: Layout = Layout {
    model_types: &["gemma3_text"],
    scales_token_embeddings: true,
    layer: LayerNames {
        attention_norms: NormNames {
            output: Some("post_attention_layernorm"),
            ..input("input_layernorm")
        },
        output_norms: NormNames {
            output: Some("post_feedforward_layernorm"),
            ..input("pre_feedforward_layernorm")
        },
        ..QWEN3.layer
    },
    norm: NormKind::RmsAroundOne,
    direction: Direction::Configured,
    windows: Some(Windows {
        size: "sliding_window",
        full_layers: Some(FullLayers { every: "sliding_window_pattern", default: 6, start: 1 }),
    }),
    defaults: Defaults {
        epsilon: 1e-6,
        activation: "gelu_pytorch_tanh",
        theta: 1_000_000.0,
        window_theta: Some(10_000.0),
    },
    ..QWEN3
};

const fn input(name: &'static str) -> NormNames {
    NormNames { input: Some(name), output: None, sum: None }
}

const fn sum(name: &'static str) -> NormNames {
    NormNames { input: None, output: None, sum: Some(name) }
}
