//! `config.json`: kind and size of the model.

use serde::Deserialize;
use textsearch_core::Result;

use super::Folder;
use crate::compute::Activation;

const FILE: &str = "config.json";

/// Determines the names of the weights, the positions and the types of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Bert,
    /// And its descendants.
    Roberta,
    DistilBert,
}

/// Values of `model_type`. Models in `ROBERTA` count positions from after the padding, and use one
/// token type.
const BERT: &[&str] = &["bert"];
const ROBERTA: &[&str] = &["camembert", "roberta", "xlm-roberta"];
const DISTILBERT: &[&str] = &["distilbert"];

#[derive(Debug, Clone)]
pub(crate) struct ModelConfig {
    pub(crate) layout: Layout,
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    pub(crate) layers: usize,
    pub(crate) intermediate: usize,
    pub(crate) vocabulary: usize,
    pub(crate) positions: usize,
    /// Row of the first position.
    pub(crate) first_position: usize,
    pub(crate) types: usize,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
}

#[derive(Debug, Deserialize)]
struct Config {
    #[serde(alias = "dim")]
    hidden_size: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default)]
    type_vocab_size: Option<usize>,
    #[serde(default)]
    layer_norm_eps: Option<f32>,
    #[serde(default, alias = "activation")]
    hidden_act: Option<String>,
    #[serde(default)]
    pad_token_id: Option<usize>,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

/// Read first: the other fields differ between kinds.
#[derive(Debug, Deserialize)]
struct Kind {
    model_type: Option<String>,
}

impl ModelConfig {
    pub(crate) fn read(folder: &Folder) -> Result<Self> {
        let kind: Kind = folder.json(FILE)?;
        let layout = layout(kind.model_type.as_deref()).map_err(|what| folder.error(FILE, what))?;
        let config: Config = folder.json(FILE)?;
        Self::new(&config, layout).map_err(|what| folder.error(FILE, what))
    }

    pub(crate) fn longest(&self) -> usize {
        self.positions - self.first_position
    }

    fn new(config: &Config, layout: Layout) -> Result<Self, String> {
        let hidden = config.hidden_size;
        let heads = config.num_attention_heads;
        if hidden == 0 || heads == 0 || !hidden.is_multiple_of(heads) {
            return Err(format!(
                "`hidden_size` is {hidden} and `num_attention_heads` {heads}: the first has to be a multiple of the \
                 second, and neither 0"
            ));
        }
        let is_roberta = layout == Layout::Roberta;
        let first_position = if is_roberta { behind_padding(config)? } else { 0 };
        // Two tokens mark the ends of a text.
        if config.max_position_embeddings < first_position.saturating_add(3) {
            let positions = config.max_position_embeddings;
            return Err(format!("`max_position_embeddings` is {positions}: too few for any text"));
        }
        let types = config.type_vocab_size.unwrap_or(if is_roberta { 1 } else { 2 });
        Ok(Self {
            layout,
            hidden,
            heads,
            layers: config.num_hidden_layers,
            intermediate: config.intermediate_size,
            vocabulary: config.vocab_size,
            positions: config.max_position_embeddings,
            first_position,
            types: if layout == Layout::DistilBert { 0 } else { types },
            epsilon: epsilon(config.layer_norm_eps.unwrap_or(1e-12))?,
            activation: activation(config.hidden_act.as_deref().unwrap_or("gelu"))?,
        })
        .and_then(|shape| check_positions(config).map(|()| shape))
    }
}

fn layout(model_type: Option<&str>) -> Result<Layout, String> {
    match model_type {
        Some(known) if BERT.contains(&known) => Ok(Layout::Bert),
        Some(known) if ROBERTA.contains(&known) => Ok(Layout::Roberta),
        Some(known) if DISTILBERT.contains(&known) => Ok(Layout::DistilBert),
        other => {
            let fault =
                other.map_or_else(|| "is missing".to_owned(), |name| format!("is `{name}`"));
            let supported = [BERT, ROBERTA, DISTILBERT].concat().join("`, `");
            Err(format!("`model_type` {fault}: supported are `{supported}`"))
        }
    }
}

fn activation(name: &str) -> Result<Activation, String> {
    match name {
        "gelu" => Ok(Activation::Gelu),
        "gelu_fast" | "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
        "relu" => Ok(Activation::Relu),
        other => Err(format!(
            "`hidden_act` is `{other}`: supported are `gelu`, `gelu_fast`, `gelu_new`, `gelu_pytorch_tanh`, `relu`"
        )),
    }
}

fn behind_padding(config: &Config) -> Result<usize, String> {
    let padding = config.pad_token_id.unwrap_or(1);
    padding.checked_add(1).ok_or_else(|| {
        let rows = config.max_position_embeddings;
        format!("`pad_token_id` is {padding}: it has to be less than `max_position_embeddings`, which is {rows}")
    })
}

fn epsilon(epsilon: f32) -> Result<f32, String> {
    if epsilon.is_finite() && epsilon > 0.0 {
        Ok(epsilon)
    } else {
        Err(format!(
            "`layer_norm_eps` is {epsilon} as a 32-bit float: it has to be greater than 0, and is usually 1e-12"
        ))
    }
}

fn check_positions(config: &Config) -> Result<(), String> {
    match config.position_embedding_type.as_deref() {
        None | Some("absolute") => Ok(()),
        Some(other) => {
            Err(format!("`position_embedding_type` is `{other}`: supported is `absolute`"))
        }
    }
}
