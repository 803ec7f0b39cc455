//! Mistakes in a plan.

use std::fmt;

use crate::text::excerpt;

/// A mistake in a plan, found before anything runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanProblem {
    /// The kind of mistake.
    pub kind: ProblemKind,
    /// The identifier of the step; `None` if the mistake is elsewhere in the plan.
    pub step: Option<String>,
    /// The place in the step or the plan, such as "argument `date`"; may be empty.
    pub place: String,
    /// The mistake, and how to correct it.
    pub message: String,
}

/// A kind of mistake in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The name of a step or an input is no name, or another one has it. Names of inputs ignore case.
    InvalidId,
    /// The function does not exist, or the plan may not use it.
    UnknownFunction,
    /// The function has no such parameter, or the step passes it twice.
    UnknownArgument,
    /// A required argument is missing.
    MissingArgument,
    /// A reference is no JSON Path, or selects in a way that plans can't.
    InvalidReference,
    /// A reference names a step or an input that does not exist, or an item outside a loop.
    UnknownReference,
    /// A reference names the step itself or a later one, as in a cycle.
    LaterStep,
    /// A reference names a field that the function's result does not have.
    UnknownField,
    /// The type of a value does not fit.
    TypeMismatch,
    /// `for_each` is over something that is not a list.
    NotAList,
    /// A condition can't be decided.
    InvalidCondition,
    /// The plan is larger than a limit.
    TooLarge,
}

/// All mistakes in a plan, each on a line of the error's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct InvalidPlan {
    /// The mistakes, in the order of the plan; at least one.
    pub problems: Vec<PlanProblem>,
    /// The number of further mistakes, which are left out.
    pub more: usize,
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = self.step.as_ref().map(|id| format!("step `{}`", excerpt(id)));
        let place = (!self.place.is_empty()).then(|| self.place.clone());
        let places: Vec<String> = step.into_iter().chain(place).collect();
        let colon = if places.is_empty() { "" } else { ": " };
        write!(formatter, "{}{colon}{}", places.join(", "), self.message)
    }
}

impl fmt::Display for InvalidPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the plan cannot run:")?;
        for problem in &self.problems {
            write!(formatter, "\n{problem}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(formatter, "\nand {more} more"),
        }
    }
}
