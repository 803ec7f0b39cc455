//! Helpers shared by several tests.

use futures_util::FutureExt;

/// Returns the value of a future that never waits.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing here waits")
}
