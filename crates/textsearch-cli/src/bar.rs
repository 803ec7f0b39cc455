//! The progress bar on standard error, which other lines must not break.

use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Runs `print` with the bar hidden.
pub(crate) fn write_above<T>(print: impl FnOnce() -> T) -> T {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// Replaces the bar.
pub(crate) fn show(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}
