//! What runs one case on a vector store.

use std::{
    fmt,
    panic::{AssertUnwindSafe, resume_unwind},
    pin::Pin,
    time::Duration,
};

use futures_util::FutureExt as _;

use super::{VectorSubject, cases};

/// How long a case may take: far longer than it does, so that one that hangs fails.
const LONGEST: Duration = Duration::from_secs(300);

type Run = for<'a> fn(&'a VectorSubject) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// One case of the suite, for a program that runs them itself.
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
    /// What the case proves, as the name of a test.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the case on a subject of its own.
    ///
    /// # Panics
    /// Where the case fails.
    pub fn run(&self, subject: impl FnOnce() -> VectorSubject) {
        run_vector_case(subject, self.run);
    }
}

impl fmt::Debug for VectorCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("VectorCase").field(&self.name).finish()
    }
}

/// Every case of the suite.
pub fn vector_cases() -> &'static [VectorCase] {
    macro_rules! list {
        ($($case:ident),* $(,)?) => {
            &[$(VectorCase { name: stringify!($case), run: |subject| Box::pin(cases::$case(subject)) }),*]
        };
    }
    crate::each_vector_case!(list)
}

/// Runs one case; what the tests that [`vector_suite!`](crate::vector_suite) makes call.
///
/// # Panics
/// Where the case fails: that is what a failed test is.
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
        // A server that outlives the test keeps no collections of it.
        subject.clean_up().await;
        match outcome {
            Ok(ended) => ended.expect("the case ends in time"),
            Err(panic) => resume_unwind(panic),
        }
    });
}
