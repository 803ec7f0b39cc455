//! The bullets of a contract, their cases, and the report of a run.

use std::{
    any::Any,
    cell::RefCell,
    fmt::{self, Display},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

thread_local! {
    /// Why the current case skipped something. A case runs on the thread that called `block_on`.
    static SKIPPED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// One promise of a contract, and the cases that test it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bullet {
    /// A short name, such as `filters`.
    pub id: &'static str,
    /// The promise, as a sentence.
    pub promise: &'static str,
}

/// One case of a suite, for a program that runs the cases itself. `S` is the subject under test.
pub struct Case<S> {
    pub(crate) bullet: Bullet,
    pub(crate) name: &'static str,
    pub(crate) needs_http: bool,
    pub(crate) run: fn(&dyn Fn() -> S),
}

impl<S> Case<S> {
    /// Returns the fact that the case proves, as a test name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the promise that the case tests.
    pub fn bullet(&self) -> Bullet {
        self.bullet
    }

    /// Returns whether the case needs a subject over HTTP. Others run on any subject.
    pub fn needs_http(&self) -> bool {
        self.needs_http
    }

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
            let message = format!("contract \"{}\" is broken: {message}", self.bullet.promise);
            eprintln!("{message}");
            // The case's own panic has printed a backtrace. This prints no second one.
            resume_unwind(Box::new(message));
        }
    }
}

impl<S> fmt::Debug for Case<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Case").field(&self.name).finish()
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

/// The outcomes of a suite's cases, by bullet. Prints as a summary with reasons.
///
/// ```
/// use textsearch_conformance::{
///     Capabilities, Report, Subject, core::{FixedSearch, TextSearchResult}, search_cases,
/// };
///
/// // It loses all documents.
/// let empty = || FixedSearch::new(Vec::<TextSearchResult>::new());
/// let subject = || Subject::without_http(move |_| async move { Ok(empty()) }, Capabilities::default());
/// let cases = search_cases().iter().filter(|case| !case.needs_http());
/// let report = Report::of(cases, subject);
/// assert!(!report.is_success());
/// assert_eq!(report.broken()[0].id, "counts");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    rows: Vec<Row>,
}

type Row = (Bullet, &'static str, Outcome);

impl Report {
    /// Runs the cases, each on a new subject.
    pub fn of<'a, S: 'a>(
        cases: impl IntoIterator<Item = &'a Case<S>>,
        subject: impl Fn() -> S,
    ) -> Self {
        let row = |case: &Case<S>| (case.bullet, case.name, case.outcome(&subject));
        Self { rows: cases.into_iter().map(row).collect() }
    }

    /// Returns whether no case failed.
    pub fn is_success(&self) -> bool {
        self.broken().is_empty()
    }

    /// Returns the bullets with a failed case.
    pub fn broken(&self) -> Vec<Bullet> {
        let failed = self.rows.iter().filter(|(.., outcome)| is_failed(outcome));
        let mut broken: Vec<Bullet> = failed.map(|(bullet, ..)| *bullet).collect();
        broken.dedup();
        broken
    }

    /// Returns the name and outcome of each case, in order.
    pub fn outcomes(&self) -> impl Iterator<Item = (&'static str, &Outcome)> {
        self.rows.iter().map(|(_, case, outcome)| (*case, outcome))
    }
}

fn is_failed(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(_))
}

fn summary(rows: &[Row]) -> String {
    let count = |is_counted: fn(&Outcome) -> bool| {
        rows.iter().filter(|(.., outcome)| is_counted(outcome)).count()
    };
    let passed = count(|outcome| *outcome == Outcome::Passed);
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    format!("{passed} passed, {skipped} skipped, {} failed", count(is_failed))
}

impl Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rows in self.rows.chunk_by(|(bullet, ..), (next, ..)| bullet == next) {
            let [(bullet, ..), ..] = rows else { continue };
            writeln!(formatter, "{}: {} {}", bullet.id, bullet.promise, summary(rows))?;
            for (_, case, outcome) in rows {
                match outcome {
                    Outcome::Passed => {}
                    Outcome::Skipped(reason) => {
                        writeln!(formatter, "  skipped {case}: {reason}")?;
                    }
                    Outcome::Failed(message) => {
                        writeln!(formatter, "  failed {case}: {message}")?;
                    }
                }
            }
        }
        write!(formatter, "total: {}", summary(&self.rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Bullet = Bullet { id: "first", promise: "Does one thing." };
    const SECOND: Bullet = Bullet { id: "second", promise: "Does another." };

    fn case<S>(bullet: Bullet, name: &'static str, run: fn(&dyn Fn() -> S)) -> Case<S> {
        Case { bullet, name, needs_http: false, run }
    }

    fn report() -> Report {
        let cases: [Case<u8>; 3] = [
            case(FIRST, "it_passes", |subject| assert_eq!(subject(), 7)),
            case(FIRST, "it_skips", |_| skipped("pages")),
            case(SECOND, "it_fails", |subject| assert_ne!(subject(), 7, "seven")),
        ];
        Report::of(&cases, || 7)
    }

    #[test]
    fn a_report_counts_outcomes_by_bullet() {
        let report = report();
        let expected = "first: Does one thing. 1 passed, 1 skipped, 0 failed\n  \
                        skipped it_skips: needs pages\n\
                        second: Does another. 0 passed, 0 skipped, 1 failed\n  \
                        failed it_fails: assertion `left != right` failed: seven\n  \
                        left: 7\n right: 7\n\
                        total: 1 passed, 1 skipped, 1 failed";
        assert_eq!(report.to_string(), expected);
        assert_eq!(report.broken(), [SECOND]);
        assert!(!report.is_success());
    }

    #[test]
    fn a_reason_belongs_to_one_case() {
        let skip = case(FIRST, "skips", |subject: &dyn Fn() -> &'static str| {
            skipped(subject());
        });
        assert_eq!(skip.outcome(|| "one"), Outcome::Skipped("needs one".to_owned()));
        assert_eq!(skip.outcome(|| "two"), Outcome::Skipped("needs two".to_owned()));
    }

    #[test]
    #[should_panic(expected = "contract \"Does another.\" is broken: it is off")]
    fn a_failure_names_its_promise() {
        case::<u8>(SECOND, "it_fails", |_| panic!("it is off")).run(|| 7);
    }
}
