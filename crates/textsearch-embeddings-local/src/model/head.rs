//! The head of a sequence classifier: from a text's vector to one logit.

use textsearch_core::Result;

use super::{
    linear::{Factors, Linear},
    norm::load_norm,
};
use crate::{
    Precision,
    compute::{Activation, Norm},
    folder::{ModelConfig, Weights},
};

#[derive(Debug)]
pub(crate) struct Head {
    dense: Linear,
    activation: Activation,
    norm: Option<Norm>,
    weight: Vec<f32>,
    bias: f32,
}

impl Head {
    /// `own` has the names of the head, which have no prefix.
    pub(crate) fn load(
        weights: &Weights<'_>,
        own: &Weights<'_>,
        shape: &ModelConfig,
    ) -> Result<Self> {
        let Some(names) = shape.layout.classifier else {
            let kind = shape.layout.model_types.join("`, `");
            return Err(weights.folder().error(
                "config.json",
                format_args!("`model_type` is `{kind}`, which is not supported for a reranker"),
            ));
        };
        let output = names.output;
        check_labels(own, &format!("{output}.weight"))?;
        let hidden = shape.hidden;
        let bias = own.values(&format!("{output}.bias"), &[1])?;
        let source = if names.is_prefixed { weights } else { own };
        let matrix = source.values(&format!("{}.weight", names.dense), &[hidden, hidden])?;
        let biases = source.bias(names.dense, hidden, shape.layout.has_biases)?;
        let norm = names.norm.map(|name| load_norm(own, name, shape, hidden));
        Ok(Self {
            // One row per text: 8 bits would save nothing.
            dense: Linear::pack(Precision::F32, &matrix, hidden, biases),
            activation: names.activation,
            norm: norm.transpose()?,
            weight: own.values(&format!("{output}.weight"), &[1, hidden])?,
            bias: bias.first().copied().unwrap_or_default(),
        })
    }

    /// `pooled` is the vector of a text.
    pub(crate) fn logit(&self, pooled: &[f32]) -> f64 {
        let mut dense = vec![0.0; pooled.len()];
        self.dense.apply(pooled, &mut dense, &mut Factors::default());
        self.activation.apply(&mut dense);
        if let Some(norm) = &self.norm {
            norm.apply(&mut dense);
        }
        let products = dense
            .iter()
            .zip(&self.weight)
            .map(|(value, weight)| f64::from(*value) * f64::from(*weight));
        f64::from(self.bias) + products.sum::<f64>()
    }
}

fn check_labels(weights: &Weights<'_>, name: &str) -> Result<()> {
    match weights.shape(name).as_deref() {
        Some([1, ..]) => Ok(()),
        Some([labels, ..]) => Err(weights.error(format_args!(
            "the classifier has {labels} labels: supported is one, whose logit is the score"
        ))),
        _ => Err(weights.error(format_args!(
            "the tensor `{name}` is missing: only a sequence classifier can rerank, not a model of embeddings"
        ))),
    }
}
