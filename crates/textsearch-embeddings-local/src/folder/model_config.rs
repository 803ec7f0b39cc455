//! `config.json`: kind and size of the model.

use serde_json::Value;
use textsearch_core::Result;

use super::{
    Folder,
    fields::Fields,
    layouts::{self, Defaults, Direction, FullLayers, Layout, Positions},
};
use crate::compute::Activation;

const FILE: &str = "config.json";

const HIDDEN: &[&str] = &["hidden_size", "dim", "n_embd"];
const HEADS: &[&str] = &["num_attention_heads", "n_heads", "n_head"];
const LAYERS: &[&str] = &["num_hidden_layers", "n_layers", "n_layer"];
const INTERMEDIATE: &[&str] = &["intermediate_size", "hidden_dim", "n_inner"];
const POSITIONS: &[&str] = &["max_position_embeddings", "n_positions"];
const EPSILON: &[&str] = &["norm_eps", "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon"];
const ACTIVATION: &[&str] =
    &["hidden_activation", "hidden_act", "activation", "activation_function"];
const THETA: &[&str] = &["global_rope_theta", "rope_theta", "rotary_emb_base"];
const WINDOW_THETA: &[&str] = &["local_rope_theta", "rope_local_base_freq"];

/// Larger heads would take too much memory for the angles of each position.
const MAX_HEAD_SIZE: usize = 1 << 12;

/// Settings that would change the arithmetic, and the value that doesn't.
const NEUTRAL: &[(&str, &str)] = &[
    ("attn_logit_softcapping", "false"),
    ("partial_rotary_factor", "1"),
    ("prenorm", "false"),
    ("rotary_emb_fraction", "1"),
    ("rotary_emb_interleaved", "false"),
    ("rotary_scaling_factor", "1"),
    ("use_rms_norm", "false"),
];

#[derive(Debug, Clone)]
pub(crate) struct ModelConfig {
    pub(crate) layout: &'static Layout,
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    /// Heads of keys and values, each shared by as many query heads as the others.
    pub(crate) key_heads: usize,
    /// Elements of a head's vector.
    pub(crate) head_size: usize,
    /// Products of queries and keys are divided by its square root.
    pub(crate) score_divisor: f32,
    pub(crate) layers: usize,
    pub(crate) intermediate: usize,
    pub(crate) vocabulary: usize,
    pub(crate) positions: usize,
    /// Row of the first position.
    pub(crate) first_position: usize,
    pub(crate) types: usize,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
    /// Of layers that see the whole text.
    pub(crate) full: LayerKind,
    /// Of layers with a window, if there are any.
    pub(crate) windowed: Option<LayerKind>,
    /// For each layer.
    pub(crate) has_window: Vec<bool>,
}

/// How a layer's tokens see each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LayerKind {
    /// The most tokens before a token, and after it.
    pub(crate) window: (usize, usize),
    /// Base of the rotation by positions.
    pub(crate) theta: f64,
}

impl ModelConfig {
    pub(crate) fn read(folder: &Folder) -> Result<Self> {
        let fields: Fields = folder.json(FILE)?;
        let config = layout(&fields).and_then(|layout| Self::new(&fields, layout));
        config.map_err(|what| folder.error(FILE, what))
    }

    /// The most tokens that have a position.
    pub(crate) fn longest(&self) -> usize {
        self.positions - self.first_position
    }

    /// The name of the table with a row per token.
    pub(crate) fn token_embeddings(&self) -> String {
        format!("{}.weight", self.layout.token_embeddings)
    }

    /// Elements of a token's queries, keys and values.
    pub(crate) fn projected(&self) -> usize {
        (self.heads + 2 * self.key_heads) * self.head_size
    }

    /// Elements of a token's vector between the two matrices of feed-forward.
    pub(crate) fn wide(&self) -> usize {
        if self.layout.layer.is_gated { 2 * self.intermediate } else { self.intermediate }
    }

