//! Plans: typed calls that feed calls, checked against the functions' schemas before they run.
//!
//! A [`Plan`] is data: steps that call functions, with arguments that are literals, inputs, or
//! references to earlier results. [`PlanChecker`] finds its mistakes before anything runs, and
//! [`CheckedPlan::run`] runs it within [limits](PlanLimits), through the kernel's filters.
//!
//! [`Planner`] asks a model for a plan.
//!
//! The [guide] starts with a whole program.
//!
//! [guide]: https://github.com/textsearch-rs/textsearch/blob/main/docs/guide/plans.md
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod condition;
mod error;
mod limits;
mod plan;
mod planner;
mod problem;
mod reference;
mod run;
mod schema;
mod state;
mod template;
mod text;

pub use check::{CheckedPlan, PlanChecker};
pub use condition::{Condition, Operator};
pub use error::{PlanError, StepError};
pub use limits::PlanLimits;
pub use plan::{Plan, Step};
pub use planner::{MadePlan, Planner};
pub use problem::{InvalidPlan, PlanProblem, ProblemKind};
pub use run::{FailedAttempt, PlanEvent, PlanObserver, PlanOutcome, PlanProgress, RunOptions};
pub use state::{PlanState, StepState};

// The README is longer than one screen, so it is tested but not the front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
