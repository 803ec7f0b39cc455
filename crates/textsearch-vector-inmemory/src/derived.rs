//! What follows from data that may change.

use std::sync::OnceLock;

/// Made by the first who asks for it, and shared with all who read the same data until they change.
///
/// A clone is empty: data are cloned to be changed, after which it would have to be made again.
pub(crate) struct Derived<T>(OnceLock<T>);

impl<T> Derived<T> {
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }

    /// To be called whenever the data change.
    pub(crate) fn forget(&mut self) {
        self.0.take();
    }
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Clone for Derived<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}