    fn new(fields: &Fields, layout: &'static Layout) -> Result<Self, String> {
        check_settings(fields)?;
        let hidden = fields.size(HIDDEN)?;
        let heads = fields.size(HEADS)?;
        let key_heads = fields.optional_size("num_key_value_heads")?.unwrap_or(heads);
        if !heads.is_multiple_of(key_heads) {
            return Err(format!(
                "`num_attention_heads` is {heads} and `num_key_value_heads` {key_heads}: the first has to be a multiple \
                 of the second"
            ));
        }
        let head_size = head_size(fields, layout, hidden, heads)?;
        let score_divisor = fields.optional(&["query_pre_attn_scalar"])?;
        let layers = fields.size(LAYERS)?;
        let has_window = has_window(fields, layout, layers)?;
        let (full, windowed) = layer_kinds(fields, layout, has_window.contains(&true))?;
        let (positions, first_position) = positions(fields, layout)?;
        let types = fields.optional(&["type_vocab_size"])?.unwrap_or(layout.types);
        let activation: Option<String> = fields.optional(ACTIVATION)?;
        Ok(Self {
            layout,
            hidden,
            heads,
            key_heads,
            head_size,
            score_divisor: score_divisor.unwrap_or(head_size as f32),
            layers,
            intermediate: fields.size(INTERMEDIATE)?,
            vocabulary: fields.size(&["vocab_size"])?,
            positions,
            first_position,
            types: if layout.types == 0 { 0 } else { types },
            epsilon: epsilon(fields.optional(EPSILON)?.unwrap_or(layout.defaults.epsilon))?,
            activation: self::activation(
                activation.as_deref().unwrap_or(layout.defaults.activation),
            )?,
            full,
            windowed,
            has_window,
        })
    }
}

fn layout(fields: &Fields) -> Result<&'static Layout, String> {
    let kind: Option<String> = fields.optional(&["model_type"])?;
    let layout = kind.as_deref().and_then(layouts::layout);
    layout.ok_or_else(|| {
        let fault = kind.map_or_else(|| "is missing".to_owned(), |kind| format!("is `{kind}`"));
        format!("`model_type` {fault}: supported are {}", layouts::supported())
    })
}

fn check_settings(fields: &Fields) -> Result<(), String> {
    for (name, neutral) in NEUTRAL {
        let value: Option<Value> = fields.optional(&[name])?;
        // A number may also be written `1.0`.
        let is_neutral = |value: &Value| value.to_string().trim_end_matches(".0") == *neutral;
        if let Some(value) = value.filter(|value| !is_neutral(value)) {
            return Err(format!("`{name}` is {value}: supported are {neutral} and null"));
        }
    }
    Ok(())
}

fn head_size(
    fields: &Fields,
    layout: &Layout,
    hidden: usize,
    heads: usize,
) -> Result<usize, String> {
    let size = match fields.optional_size("head_dim")? {
        Some(size) => size,
        None if hidden.is_multiple_of(heads) => hidden / heads,
        None => {
            return Err(format!(
                "`hidden_size` is {hidden} and `num_attention_heads` {heads}: the first has to be a multiple of the \
                 second"
            ));
        }
    };
    if size > MAX_HEAD_SIZE {
        return Err(format!("heads have {size} elements: supported are at most {MAX_HEAD_SIZE}"));
    }
    if layout.positions == Positions::Rotary && !size.is_multiple_of(2) {
        return Err(format!("heads have {size} elements, where rotary positions need pairs"));
    }
    Ok(size)
}

/// Returns the number of positions, and the row of the first.
fn positions(fields: &Fields, layout: &Layout) -> Result<(usize, usize), String> {
    let kind: Option<String> = fields.optional(&["position_embedding_type"])?;
    // ModernBERT's files may say `sans_pos`, which the reference implementation doesn't read.
    let kind = kind.filter(|kind| kind != "absolute" && layout.positions != Positions::Rotary);
    if let Some(other) = kind {
        return Err(format!("`position_embedding_type` is `{other}`: supported is `absolute`"));
    }
    let positions: usize = fields.required(POSITIONS)?;
    let first = match layout.positions {
        Positions::FromZero | Positions::Rotary => 0,
        Positions::BehindPadding => {
            let padding: usize = fields.optional(&["pad_token_id"])?.unwrap_or(1);
            padding.checked_add(1).ok_or_else(|| {
                format!(
                    "`pad_token_id` is {padding}: it has to be less than `max_position_embeddings`, which is {positions}"
                )
            })?
        }
    };
    // Two tokens mark the ends of a text.
    if positions < first.saturating_add(3) {
        return Err(format!("`max_position_embeddings` is {positions}: too few for any text"));
    }
    Ok((positions, first))
}

