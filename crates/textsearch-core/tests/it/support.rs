//! Shared helpers.

use futures_util::FutureExt;

pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing here waits")
}
