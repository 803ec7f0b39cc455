//! The names of the weights in each kind of model.

use crate::folder::Layout;

pub(super) const POSITIONS: &str = "embeddings.position_embeddings.weight";
pub(super) const TYPES: &str = "embeddings.token_type_embeddings.weight";
pub(super) const EMBEDDINGS_NORM: &str = "embeddings.LayerNorm";

/// Without `.weight` and `.bias`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayerNames {
    layer: &'static str,
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) attention_output: &'static str,
    pub(super) attention_norm: &'static str,
    pub(super) intermediate: &'static str,
    pub(super) output: &'static str,
    pub(super) output_norm: &'static str,
}

const BERT: LayerNames = LayerNames {
    layer: "encoder.layer",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attention_output: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    intermediate: "intermediate.dense",
    output: "output.dense",
    output_norm: "output.LayerNorm",
};

const DISTILBERT: LayerNames = LayerNames {
    layer: "transformer.layer",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attention_output: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    intermediate: "ffn.lin1",
    output: "ffn.lin2",
    output_norm: "output_layer_norm",
};

impl LayerNames {
    pub(super) const fn new(layout: Layout) -> Self {
        match layout {
            Layout::Bert | Layout::Roberta => BERT,
            Layout::DistilBert => DISTILBERT,
        }
    }

    pub(super) fn full(&self, number: usize, part: &str) -> String {
        format!("{}.{number}.{part}", self.layer)
    }
}
