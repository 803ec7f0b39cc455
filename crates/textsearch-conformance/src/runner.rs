//! Runs one case.

use std::{panic::resume_unwind, time::Duration};

use crate::{log_capture::LogCapture, secret::assert_secret, server};

/// Far more than any case needs, so a hanging case fails.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs a case of your own. It must not log the key.
///
/// # Panics
/// If the case fails.
pub fn run<S>(subject: impl FnOnce() -> S, case: impl AsyncFnOnce(S)) {
    // One thread separates the logs of a case from those of other tests.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime can be built");
    server::has_panicked();
    let logs = LogCapture::start();
    let case = async { tokio::time::timeout(LONGEST, case(subject())).await };
    runtime.block_on(case).expect("the case ends in time");
    if server::has_panicked() {
        // That panic has printed a backtrace.
        resume_unwind(Box::new("the function that answers for the provider panicked"));
    }
    assert_secret(&logs.text(), "the log");
}
