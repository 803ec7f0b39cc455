//! Limits the work on schemas.

/// What is left of the work that one check may do. Schemas come from servers, and may be made so
/// that each level of a value doubles the work.
///
/// With nothing left, a check of types passes, because the run checks values again, and a check of
/// a value fails.
#[derive(Debug)]
pub(crate) struct Work {
    /// In visits of a schema.
    left: usize,
}

const ALWAYS: usize = 640_000;
const PER_BYTE: usize = 32;

impl Default for Work {
    fn default() -> Self {
        Self { left: ALWAYS }
    }
}

impl Work {
    /// Suffices for a value of about `size` bytes as JSON if each of its parts has dozens of
    /// alternatives.
    pub(crate) fn for_value(size: usize) -> Self {
        Self { left: size.saturating_mul(PER_BYTE).saturating_add(ALWAYS) }
    }

    /// Returns whether anything is left.
    pub(super) fn spend(&mut self, visits: usize) -> bool {
        self.left = self.left.saturating_sub(visits);
        self.left > 0
    }

    pub(crate) const fn is_spent(&self) -> bool {
        self.left == 0
    }
}
