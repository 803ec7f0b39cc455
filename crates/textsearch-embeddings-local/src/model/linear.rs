//! A matrix with a bias, packed for this processor.

use crate::{
    Precision,
    compute::{Panels, Processor, QuantizedPanels, QuantizedRows, Rows, multiply},
};

/// Products are at most 255 × 127.
const MAX_CODES: usize = 1 << 16;

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
    pub(super) fn pack(precision: Precision, matrix: &[f32], depth: usize, bias: Vec<f32>) -> Self {
        let weights = match precision {
            // Longer sums of 8-bit products may exceed 32 bits.
            Precision::Int8 if depth <= MAX_CODES => {
                Weights::Codes(QuantizedPanels::pack_columns(matrix, depth))
            }
            _ => {
                let mut panels = Panels::default();
                let columns = Rows { data: matrix, stride: depth, count: bias.len() };
                panels.pack_columns(Processor::detect(), columns, depth);
                Weights::Floats(panels)
            }
        };
        Self { weights, bias }
    }

    pub(super) fn apply(&self, input: &[f32], output: &mut [f32], factors: &mut Factors) {
        let processor = Processor::detect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_may_exceed_32_bits_are_computed_in_floats() {
        for (depth, is_int8) in [(MAX_CODES, true), (MAX_CODES + 1, false)] {
            let matrix = vec![1.0; depth];
            let linear = Linear::pack(Precision::Int8, &matrix, depth, vec![0.0]);
            assert_eq!(matches!(linear.weights, Weights::Codes(_)), is_int8);
            let input = [vec![0.0], vec![1.0; depth - 1]].concat();
            let mut output = [0.0];
            linear.apply(&input, &mut output, &mut Factors::default());
            assert!((output[0] / (depth - 1) as f32 - 1.0).abs() < 1e-4, "{output:?}");
        }
    }
}
