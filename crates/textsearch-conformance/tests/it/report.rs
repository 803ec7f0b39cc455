//! Outcomes of several cases.

use textsearch_conformance::{Case, Outcome};

/// The bullet, the name and the outcome of each case.
#[derive(Debug)]
pub(crate) struct Report(Vec<(&'static str, &'static str, Outcome)>);

impl Report {
    /// Runs the cases, each on a new subject.
    pub(crate) fn run<'a, S: 'a>(
        cases: impl IntoIterator<Item = &'a Case<S>>,
        subject: impl Fn() -> S,
    ) -> Self {
        let row = |case: &Case<S>| (case.bullet, case.name, case.outcome(&subject));
        Self(cases.into_iter().map(row).collect())
    }

    /// Returns the bullets with a failed case.
    pub(crate) fn broken(&self) -> Vec<&'static str> {
        let failed = self.0.iter().filter(|(.., outcome)| matches!(outcome, Outcome::Failed(_)));
        let mut broken: Vec<_> = failed.map(|(bullet, ..)| *bullet).collect();
        broken.dedup();
        broken
    }

    pub(crate) fn assert_success(&self) {
        assert!(self.broken().is_empty(), "{self:#?}");
    }

    /// Returns the names of the cases that skipped something.
    pub(crate) fn skipped(&self) -> Vec<&'static str> {
        let skipped = self.0.iter().filter(|(.., outcome)| matches!(outcome, Outcome::Skipped(_)));
        skipped.map(|(_, name, _)| *name).collect()
    }
}
