//! What the code that the attributes generate calls. Not for use by hand: it may change with any release.

use std::convert::Infallible;

pub use schemars;
pub use serde;

/// What a function returned, on its way to a result.
///
/// A `Result` has the method [`into_result`](Self::into_result) itself, and anything else has it by [`IntoResult`]: so
/// the compiler, which sees through aliases, tells the two apart.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "generated code makes it")]
pub struct Returned<T>(pub T);

impl<T, E> Returned<Result<T, E>> {
    /// The result itself.
    ///
    /// # Errors
    ///
    /// The function's own.
    pub fn into_result(self) -> Result<T, E> {
        self.0
    }
}

/// For functions that cannot fail.
pub trait IntoResult {
    /// What the function returned.
    type Value;

    /// The value as a result.
    ///
    /// # Errors
    ///
    /// None.
    fn into_result(self) -> Result<Self::Value, Infallible>;
}

impl<T> IntoResult for Returned<T> {
    type Value = T;

    fn into_result(self) -> Result<T, Infallible> {
        Ok(self.0)
    }
}

/// Compiles where a value can be shared by calls that run at the same time.
pub const fn assert_shareable<T: Send + Sync + 'static + ?Sized>() {}
