//! The buffers of one thread, used again for each batch.

use crate::{compute::AttentionBuffers, folder::Geometry};

/// All values between the input and the output.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// The vector of each token.
    pub(super) hidden: Vec<f32>,
    /// The query, the key and the value of each token.
    pub(super) projected: Vec<f32>,
    pub(super) context: Vec<f32>,
    pub(super) wide: Vec<f32>,
    pub(super) products: Vec<f32>,
    pub(super) attention: AttentionBuffers,
    pub(super) interleaved: Vec<f32>,
}

impl Workspace {
    /// Makes room for so many tokens; every value is written before it is read.
    pub(super) fn resize(&mut self, tokens: usize, geometry: &Geometry) {
        self.hidden.resize(tokens * geometry.hidden, 0.0);
        self.projected.resize(tokens * 3 * geometry.hidden, 0.0);
        self.context.resize(tokens * geometry.hidden, 0.0);
        self.wide.resize(tokens * geometry.intermediate, 0.0);
        self.products.resize(tokens * geometry.hidden, 0.0);
    }
}
