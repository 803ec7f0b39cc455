//! Bounds the work on schemas.

/// Bounds the work on schemas that grow when they are expanded. When it is used up, types accept
/// everything and values fit none: the check of a plan passes, and its run fails.
#[derive(Debug)]
pub(crate) struct Fuel {
    left: u32,
    depth: u32,
}

const DEEPEST: u32 = 24;
const FUEL: u32 = 20_000;
const FUEL_PER_BYTE: u32 = 4;
/// The number of values that a unit of fuel compares.
const COMPARISONS: usize = 32;
/// The number of comparisons that an alternative costs.
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
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        Self { left: size.saturating_mul(FUEL_PER_BYTE).saturating_add(FUEL), depth: 0 }
    }

    pub(crate) fn burn(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// Burns for comparisons with `values` values, which are quick.
    pub(super) fn burn_for(&mut self, values: usize) {
        let units = u32::try_from(values / COMPARISONS).unwrap_or(u32::MAX);
        self.left = self.left.saturating_sub(units);
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
