//! A value computed on first use.

use std::sync::OnceLock;

/// A clone is empty: data is cloned to be changed, and the change would make the value stale.
pub(crate) struct Cached<T>(OnceLock<T>);

impl<T> Cached<T> {
    pub(crate) fn get_or_compute(&self, compute: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(compute)
    }

    /// Call this whenever the data changes.
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
