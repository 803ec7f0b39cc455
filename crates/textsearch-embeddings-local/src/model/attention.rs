//! Attention: a token's new vector is a mean of the text's, weighted by how well their keys fit its
//! query.

use crate::{
    compute::{self, AttentionBuffers, Head, Processor, Rows},
    folder::ModelConfig,
};

pub(super) struct Heads {
    processor: Processor,
    count: usize,
    hidden: usize,
    /// Elements per head.
    size: usize,
}

impl Heads {
    pub(super) fn new(processor: Processor, shape: &ModelConfig) -> Self {
        let count = shape.heads;
        let hidden = shape.hidden;
        Self { processor, count, hidden, size: hidden / count }
    }

    pub(super) fn attend(
        &self,
        lengths: &[usize],
        mut projected: &[f32],
        mut context: &mut [f32],
        buffers: &mut AttentionBuffers,
    ) {
        for length in lengths {
            let Some((text, later)) = projected.split_at_checked(length * 3 * self.hidden) else {
                return;
            };
            let (own, others) = std::mem::take(&mut context).split_at_mut(length * self.hidden);
            for head in 0..self.count {
                let output = own.get_mut(head * self.size..).unwrap_or_default();
                let head = self.head(text, *length, head);
                compute::attend(self.processor, &head, (output, self.hidden), buffers);
            }
            (projected, context) = (later, others);
        }
    }

    fn head<'a>(&self, text: &'a [f32], length: usize, number: usize) -> Head<'a> {
        let part = |place: usize| Rows {
            data: text.get(place * self.hidden + number * self.size..).unwrap_or_default(),
            stride: 3 * self.hidden,
            count: length,
        };
        Head { queries: part(0), keys: part(1), values: part(2), size: self.size }
    }
}