/// Returns for each layer whether it has a window.
fn has_window(fields: &Fields, layout: &Layout, layers: usize) -> Result<Vec<bool>, String> {
    let Some(windows) = layout.windows else { return Ok(vec![false; layers]) };
    let types: Option<Vec<String>> = fields.optional(&["layer_types"])?;
    if let Some(types) = types {
        if types.len() != layers {
            let count = types.len();
            return Err(format!(
                "`layer_types` has {count} entries, where `num_hidden_layers` is {layers}"
            ));
        }
        let kinds = types.iter().map(|kind| match kind.as_str() {
            "full_attention" => Ok(false),
            "sliding_attention" => Ok(true),
            other => Err(format!(
                "`layer_types` has `{other}`: supported are `full_attention`, `sliding_attention`"
            )),
        });
        return kinds.collect();
    }
    let uses_windows: Option<bool> = fields.optional(&["use_sliding_window"])?;
    match windows.full_layers {
        None if uses_windows == Some(true) => {
            Err("`layer_types` is missing, where `use_sliding_window` is set".to_owned())
        }
        None => Ok(vec![false; layers]),
        Some(FullLayers { every, default, start }) => {
            let every = fields.optional(&[every])?.unwrap_or(default);
            Ok((0..layers).map(|layer| !(layer + start).is_multiple_of(every)).collect())
        }
    }
}

/// Returns the kind of the layers that see the whole text, and of the layers with a window.
fn layer_kinds(
    fields: &Fields,
    layout: &Layout,
    has_windows: bool,
) -> Result<(LayerKind, Option<LayerKind>), String> {
    let is_bidirectional = match layout.direction {
        Direction::Both => true,
        Direction::Backward => false,
        Direction::Configured => {
            fields.optional(&["use_bidirectional_attention"])?.unwrap_or(false)
        }
    };
    let after = |window: usize| if is_bidirectional { window } else { 0 };
    let Defaults { theta: default, window_theta, .. } = layout.defaults;
    let theta = theta(fields, "full_attention", THETA, default)?;
    let full = LayerKind { window: (usize::MAX, after(usize::MAX)), theta };
    let Some(windows) = layout.windows.filter(|_| has_windows) else { return Ok((full, None)) };
    let size = fields.size(&[windows.size])?;
    let window = if is_bidirectional { size / 2 } else { size.saturating_sub(1) };
    let default = window_theta.unwrap_or(theta);
    let theta = self::theta(fields, "sliding_attention", WINDOW_THETA, default)?;
    Ok((full, Some(LayerKind { window: (window, after(window)), theta })))
}

/// Newer files have an object, or one for each kind of layer.
fn theta(fields: &Fields, kind: &str, names: &[&str], default: f64) -> Result<f64, String> {
    let rotation: Fields = fields.optional(&["rope_parameters"])?.unwrap_or_default();
    let rotation = rotation.optional(&[kind])?.unwrap_or(rotation);
    let scaling: Fields = fields.optional(&["rope_scaling"])?.unwrap_or_default();
    for settings in [&rotation, &scaling] {
        check_settings(settings)?;
        let kind: Option<String> = settings.optional(&["rope_type", "type"])?;
        if let Some(other) = kind.filter(|kind| kind != "default") {
            return Err(format!("`rope_type` is `{other}`: supported is `default`"));
        }
    }
    let theta = rotation.optional(&["rope_theta"])?;
    Ok(theta.or(fields.optional(names)?).unwrap_or(default))
}

fn activation(name: &str) -> Result<Activation, String> {
    match name {
        "gelu" => Ok(Activation::Gelu),
        "gelu_fast" | "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
        "relu" => Ok(Activation::Relu),
        "silu" | "swiglu" => Ok(Activation::Silu),
        other => Err(format!(
            "`hidden_act` is `{other}`: supported are `gelu`, `gelu_fast`, `gelu_new`, `gelu_pytorch_tanh`, `relu`, \
             `silu`"
        )),
    }
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

#[cfg(test)]
pub(crate) fn shape_of_bert(hidden: usize) -> ModelConfig {
    let json = serde_json::json!({
        "model_type": "bert", "hidden_size": hidden, "num_attention_heads": 1, "num_hidden_layers": 1,
        "intermediate_size": 4 * hidden, "vocab_size": 1, "max_position_embeddings": 3,
    });
    let fields: Fields = serde_json::from_value(json).unwrap();
    ModelConfig::new(&fields, layout(&fields).unwrap()).unwrap()
}
