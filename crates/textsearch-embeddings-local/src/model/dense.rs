//! The module `Dense`: multiplies vectors by a matrix.

use textsearch_core::Result;

use super::linear::{Factors, Linear};
use crate::{
    Precision,
    compute::Activation,
    folder::{Fields, Folder, Weights},
};

const FILE: &str = "config.json";

/// `config.json` of the module `Dense`.
struct Config {
    size: usize,
    has_bias: bool,
    activation: Option<Activation>,
}

impl Config {
    fn new(fields: &Fields, from: usize) -> Result<Self, String> {
        let own = fields.size(&["in_features"])?;
        if own != from {
            return Err(format!("`in_features` is {own}, where the vectors have {from} elements"));
        }
        if fields.optional(&["use_residual"])? == Some(true) {
            return Err("`use_residual` is set, which is not supported".to_owned());
        }
        let name: Option<String> = fields.optional(&["activation_function"])?;
        let name = name.as_deref().unwrap_or("Tanh");
        let activation = match name.rsplit('.').next() {
            Some("Tanh") => Some(Activation::Tanh),
            Some("Identity") => None,
            _ => {
                return Err(format!(
                    "`activation_function` is `{name}`: supported are Identity and Tanh"
                ));
            }
        };
        Ok(Self {
            size: fields.size(&["out_features"])?,
            has_bias: fields.optional(&["bias"])?.unwrap_or(true),
            activation,
        })
    }
}

#[derive(Debug)]
pub(crate) struct Dense {
    linear: Linear,
    activation: Option<Activation>,
    size: usize,
}

impl Dense {
    /// `from` is the size of the vectors to multiply.
    fn load(folder: &Folder, from: usize) -> Result<Self> {
        let config = Config::new(&folder.json(FILE)?, from);
        let config = config.map_err(|what| folder.error(FILE, what))?;
        let bytes = Weights::bytes(folder)?;
        let weights = Weights::without_prefix(folder, &bytes)?;
        let bias = weights.bias("linear", config.size, config.has_bias)?;
        Self::pack(&weights, from, bias, config.activation)
    }

    /// Loads the matrix without bias that ColBERT's authors keep beside the transformer's.
    pub(crate) fn load_projection(weights: &Weights<'_>, from: usize) -> Result<Self> {
        let size = weights.shape("linear.weight").and_then(|shape| shape.first().copied());
        Self::pack(weights, from, vec![0.0; size.unwrap_or_default()], None)
    }

    fn pack(
        weights: &Weights<'_>,
        from: usize,
        bias: Vec<f32>,
        activation: Option<Activation>,
    ) -> Result<Self> {
        let size = bias.len();
        let matrix = weights.values("linear.weight", &[size, from])?;
        if size == 0 {
            return Err(weights.error("the tensor `linear.weight` has no rows"));
        }
        let linear = Linear::pack(Precision::F32, &matrix, from, bias);
        Ok(Self { linear, activation, size })
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
        self.linear.apply(vectors, &mut output, &mut Factors::default());
        if let Some(activation) = self.activation {
            activation.apply(&mut output);
        }
        output
    }
}
