//! Collects mistakes.

use crate::{InvalidPlan, PlanProblem, ProblemKind};

const MAX_PROBLEMS: usize = 50;

#[derive(Default)]
pub(crate) struct Report {
    problems: Vec<PlanProblem>,
    more: usize,
}

impl Report {
    pub(crate) fn add(
        &mut self,
        kind: ProblemKind,
        step: Option<&str>,
        place: &str,
        message: impl Into<String>,
    ) {
        if self.problems.len() == MAX_PROBLEMS {
            self.more += 1;
            return;
        }
        let step = step.map(str::to_owned);
        let message = message.into();
        self.problems.push(PlanProblem { kind, step, place: place.to_owned(), message });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn into_error(self) -> InvalidPlan {
        InvalidPlan { problems: self.problems, more: self.more }
    }
}
