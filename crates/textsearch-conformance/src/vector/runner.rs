//! Runs one case on a vector store.

use std::{
    fmt,
    panic::{AssertUnwindSafe, resume_unwind},
    pin::Pin,
    time::Duration,
};

use futures_util::FutureExt as _;

use super::{VectorSubject, cases};

/// Far more than any case needs, so a hanging case fails.
const LONGEST: Duration = Duration::from_secs(300);

type Run = for<'a> fn(&'a VectorSubject) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// One case, for a program that runs the cases itself.
///
/// ```no_run
/// use textsearch_conformance::vector::{VectorSubject, vector_cases};
///
/// fn check(subject: fn() -> VectorSubject) {
///     for case in vector_cases() {
///         println!("{}", case.name());
///         case.run(subject);
///     }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct VectorCase {
    name: &'static str,
    run: Run,
}

impl VectorCase {
    /// Returns the fact that the case proves, as a test name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the case on a new subject.
    ///
    /// # Panics
    /// If the case fails.
    pub fn run(&self, subject: impl FnOnce() -> VectorSubject) {
        run_vector_case(subject, self.run);
    }
}

impl fmt::Debug for VectorCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("VectorCase").field(&self.name).finish()
    }
}

/// Returns every case of the suite.
pub fn vector_cases() -> &'static [VectorCase] {
    macro_rules! list {
        ($($case:ident),* $(,)?) => {
            &[$(VectorCase { name: stringify!($case), run: |subject| Box::pin(cases::$case(subject)) }),*]
        };
    }
    crate::each_vector_case!(list)
}

/// Runs one case, for the tests that [`vector_suite!`](crate::vector_suite) generates.
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
