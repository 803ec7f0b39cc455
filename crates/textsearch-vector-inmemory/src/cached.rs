//! A value computed on first use.

use std::sync::OnceLock;

/// Computed by the first caller that needs it, then shared with all readers of the same data.
///
/// A clone is empty: data are cloned to be changed, and the change would make the value stale.
pub(crate) struct Cached<T>(OnceLock<T>);

impl<T> Cached<T> {
    /// Returns the value, computing it if needed.
    pub(crate) fn get_or_compute(&self, compute: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(compute)
    }

    /// Drops the value. Call it whenever the data change.
    pub(crate) fn clear(&mut self) {
        self.0.take();
    }
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Clone for Cached<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}
