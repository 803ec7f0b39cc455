//! The state of a run.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

use crate::Plan;

/// The progress of a run, to save and to [resume](crate::CheckedPlan::resume).
///
/// It holds the inputs and all results, so keep it as safe as those. A step or an item that finished
/// isn't run again: resume only states from storage that you trust. `Debug` shows no values.
#[derive(Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlanState {
    /// The version of the format, 1. Reading a state of another version is an error.
    pub version: u32,
    /// The plan.
    pub plan: Arc<Plan>,
    /// The inputs.
    pub inputs: Map<String, Value>,
    /// The steps that finished, were skipped, or are unfinished loops.
    pub steps: BTreeMap<String, StepState>,
    /// The number of calls whose results are in the state. Failed and unfinished calls don't count,
    /// so that a resumed run can repeat them within its limit.
    pub calls: usize,
    /// Whether a model wrote the plan, or called the function that ran it, so that approvals apply
    /// when it goes on.
    pub is_for_model: bool,
}

/// The version of the format that this crate writes and reads.
pub(crate) const VERSION: u32 = 1;

/// The fields of version 1.
#[derive(Deserialize)]
#[serde(remote = "PlanState", deny_unknown_fields)]
struct Fields {
    version: u32,
    plan: Arc<Plan>,
    inputs: Map<String, Value>,
    steps: BTreeMap<String, StepState>,
    calls: usize,
    is_for_model: bool,
}

impl<'de> Deserialize<'de> for PlanState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let state = Value::deserialize(deserializer)?;
        // First, because another version may have other fields, in any order.
        match state.get("version").and_then(Value::as_u64) {
            Some(other) if other != u64::from(VERSION) => Err(de::Error::custom(format_args!(
                "the state has version {other}, and this release reads version {VERSION}; resume it with the release that saved it"
            ))),
            _ => Fields::deserialize(state).map_err(de::Error::custom),
        }
    }
}

/// The progress of a step. `Debug` shows no values.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepState {
    /// The step finished with this result.
    Finished(Value),
    /// The step's condition does not hold, or it refers to a step that was skipped.
    Skipped,
    /// A loop with its finished items, by position in its list.
    Partial(BTreeMap<usize, Value>),
}

impl PlanState {
    /// Returns the identifiers of the steps that finished, in the order of the plan.
    pub fn finished(&self) -> impl Iterator<Item = &str> {
        self.ids(|state| matches!(state, Some(StepState::Finished(_))))
    }

    /// Returns the identifiers of the steps that neither finished nor were skipped, in the order of
    /// the plan.
    pub fn unfinished(&self) -> impl Iterator<Item = &str> {
        self.ids(|state| matches!(state, Some(StepState::Partial(_)) | None))
    }

    fn ids(&self, is_it: impl Fn(Option<&StepState>) -> bool) -> impl Iterator<Item = &str> {
        let ids = self.plan.steps.iter().map(|step| step.id.as_str());
        ids.filter(move |id| is_it(self.steps.get(*id)))
    }
}

impl fmt::Debug for PlanState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PlanState")
            .field("steps", &self.steps)
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for StepState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished(_) => formatter.write_str("Finished"),
            Self::Skipped => formatter.write_str("Skipped"),
            Self::Partial(items) => write!(formatter, "Partial({} items)", items.len()),
        }
    }
}
