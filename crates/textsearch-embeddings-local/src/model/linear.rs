//! A matrix with a bias, packed for this processor.

use crate::{
    Precision,
    compute::{Panels, Processor, QuantizedPanels, QuantizedRows, Rows, multiply},
};

#[derive(Debug)]
pub(super) struct Linear {
    weights: Weights,
    bias: Vec<f32>,
}

#[derive(Debug)]
enum Weights {
    Floats(Panels),
    Codes(QuantizedPanels),
}

/// Buffers for the left factor of a multiplication.
#[derive(Debug, Default)]
pub(super) struct Factors {
    interleaved: Vec<f32>,
    quantized: QuantizedRows,
}

impl Linear {
    pub(super) fn pack(
        processor: Processor,
        precision: Precision,
        matrix: &[f32],
        depth: usize,
        bias: Vec<f32>,
    ) -> Self {
        let weights = match precision {
            Precision::F32 => {
                let mut panels = Panels::default();
                let columns = Rows { data: matrix, stride: depth, count: bias.len() };
                panels.pack_columns(processor, columns, depth);
                Weights::Floats(panels)
            }
            Precision::Int8 => Weights::Codes(QuantizedPanels::pack_columns(matrix, depth)),
        };
        Self { weights, bias }
    }

    pub(super) fn apply(
        &self,
        processor: Processor,
        input: &[f32],
        output: &mut [f32],
        factors: &mut Factors,
    ) {
        let columns = self.bias.len();
        match &self.weights {
            Weights::Floats(panels) => {
                let count = output.len() / columns.max(1);
                let rows = Rows { data: input, stride: panels.depth(), count };
                let target = (output, columns);
                let interleaved = &mut factors.interleaved;
                multiply(processor, rows, panels, Some(&self.bias), target, interleaved);
            }
            Weights::Codes(panels) => {
                factors.quantized.multiply(processor, input, panels, &self.bias, output);
            }
        }
    }
}
