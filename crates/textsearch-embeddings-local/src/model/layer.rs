//! One layer: attention, then two matrices with an activation between them. The input is added
//! after each.

use textsearch_core::Result;

use super::{attention::Heads, linear::Linear, names::LayerNames, workspace::Workspace};
use crate::{
    Precision,
    compute::{Processor, add_and_normalize},
    folder::{ModelConfig, Weights},
};

/// Weights, packed for this processor.
#[derive(Debug)]
pub(super) struct Layer {
    /// Queries, keys and values side by side: one multiplication.
    projection: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    intermediate: Linear,
    output: Linear,
    output_norm: Norm,
}

#[derive(Debug)]
pub(super) struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Layer {
    pub(super) fn load(
        processor: Processor,
        weights: &Weights<'_>,
        shape: &ModelConfig,
        precision: Precision,
        number: usize,
    ) -> Result<Self> {
        let names = LayerNames::new(shape.layout);
        let hidden = shape.hidden;
        let wide = shape.intermediate;
        let linear = |part: &str, from: usize, to: usize| {
            let (matrix, bias) = matrix(weights, &names.full(number, part), from, to)?;
            Ok(Linear::pack(processor, precision, &matrix, from, bias))
        };
        let norm = |part: &str| Norm::load(weights, &names.full(number, part), shape);
        let mut stacked = (Vec::new(), Vec::new());
        for (place, part) in [names.query, names.key, names.value].into_iter().enumerate() {
            let (matrix, bias) = matrix(weights, &names.full(number, part), hidden, hidden)?;
            // Dividing the query once is the same as dividing its products.
            let divisor = if place == 0 { ((hidden / shape.heads) as f32).sqrt() } else { 1.0 };
            stacked.0.extend(matrix.iter().map(|value| value / divisor));
            stacked.1.extend(bias.iter().map(|value| value / divisor));
        }
        Ok(Self {
            projection: Linear::pack(processor, precision, &stacked.0, hidden, stacked.1),
            attention_output: linear(names.attention_output, hidden, hidden)?,
            attention_norm: norm(names.attention_norm)?,
            intermediate: linear(names.intermediate, hidden, wide)?,
            output: linear(names.output, wide, hidden)?,
            output_norm: norm(names.output_norm)?,
        })
    }

    /// Replaces `workspace.hidden` with this layer's output.
    pub(super) fn apply(
        &self,
        processor: Processor,
        shape: &ModelConfig,
        lengths: &[usize],
        workspace: &mut Workspace,
    ) {
        let Workspace { hidden, projected, context, wide, products, attention, factors } =
            workspace;
        self.projection.apply(processor, hidden, projected, factors);
        let heads = Heads::new(processor, shape);
        heads.attend(lengths, projected, context, attention);
        self.attention_output.apply(processor, context, products, factors);
        add_and_normalize(processor, hidden, products, self.attention_norm.parts());
        self.intermediate.apply(processor, hidden, wide, factors);
        shape.activation.apply(processor, wide);
        self.output.apply(processor, wide, products, factors);
        add_and_normalize(processor, hidden, products, self.output_norm.parts());
    }
}

impl Norm {
    pub(super) fn load(weights: &Weights<'_>, name: &str, shape: &ModelConfig) -> Result<Self> {
        let vector = |part: &str| weights.values(&format!("{name}.{part}"), &[shape.hidden]);
        Ok(Self { weight: vector("weight")?, bias: vector("bias")?, epsilon: shape.epsilon })
    }

    pub(super) fn parts(&self) -> (&[f32], &[f32], f32) {
        (&self.weight, &self.bias, self.epsilon)
    }
}

fn matrix(
    weights: &Weights<'_>,
    name: &str,
    from: usize,
    to: usize,
) -> Result<(Vec<f32>, Vec<f32>)> {
    let matrix = weights.values(&format!("{name}.weight"), &[to, from])?;
    Ok((matrix, weights.values(&format!("{name}.bias"), &[to])?))
}
