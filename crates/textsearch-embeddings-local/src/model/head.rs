//! The head of a sequence classifier: from the vector of the first token to one logit.

use textsearch_core::Result;

use super::linear::{Factors, Linear};
use crate::{
    Precision,
    compute::Processor,
    folder::{ClassifierActivation, ModelConfig, Weights},
};

#[derive(Debug)]
pub(crate) struct Head {
    processor: Processor,
    dense: Linear,
    activation: fn(f32) -> f32,
    weight: Vec<f32>,
    bias: f32,
}

impl Head {
    pub(crate) fn load(weights: &Weights<'_>, shape: &ModelConfig) -> Result<Self> {
        let Some(names) = shape.layout.classifier else {
            let kind = shape.layout.model_types.join("`, `");
            return Err(weights.folder().error(
                "config.json",
                format_args!("`model_type` is `{kind}`, which is not supported for a reranker"),
            ));
        };
        let output = names.output;
        check_labels(weights, &format!("{output}.weight"))?;
        let hidden = shape.hidden;
        let dense_values = |part: &str, shape: &[usize]| {
            let name = format!("{}.{part}", names.dense);
            if names.is_prefixed {
                weights.values(&name, shape)
            } else {
                weights.head_values(&name, shape)
            }
        };
        let matrix = dense_values("weight", &[hidden, hidden])?;
        let processor = Processor::detect();
        let bias = weights.head_values(&format!("{output}.bias"), &[1])?;
        Ok(Self {
            processor,
            dense: Linear::pack(
                processor,
                // One row per text: nothing to save.
                Precision::F32,
                &matrix,
                hidden,
                dense_values("bias", &[hidden])?,
            ),
            activation: match names.activation {
                ClassifierActivation::Tanh => f32::tanh,
                ClassifierActivation::Relu => |value| value.max(0.0),
            },
            weight: weights.head_values(&format!("{output}.weight"), &[1, hidden])?,
            bias: bias.first().copied().unwrap_or_default(),
        })
    }

    /// `first` is the vector of a text's first token.
    pub(crate) fn logit(&self, first: &[f32]) -> f64 {
        let mut dense = vec![0.0; first.len()];
        self.dense.apply(self.processor, first, &mut dense, &mut Factors::default());
        let products = dense
            .iter()
            .zip(&self.weight)
            .map(|(value, weight)| f64::from((self.activation)(*value)) * f64::from(*weight));
        f64::from(self.bias) + products.sum::<f64>()
    }
}

fn check_labels(weights: &Weights<'_>, name: &str) -> Result<()> {
    match weights.head_shape(name).as_deref() {
        Some([1, ..]) => Ok(()),
        Some([labels, ..]) => Err(weights.error(format_args!(
            "the classifier has {labels} labels: supported is one, whose logit is the score"
        ))),
        _ => Err(weights.error(format_args!(
            "the tensor `{name}` is missing: only a sequence classifier can rerank, not a model of embeddings"
        ))),
    }
}
