//! Attention: each token's new vector is a mean of the text's, weighted by how well their keys fit its query.

use crate::{
    compute::{Panels, Processor, Rows, multiply, softmax},
    folder::Geometry,
};

/// Buffers that are used for one head after the other.
#[derive(Debug, Default)]
pub(super) struct AttentionBuffers {
    keys: Panels,
    values: Panels,
    scores: Vec<f32>,
}

/// How a token's vector divides among the heads.
pub(super) struct Heads {
    processor: Processor,
    count: usize,
    hidden: usize,
    /// The number of elements of one head.
    size: usize,
}

impl Heads {
    pub(super) fn new(processor: Processor, geometry: &Geometry) -> Self {
        let (count, hidden) = (geometry.heads, geometry.hidden);
        Self { processor, count, hidden, size: hidden / count }
    }

    /// Reads queries, keys and values from `projected` and writes the weighted means to `context`.
    pub(super) fn attend(
        &self,
        lengths: &[usize],
        mut projected: &[f32],
        mut context: &mut [f32],
        buffers: (&mut AttentionBuffers, &mut Vec<f32>),
    ) {
        let (buffers, interleaved) = buffers;
        for length in lengths {
            let Some((text, later)) = projected.split_at_checked(length * 3 * self.hidden) else {
                return;
            };
            let (own, others) = std::mem::take(&mut context).split_at_mut(length * self.hidden);
            for head in 0..self.count {
                self.attend_one(text, *length, head, own, (&mut *buffers, &mut *interleaved));
            }
            (projected, context) = (later, others);
        }
    }

    fn attend_one(
        &self,
        text: &[f32],
        length: usize,
        head: usize,
        context: &mut [f32],
        (buffers, interleaved): (&mut AttentionBuffers, &mut Vec<f32>),
    ) {
        let AttentionBuffers { keys, values, scores } = buffers;
        let part = |number: usize| Rows {
            data: text.get(number * self.hidden + head * self.size..).unwrap_or_default(),
            stride: 3 * self.hidden,
            count: length,
        };
        keys.pack_columns(self.processor, part(1), self.size);
        scores.clear();
        scores.resize(length * length, 0.0);
        let queries = Rows { ..part(0) };
        multiply(self.processor, queries, keys, None, (scores, length), interleaved);
        softmax(self.processor, scores, length);
        values.pack_rows(self.processor, part(2), self.size);
        let scores = Rows { data: scores, stride: length, count: length };
        let target = context.get_mut(head * self.size..).unwrap_or_default();
        multiply(self.processor, scores, values, None, (target, self.hidden), interleaved);
    }
}
