//! What runs one case.

use std::time::Duration;

use crate::{Subject, log_capture::LogCapture, secret::assert_secret, server};

/// How long a case may take: far longer than it does, so that one that hangs fails.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs one case; what the tests that [`suite!`](crate::suite) makes call.
///
/// Whatever the case is about, what is logged in it at any level must not hold the key.
///
/// # Panics
/// Where the case fails: that is what a failed test is.
pub fn run(subject: impl FnOnce() -> Subject, case: impl AsyncFnOnce(Subject)) {
    // One thread for all: what is logged during a case can be told apart from what other tests log.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime can be built");
    server::has_panicked();
    let logs = LogCapture::start();
    let case = async { tokio::time::timeout(LONGEST, case(subject())).await };
    runtime.block_on(case).expect("the case ends in time");
    assert!(!server::has_panicked(), "the function that answers for the provider panicked");
    assert_secret(&logs.text(), "the log");
}

/// Says that a case cannot be tried, for want of a capability.
#[expect(clippy::print_stdout, reason = "the test harness shows it beside the name of the test")]
pub(crate) fn skipped(needs: &str) {
    println!("skipped: needs {needs}");
}
