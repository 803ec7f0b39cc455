//! The numbers that a model computes with.

/// How a model stores its weights and multiplies by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Precision {
    /// 32-bit floats, as the reference library computes.
    #[default]
    F32,
}
