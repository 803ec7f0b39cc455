//! Normalisations, and their places around attention and feed-forward.

use textsearch_core::Result;

use crate::{
    compute::Norm,
    folder::{ModelConfig, NormKind, NormNames, Weights},
};

/// Loads a norm of rows of `size` elements.
pub(super) fn load_norm(
    weights: &Weights<'_>,
    name: &str,
    shape: &ModelConfig,
    size: usize,
) -> Result<Norm> {
    let kind = shape.layout.norm;
    let mut weight = weights.values(&format!("{name}.weight"), &[size])?;
    if kind == NormKind::RmsAroundOne {
        weight.iter_mut().for_each(|value| *value += 1.0);
    }
    Ok(Norm {
        weight,
        bias: weights.bias(name, size, shape.layout.has_biases)?,
        epsilon: shape.epsilon,
        is_centred: kind == NormKind::Layer,
    })
}

/// The norms around attention or feed-forward. Both add their output to their input.
#[derive(Debug)]
pub(super) struct Norms {
    input: Option<Norm>,
    output: Option<Norm>,
    sum: Option<Norm>,
}

impl Norms {
    pub(super) fn load(names: NormNames, load: impl Fn(&str) -> Result<Norm>) -> Result<Self> {
        let norm = |name: Option<&str>| name.map(&load).transpose();
        Ok(Self { input: norm(names.input)?, output: norm(names.output)?, sum: norm(names.sum)? })
    }

    /// Returns the input: `hidden`, or its normalised rows in `buffer`.
    pub(super) fn input<'a>(&self, hidden: &'a [f32], buffer: &'a mut [f32]) -> &'a [f32] {
        let Some(norm) = &self.input else { return hidden };
        buffer.copy_from_slice(hidden);
        norm.apply(buffer);
        buffer
    }

    /// Adds the output to `hidden`.
    pub(super) fn add(&self, hidden: &mut [f32], output: &mut [f32]) {
        if let Some(norm) = &self.output {
            norm.apply(output);
        }
        match &self.sum {
            Some(norm) => norm.add(hidden, output),
            None => hidden.iter_mut().zip(output).for_each(|(value, other)| *value += *other),
        }
    }
}
