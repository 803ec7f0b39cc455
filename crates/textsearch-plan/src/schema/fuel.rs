//! Bounds the work on schemas.

/// Bounds the work on schemas that grow when they are expanded. When it is used up, types accept
/// everything, and checks of values that aren't complete fail: the check of a plan passes, and its run
/// fails.
#[derive(Debug)]
pub(crate) struct Fuel {
    /// In comparisons of short values.
    left: u64,
    depth: u32,
}

const DEEPEST: u32 = 24;
const FUEL: u64 = 20_000 * STEP;
const FUEL_PER_BYTE: u64 = 4 * STEP;
/// The comparisons that a step of an expansion costs.
const STEP: u64 = 32;
/// The comparisons that an alternative costs.
const ALTERNATIVE: usize = 4;

impl Default for Fuel {
    fn default() -> Self {
        Self { left: FUEL, depth: 0 }
    }
}

impl Fuel {
    /// Suffices for a value of this size, about its length as JSON, if each part has a few
    /// alternatives.
    pub(crate) fn for_value(size: usize) -> Self {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        Self { left: size.saturating_mul(FUEL_PER_BYTE).saturating_add(FUEL), depth: 0 }
    }

    pub(crate) fn burn(&mut self) -> bool {
        self.left = self.left.saturating_sub(STEP);
        self.left > 0
    }

    /// Burns for quick work, such as comparisons of short values. Returns whether fuel is left.
    pub(crate) fn burn_for(&mut self, comparisons: usize) -> bool {
        self.left = self.left.saturating_sub(u64::try_from(comparisons).unwrap_or(u64::MAX));
        self.left > 0
    }

    pub(super) fn suffices_for(&self, comparisons: usize) -> bool {
        u64::try_from(comparisons).is_ok_and(|comparisons| self.left > comparisons)
    }

    pub(super) fn burn_for_alternatives(&mut self, count: usize) {
        self.burn_for(count.saturating_mul(ALTERNATIVE));
    }

    pub(crate) const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Does `work` one level deeper, unless that is too deep: then types accept everything.
    pub(super) fn deeper(&mut self, work: impl FnOnce(&mut Self) -> bool) -> bool {
        if self.depth >= DEEPEST || !self.burn() {
            return true;
        }
        self.depth += 1;
        let is_accepted = work(self);
        self.depth -= 1;
        is_accepted
    }
}
