//! Limits of a page.

/// Limits of a page. A page that exceeds one is rejected.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum nesting depth of elements. Default: 512.
    pub max_depth: usize,
    /// Maximum number of elements, including hidden ones and those that browsers add. Default:
    /// 100,000.
    pub max_elements: usize,
    /// Maximum sum of the depths of all tags. Default: 4,000,000. It bounds the time of
    /// parsers that visit all ancestors of an element.
    pub max_work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_depth: 512, max_elements: 100_000, max_work: 4_000_000 }
    }
}

/// The limit that a page exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Excess {
    /// Elements are nested too deeply.
    #[error("elements nested too deeply; expected {0}")]
    Depth(usize),
    /// There are too many elements.
    #[error("too many elements; expected {0}")]
    Elements(usize),
    /// Tags are misnested so badly that repairing them takes too long.
    #[error("misnested tags that take too long to repair")]
    Misnested,
    /// The sum of the depths of all tags is too large.
    #[error("too many elements nested too deeply: their depths may add up to {0}")]
    Work(usize),
}
