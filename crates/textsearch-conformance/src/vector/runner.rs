//! Runs one case on a vector store.

use std::{
    panic::{AssertUnwindSafe, resume_unwind},
    time::Duration,
};

use futures_util::FutureExt as _;

use super::VectorSubject;

/// Far more than any case needs, so a hanging case fails.
const LONGEST: Duration = Duration::from_secs(300);

pub(super) fn run(subject: impl FnOnce() -> VectorSubject, case: impl AsyncFnOnce(&VectorSubject)) {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime can be built");
    runtime.block_on(async {
        let subject = subject();
        let limited = tokio::time::timeout(LONGEST, case(&subject));
        let outcome = AssertUnwindSafe(limited).catch_unwind().await;
        // The server may outlive the test.
        subject.clean_up().await;
        match outcome {
            Ok(ended) => ended.expect("the case ends in time"),
            Err(panic) => resume_unwind(panic),
        }
    });
}
