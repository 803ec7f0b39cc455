//! The module `Dense`: multiplies vectors by a matrix.

use serde::Deserialize;
use textsearch_core::Result;

use super::linear::{Factors, Linear};
use crate::{
    Precision,
    compute::Processor,
    folder::{Folder, Weights},
};

const FILE: &str = "config.json";

/// `config.json` of the module `Dense`.
#[derive(Debug, Deserialize)]
struct Config {
    in_features: usize,
    out_features: usize,
    #[serde(default = "has_bias")]
    bias: bool,
    activation_function: Option<String>,
    #[serde(default)]
    use_residual: bool,
}

fn has_bias() -> bool {
    true
}

#[derive(Debug)]
pub(crate) struct Dense {
    processor: Processor,
    linear: Linear,
    applies_tanh: bool,
    size: usize,
}

impl Dense {
    /// `from` is the size of the vectors to multiply.
    fn load(folder: &Folder, from: usize) -> Result<Self> {
        let config: Config = folder.json(FILE)?;
        let refused = |what: std::fmt::Arguments<'_>| folder.error(FILE, what);
        if config.in_features != from {
            let other = config.in_features;
            return Err(refused(format_args!(
                "`in_features` is {other}, where the vectors have {from} elements"
            )));
        }
        if config.use_residual {
            return Err(refused(format_args!("`use_residual` is set, which is not supported")));
        }
        let activation = config.activation_function.as_deref().unwrap_or("Tanh");
        let applies_tanh = match activation.rsplit('.').next() {
            Some("Tanh") => true,
            Some("Identity") => false,
            _ => {
                return Err(refused(format_args!(
                    "`activation_function` is `{activation}`: supported are Identity and Tanh"
                )));
            }
        };
        let bytes = Weights::bytes(folder)?;
        let weights = Weights::without_prefix(folder, &bytes)?;
        let bias = weights.bias("linear", config.out_features, config.bias)?;
        Self::pack(&weights, from, bias, applies_tanh)
    }

    /// Loads the matrix without bias that ColBERT's authors keep beside the transformer's.
    pub(crate) fn load_projection(weights: &Weights<'_>, from: usize) -> Result<Self> {
        let size = weights.shape("linear.weight").and_then(|shape| shape.first().copied());
        Self::pack(weights, from, vec![0.0; size.unwrap_or_default()], false)
    }

    fn pack(
        weights: &Weights<'_>,
        from: usize,
        bias: Vec<f32>,
        applies_tanh: bool,
    ) -> Result<Self> {
        let size = bias.len();
        let matrix = weights.values("linear.weight", &[size, from])?;
        let processor = Processor::detect();
        let linear = Linear::pack(processor, Precision::F32, &matrix, from, bias);
        Ok(Self { processor, linear, applies_tanh, size })
    }

    /// Loads the matrices of these modules, each for the vectors of the one before.
    pub(crate) fn load_all(folder: &Folder, paths: &[String], from: usize) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::with_capacity(paths.len());
        for path in paths {
            let from = all.last().map_or(from, Self::size);
            all.push(Self::load(&folder.module(path), from)?);
        }
        Ok(all)
    }

    /// The number of elements of a result.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Multiplies each of `count` vectors.
    pub(crate) fn apply(&self, vectors: &[f32], count: usize) -> Vec<f32> {
        let mut output = vec![0.0; count * self.size];
        self.linear.apply(self.processor, vectors, &mut output, &mut Factors::default());
        if self.applies_tanh {
            output.iter_mut().for_each(|value| *value = value.tanh());
        }
        output
    }
}
