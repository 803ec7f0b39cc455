//! Buffers of one thread, reused for each batch.

use super::linear::Factors;
use crate::{compute::AttentionBuffers, folder::ModelConfig};

#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// A vector per token.
    pub(super) hidden: Vec<f32>,
    /// Query, key and value per token.
    pub(super) projected: Vec<f32>,
    pub(super) context: Vec<f32>,
    pub(super) wide: Vec<f32>,
    pub(super) products: Vec<f32>,
    pub(super) attention: AttentionBuffers,
    pub(super) factors: Factors,
}

impl Workspace {
    /// Every value is written before it is read.
    pub(super) fn resize(&mut self, tokens: usize, shape: &ModelConfig) {
        self.hidden.resize(tokens * shape.hidden, 0.0);
        self.projected.resize(tokens * shape.projected(), 0.0);
        self.context.resize(tokens * shape.heads * shape.head_size, 0.0);
        self.wide.resize(tokens * shape.wide(), 0.0);
        self.products.resize(tokens * shape.hidden, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::shape_of_bert;

    #[test]
    fn memory_per_token_matches_the_documentation() {
        for (hidden, documented) in [(1024, 41_000), (384, 15_000)] {
            let mut workspace = Workspace::default();
            workspace.resize(1000, &shape_of_bert(hidden));
            let Workspace { hidden, projected, context, wide, products, .. } = &workspace;
            let buffers = [hidden, projected, context, wide, products];
            let bytes: usize = buffers.map(Vec::len).iter().sum::<usize>() * 4 / 1000;
            assert!(bytes.abs_diff(documented) < 500, "{bytes}");
        }
    }
}
