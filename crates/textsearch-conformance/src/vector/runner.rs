//! Runs one case on a vector store.

use std::{
    panic::{AssertUnwindSafe, resume_unwind},
    time::Duration,
};

use futures_util::FutureExt as _;

use super::VectorSubject;
use crate::report::Bullet;

/// Far more than any case needs, so a hanging case fails.
const LONGEST: Duration = Duration::from_secs(300);

/// Runs a case of your own.
///
/// # Panics
/// If the case fails.
pub fn run_vector_case(
    subject: impl FnOnce() -> VectorSubject,
    case: impl AsyncFnOnce(&VectorSubject),
) {
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

/// Runs one case for the test that [`vector_suite!`](crate::vector_suite) generates.
#[doc(hidden)]
pub fn check(
    id: &'static str,
    promise: &'static str,
    subject: impl FnOnce() -> VectorSubject,
    case: impl AsyncFnOnce(&VectorSubject),
) {
    Bullet::new(id, promise).check(|| run_vector_case(subject, case));
}
