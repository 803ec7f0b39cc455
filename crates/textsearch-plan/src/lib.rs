#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod budget;
mod check;
mod condition;
mod error;
mod limits;
mod order;
mod plan;
mod planner;
mod problem;
mod reference;
mod run;
mod schema;
mod size;
mod state;
mod template;
mod text;

pub use check::{CheckedPlan, PlanChecker};
pub use condition::{Condition, Operator};
pub use error::PlanError;
pub use limits::PlanLimits;
pub use plan::{Plan, Step};
pub use planner::{MadePlan, Planner};
pub use problem::{InvalidPlan, PlanProblem, ProblemKind};
pub use run::{FailedAttempt, PlanEvent, PlanObserver, PlanOutcome, RunOptions};
pub use state::{PlanState, StepState};
