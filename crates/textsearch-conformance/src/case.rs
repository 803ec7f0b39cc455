//! The cases of a contract, and their outcomes.

use std::{
    any::Any,
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

thread_local! {
    /// Why the current case skipped something. A case runs on the thread that called `block_on`.
    static SKIPPED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// One case of a suite, for a program that runs the cases itself. `S` is the subject under test.
#[derive(Debug)]
#[non_exhaustive]
pub struct Case<S> {
    /// The short name of the promise that the case tests, such as `filters`.
    pub bullet: &'static str,
    /// The promise, as a sentence.
    pub promise: &'static str,
    /// The fact that the case proves, as a test name.
    pub name: &'static str,
    /// Whether the case needs a subject over HTTP. Others run on any subject.
    pub needs_http: bool,
    pub(crate) run: fn(&dyn Fn() -> S),
}

impl<S> Case<S> {
    /// Runs the case on a new subject, and returns its outcome.
    pub fn outcome(&self, subject: impl Fn() -> S) -> Outcome {
        SKIPPED.take();
        let ended = catch_unwind(AssertUnwindSafe(|| (self.run)(&subject)));
        let skipped = SKIPPED.take();
        match ended {
            Err(panic) => Outcome::Failed(message_of(&*panic)),
            Ok(()) if skipped.is_empty() => Outcome::Passed,
            Ok(()) => Outcome::Skipped(skipped.join("; ")),
        }
    }

    /// Runs the case on a new subject.
    ///
    /// # Panics
    /// If the case fails. The message names the broken promise.
    #[expect(clippy::print_stderr, reason = "the test harness shows it for a failed test")]
    pub fn run(&self, subject: impl Fn() -> S) {
        if let Outcome::Failed(message) = self.outcome(subject) {
            let message = format!("contract \"{}\" is broken: {message}", self.promise);
            eprintln!("{message}");
            // The case's own panic has printed a backtrace. This prints no second one.
            resume_unwind(Box::new(message));
        }
    }
}

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The subject keeps its promise.
    Passed,
    /// The subject doesn't declare a capability that the case needs. Contains the reason.
    Skipped(String),
    /// The subject breaks its promise. Contains the message of the panic.
    Failed(String),
}

/// Reports that the current case skips something, and why.
#[expect(clippy::print_stdout, reason = "the test harness shows it with `--show-output`")]
pub(crate) fn skipped(reason: impl Into<String>) {
    let reason = reason.into();
    println!("skipped: needs {reason}");
    SKIPPED.with_borrow_mut(|reasons| reasons.push(format!("needs {reason}")));
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case<S>(run: fn(&dyn Fn() -> S)) -> Case<S> {
        Case { bullet: "first", promise: "Does one thing.", name: "it", needs_http: false, run }
    }

    #[test]
    fn a_reason_belongs_to_one_case() {
        let skip = case(|subject: &dyn Fn() -> &'static str| skipped(subject()));
        assert_eq!(skip.outcome(|| "one"), Outcome::Skipped("needs one".to_owned()));
        assert_eq!(skip.outcome(|| "two"), Outcome::Skipped("needs two".to_owned()));
    }

    #[test]
    #[should_panic(expected = "contract \"Does one thing.\" is broken: it is off")]
    fn a_failure_names_its_promise() {
        case::<u8>(|_| panic!("it is off")).run(|| 7);
    }
}
