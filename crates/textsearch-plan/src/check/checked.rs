//! A plan that passed the check.

use std::{fmt, sync::Arc};

use textsearch_kernel::KernelFunction;

use crate::{Operator, Plan, PlanLimits, template::Template};

/// A plan that [`PlanChecker`](crate::PlanChecker) accepted, and that can run. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CheckedPlan {
    pub(crate) plan: Arc<Plan>,
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) limits: PlanLimits,
    pub(crate) is_for_model: bool,
}

#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) steps: Vec<CheckedStep>,
    pub(crate) result: Template,
}

#[derive(Debug)]
pub(crate) struct CheckedStep {
    pub(crate) function: KernelFunction,
    /// With the position of the parameter.
    pub(crate) arguments: Vec<(usize, Template)>,
    pub(crate) for_each: Option<Template>,
    pub(crate) when: Option<CheckedCondition>,
    /// The steps that it refers to, each once; all are before it.
    pub(crate) needs: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct CheckedCondition {
    pub(crate) value: Template,
    pub(crate) operator: Operator,
    pub(crate) other: Option<Template>,
}

impl CheckedPlan {
    pub(super) fn new(plan: Plan, compiled: Compiled, limits: PlanLimits) -> Self {
        Self { plan: Arc::new(plan), compiled: Arc::new(compiled), limits, is_for_model: false }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the functions that the plan calls, one for each step.
    pub fn functions(&self) -> impl Iterator<Item = &KernelFunction> {
        self.compiled.steps.iter().map(|step| &step.function)
    }

    /// Returns the limits of runs.
    pub fn limits(&self) -> &PlanLimits {
        &self.limits
    }

    /// Sets the limits of runs, for example before you resume a run that reached one. Doesn't check
    /// the size of the plan again.
    #[must_use]
    pub fn with_limits(mut self, limits: PlanLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether a model wrote the plan, so that filters and functions can ask for an approval of
    /// each call ([`Kernel::is_for_model`](textsearch_kernel::Kernel::is_for_model)). False by
    /// default; true for plans of a [`Planner`](crate::Planner). A [`Plan`] that you save doesn't keep
    /// it: set it again after the next check.
    #[must_use]
    pub fn with_for_model(mut self, enabled: bool) -> Self {
        self.is_for_model = enabled;
        self
    }
}

impl fmt::Display for CheckedPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt(formatter)
    }
}
