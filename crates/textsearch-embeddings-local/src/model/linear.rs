//! A matrix with a bias, packed for this processor.

use crate::{
    Precision,
    compute::{Panels, Processor, Rows, multiply},
};

#[derive(Debug)]
pub(super) struct Linear {
    panels: Panels,
    bias: Vec<f32>,
}

impl Linear {
    pub(super) fn pack(
        processor: Processor,
        precision: Precision,
        matrix: &[f32],
        depth: usize,
        bias: Vec<f32>,
    ) -> Self {
        let Precision::F32 = precision;
        let mut panels = Panels::default();
        let columns = Rows { data: matrix, stride: depth, count: bias.len() };
        panels.pack_columns(processor, columns, depth);
        Self { panels, bias }
    }

    pub(super) fn apply(
        &self,
        processor: Processor,
        input: &[f32],
        output: &mut [f32],
        interleaved: &mut Vec<f32>,
    ) {
        let columns = self.bias.len();
        let count = output.len() / columns.max(1);
        let rows = Rows { data: input, stride: self.panels.depth(), count };
        let target = (output, columns);
        multiply(processor, rows, &self.panels, Some(&self.bias), target, interleaved);
    }
}
