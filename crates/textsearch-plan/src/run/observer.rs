//! Progress of a run.

use std::sync::Arc;

use async_trait::async_trait;
use textsearch_core::BoxError;

use crate::PlanState;

/// Follows a run, to show its progress or to save its state.
///
/// The run waits for the observer: a step that refers to a result starts after the observer has seen
/// that the result is there. An error stops the run.
///
/// While the observer works, running calls don't progress and no result is collected. Keep
/// [`on_event`](Self::on_event) short: send slow work, such as an upload, to a channel.
///
/// ```
/// use textsearch_core::{BoxError, async_trait};
/// use textsearch_plan::{PlanEvent, PlanObserver, PlanState};
///
/// /// Saves the state after each call.
/// struct Saved(std::path::PathBuf);
///
/// #[async_trait]
/// impl PlanObserver for Saved {
///     async fn on_event(&self, event: &PlanEvent<'_>, state: &PlanState) -> Result<(), BoxError> {
///         if matches!(event, PlanEvent::CallFinished { .. }) {
///             // A crash while it writes leaves the file of the call before.
///             let next = self.0.with_extension("new");
///             std::fs::write(&next, serde_json::to_vec(state)?)?;
///             std::fs::rename(&next, &self.0)?;
///         }
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait PlanObserver: Send + Sync {
    /// Called for each event, in order, with the state of the run, which has all results so far.
    ///
    /// # Errors
    ///
    /// Returns an error to stop the run.
    async fn on_event(&self, event: &PlanEvent<'_>, state: &PlanState) -> Result<(), BoxError>;
}

/// Something that happened in a run. Each field `step` is the identifier of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanEvent<'a> {
    /// A step starts.
    #[non_exhaustive]
    StepStarted {
        /// The step.
        step: &'a str,
        /// The number of calls that it makes: 1, or the number of a loop's items that are left.
        calls: usize,
    },
    /// A call finished, and its result is in the state.
    #[non_exhaustive]
    CallFinished {
        /// The step.
        step: &'a str,
        /// In a loop, the position of the item.
        item: Option<usize>,
    },
    /// A step finished.
    #[non_exhaustive]
    StepFinished {
        /// The step.
        step: &'a str,
    },
    /// A step does not run: its condition does not hold, or it refers to a step that was skipped.
    #[non_exhaustive]
    StepSkipped {
        /// The step.
        step: &'a str,
    },
    /// A call failed, after its retries, or the step reached a limit. The run ends when the running
    /// calls have finished. Each of them may fail too.
    #[non_exhaustive]
    StepFailed {
        /// The step.
        step: &'a str,
        /// In a loop, the position of the item.
        item: Option<usize>,
        /// Why, with all causes.
        error: &'a str,
    },
}

#[async_trait]
impl<O: PlanObserver + ?Sized> PlanObserver for Arc<O> {
    async fn on_event(&self, event: &PlanEvent<'_>, state: &PlanState) -> Result<(), BoxError> {
        (**self).on_event(event, state).await
    }
}
