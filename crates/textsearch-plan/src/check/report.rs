//! Collects mistakes.

use crate::{InvalidPlan, PlanProblem, ProblemKind};

const MAX_PROBLEMS: usize = 50;

#[derive(Default)]
pub(super) struct Report {
    problems: Vec<PlanProblem>,
    more: usize,
}

impl Report {
    pub(super) fn add(
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
        let (step, place) = (step.map(str::to_owned), place.to_owned());
        self.problems.push(PlanProblem { kind, step, place, message: message.into() });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn into_error(self) -> InvalidPlan {
        InvalidPlan { problems: self.problems, more: self.more }
    }
}

/// Such as "argument `filter.days[0]`".
pub(super) fn at(place: &str, path: &str) -> String {
    let shown = crate::text::excerpt(path);
    match place.strip_suffix('`') {
        _ if path.is_empty() => place.to_owned(),
        Some(named) if path.starts_with('[') => format!("{named}{shown}`"),
        Some(named) => format!("{named}.{shown}`"),
        None => format!("{place} at `{shown}`"),
    }
}

/// Returns the path of a field of the value at `path`.
pub(super) fn field_of(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
