//! Normalisations, and their places around attention and feed-forward.

use textsearch_core::Result;

use crate::{
    compute::{NormParts, Processor, add_and_normalize, normalize},
    folder::{ModelConfig, NormKind, NormNames, Weights},
};

#[derive(Debug)]
pub(super) struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
    is_centred: bool,
}

impl Norm {
    /// `size` is the size of the rows.
    pub(super) fn load(
        weights: &Weights<'_>,
        name: &str,
        shape: &ModelConfig,
        size: usize,
    ) -> Result<Self> {
        let kind = shape.layout.norm;
        let mut weight = weights.values(&format!("{name}.weight"), &[size])?;
        if kind == NormKind::RmsAroundOne {
            weight.iter_mut().for_each(|value| *value += 1.0);
        }
        Ok(Self {
            weight,
            bias: weights.bias(name, size, shape.layout.has_biases)?,
            epsilon: shape.epsilon,
            is_centred: kind == NormKind::Layer,
        })
    }

    pub(super) fn apply(&self, processor: Processor, rows: &mut [f32]) {
        normalize(processor, rows, self.parts());
    }

    /// Divides the normalised rows.
    pub(super) fn divide(&mut self, divisor: f32) {
        self.weight.iter_mut().chain(&mut self.bias).for_each(|value| *value /= divisor);
    }

    fn parts(&self) -> NormParts<'_> {
        let Self { weight, bias, epsilon, is_centred } = self;
        NormParts { weight, bias, epsilon: *epsilon, is_centred: *is_centred }
    }
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
    pub(super) fn input<'a>(
        &self,
        processor: Processor,
        hidden: &'a [f32],
        buffer: &'a mut [f32],
    ) -> &'a [f32] {
        let Some(norm) = &self.input else { return hidden };
        buffer.copy_from_slice(hidden);
        norm.apply(processor, buffer);
        buffer
    }

    /// Adds the output to `hidden`.
    pub(super) fn add(&self, processor: Processor, hidden: &mut [f32], output: &mut [f32]) {
        if let Some(norm) = &self.output {
            norm.apply(processor, output);
        }
        match &self.sum {
            Some(norm) => add_and_normalize(processor, hidden, output, norm.parts()),
            None => hidden.iter_mut().zip(output).for_each(|(value, other)| *value += *other),
        }
    }
}
