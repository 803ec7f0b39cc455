//! Support for generated code. Not for direct use: it may change in any release.

use std::convert::Infallible;

pub use schemars;
pub use serde;

/// Wraps a function's return value to convert it to a result.
///
/// A `Result` has an inherent method [`into_result`](Self::into_result), and any other type gets it
/// from [`IntoResult`]. The compiler sees through type aliases and picks the right one.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "generated code makes it")]
pub struct Returned<T>(pub T);

impl<T, E> Returned<Result<T, E>> {
    /// Returns the result itself.
    ///
    /// # Errors
    ///
    /// Returns the function's own error.
    pub fn into_result(self) -> Result<T, E> {
        self.0
    }
}

/// Converts the return value of an infallible function.
pub trait IntoResult {
    /// The type of the return value.
    type Value;

    /// Returns the value as a result.
    ///
    /// # Errors
    ///
    /// Never returns an error.
    fn into_result(self) -> Result<Self::Value, Infallible>;
}

impl<T> IntoResult for Returned<T> {
    type Value = T;

    fn into_result(self) -> Result<T, Infallible> {
        Ok(self.0)
    }
}

/// Compiles only if concurrent calls can share a value of type `T`.
pub const fn assert_shareable<T: Send + Sync + 'static + ?Sized>() {}
