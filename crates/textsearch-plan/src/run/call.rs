//! One call, with its retries.

use std::sync::atomic::Ordering;

use serde_json::Value;
use textsearch_kernel::{KernelArguments, KernelError, KernelFunction};

use super::{FailedAttempt, shared::Shared};

/// One call of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) place: usize,
    /// In a loop, the position of the item.
    pub(super) item: Option<usize>,
}

pub(super) enum CallFailure {
    Failed(KernelError),
    /// The run has used up its calls, perhaps with attempts that failed with this error.
    NoCalls(Option<KernelError>),
}

pub(super) async fn call(
    shared: &Shared<'_>,
    step: &str,
    function: &KernelFunction,
    arguments: KernelArguments,
) -> Result<Value, CallFailure> {
    let mut attempt = 0;
    let mut last = None;
    loop {
        attempt += 1;
        if !take_call(shared) {
            return Err(CallFailure::NoCalls(last));
        }
        let Some(retry) = &shared.options.retry else {
            let called = shared.kernel.invoke_function(function, arguments).await;
            return called.map(|result| result.value.into_json()).map_err(CallFailure::Failed);
        };
        let error = match shared.kernel.invoke_function(function, arguments.clone()).await {
            Ok(result) => return Ok(result.value.into_json()),
            Err(error) => error,
        };
        let failed = FailedAttempt { step, function: function.metadata(), attempt, error: &error };
        match retry(&failed) {
            Some(pause) => shared.pause(pause).await,
            None => return Err(CallFailure::Failed(error)),
        }
        // Another step may have failed meanwhile.
        if shared.has_failed() {
            return Err(CallFailure::Failed(error));
        }
        last = Some(error);
    }
}

fn take_call(shared: &Shared<'_>) -> bool {
    let more = |calls: usize| (calls < shared.limits.max_calls).then(|| calls + 1);
    shared.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}
