//! One layer: attention, then feed-forward: two matrices with an activation between them. The input
//! is added after each.

use textsearch_core::Result;

use super::{
    attention::{HeadNorms, Heads, Length, PositionEncoding},
    linear::Linear,
    norm::{Norms, load_norm},
    workspace::Workspace,
};
use crate::{
    Precision,
    folder::{ModelConfig, NormNames, Weights},
};

/// Weights, packed for this processor.
#[derive(Debug)]
pub(super) struct Layer {
    /// Queries, keys and values side by side: one multiplication.
    projection: Linear,
    head_norms: Option<HeadNorms>,
    attention_output: Linear,
    attention_norms: Norms,
    intermediate: Linear,
    output: Linear,
    output_norms: Norms,
}

impl Layer {
    pub(super) fn load(
        weights: &Weights<'_>,
        shape: &ModelConfig,
        precision: Precision,
        number: usize,
    ) -> Result<Self> {
        let names = shape.layout.layer;
        let loader = Loader { weights, shape, precision, number };
        let ModelConfig { hidden, intermediate, .. } = *shape;
        let queries = shape.heads * shape.head_size;
        let wide = [intermediate; 2];
        let wide = if names.is_gated { &wide[..] } else { &wide[..1] };
        let mut attention_norms = names.attention_norms;
        if number == 0 && shape.layout.embeddings_norm.is_some() {
            attention_norms.input = None;
        }
        let head_norms = names.head_norms.map(|names| loader.head_norms(names)).transpose()?;
        Ok(Self {
            projection: loader.projection(head_norms.is_none())?,
            head_norms,
            attention_output: loader.linear(&[names.attention_output], &[hidden], queries)?,
            attention_norms: loader.norms(attention_norms)?,
            intermediate: loader.linear(names.intermediate, wide, hidden)?,
            output: loader.linear(&[names.output], &[hidden], intermediate)?,
            output_norms: loader.norms(names.output_norms)?,
        })
    }

    /// Replaces `workspace.hidden` with this layer's output.
    pub(super) fn apply(
        &self,
        shape: &ModelConfig,
        positions: &PositionEncoding,
        lengths: &[Length],
        workspace: &mut Workspace,
    ) {
        let Workspace { hidden, projected, context, wide, products, attention, factors } =
            workspace;
        let input = self.attention_norms.input(hidden, products);
        self.projection.apply(input, projected, factors);
        let heads = Heads { shape, norms: self.head_norms.as_ref(), positions };
        heads.attend(lengths, projected, context, attention);
        self.attention_output.apply(context, products, factors);
        self.attention_norms.add(hidden, products);
        let input = self.output_norms.input(hidden, products);
        self.intermediate.apply(input, wide, factors);
        let activated = activate(shape, wide);
        self.output.apply(activated, products, factors);
        self.output_norms.add(hidden, products);
    }
}

/// Returns the vectors for the second matrix, at the start of `wide`.
fn activate<'a>(shape: &ModelConfig, wide: &'a mut [f32]) -> &'a [f32] {
    if !shape.layout.layer.is_gated {
        shape.activation.apply(wide);
        return wide;
    }
    shape.activation.gate(wide, shape.intermediate);
    wide.get(..wide.len() / 2).unwrap_or_default()
}

struct Loader<'a> {
    weights: &'a Weights<'a>,
    shape: &'a ModelConfig,
    precision: Precision,
    number: usize,
}

impl Loader<'_> {
    fn name(&self, part: &str) -> String {
        format!("{}.{}.{part}", self.shape.layout.layer.layers, self.number)
    }

    fn norms(&self, names: NormNames) -> Result<Norms> {
        let norm =
            |part: &str| load_norm(self.weights, &self.name(part), self.shape, self.shape.hidden);
        Norms::load(names, norm)
    }

    fn head_norms(&self, names: [&str; 2]) -> Result<HeadNorms> {
        let [query, key] = names.map(|part| self.name(part));
        HeadNorms::load(self.weights, [&query, &key], self.shape)
    }

    fn projection(&self, divides_queries: bool) -> Result<Linear> {
        let ModelConfig { hidden, heads, key_heads, head_size, .. } = *self.shape;
        let rows = [heads, key_heads, key_heads].map(|heads| heads * head_size);
        let (mut matrix, mut bias) =
            self.stacked(self.shape.layout.layer.projection, &rows, hidden)?;
        if divides_queries {
            // Dividing the query once is the same as dividing its products.
            let divisor = self.shape.score_divisor.sqrt();
            let queries = matrix.iter_mut().take(heads * head_size * hidden);
            let biases = bias.iter_mut().take(heads * head_size);
            queries.chain(biases).for_each(|value| *value /= divisor);
        }
        Ok(Linear::pack(self.precision, &matrix, hidden, bias))
    }

    fn linear(&self, parts: &[&str], rows: &[usize], from: usize) -> Result<Linear> {
        let (matrix, bias) = self.stacked(parts, rows, from)?;
        Ok(Linear::pack(self.precision, &matrix, from, bias))
    }

    /// Returns the rows of all parts, and their biases. One part may have the rows of all.
    fn stacked(&self, parts: &[&str], rows: &[usize], from: usize) -> Result<(Vec<f32>, Vec<f32>)> {
        let all = [rows.iter().sum()];
        let rows = if parts.len() == 1 { &all } else { rows };
        let mut matrix = Vec::new();
        let mut bias = Vec::new();
        for (part, rows) in parts.iter().zip(rows) {
            let name = self.name(part);
            matrix.extend(self.weights.values(&format!("{name}.weight"), &[*rows, from])?);
            bias.extend(self.weights.bias(&name, *rows, self.shape.layout.has_biases)?);
        }
        Ok((matrix, bias))
    }
}
