//! One call, with its retries.

use std::sync::atomic::Ordering;

use serde_json::Value;
use textsearch_kernel::{KernelArguments, KernelFunction};

use super::{FailedAttempt, failure::Cause, shared::Shared};
use crate::limits::Limit;

pub(super) async fn call(
    shared: &Shared<'_>,
    step: &str,
    function: &KernelFunction,
    arguments: KernelArguments,
) -> Result<Value, Cause> {
    let mut attempt = 0;
    let mut last = None;
    loop {
        attempt += 1;
        if !take_call(shared) {
            return Err(match last {
                Some(error) => Cause::Call(error, Some(Limit::Calls)),
                None => Cause::Limit(Limit::Calls),
            });
        }
        let Some(retry) = &shared.options.retry else {
            let called = shared.kernel.invoke_function(function, arguments).await;
            return called
                .map(|result| result.value.into_json())
                .map_err(|error| Cause::Call(error.into(), None));
        };
        let error = match shared.kernel.invoke_function(function, arguments.clone()).await {
            Ok(result) => return Ok(result.value.into_json()),
            Err(error) => Box::new(error),
        };
        let failed = FailedAttempt { step, function: function.metadata(), attempt, error: &error };
        match retry(&failed) {
            Some(pause) => shared.pause(pause).await,
            None => return Err(Cause::Call(error, None)),
        }
        // Another step may have failed meanwhile.
        if shared.has_failed() {
            return Err(Cause::Call(error, None));
        }
        last = Some(error);
    }
}

fn take_call(shared: &Shared<'_>) -> bool {
    let more = |calls: usize| (calls < shared.limits.max_calls).then(|| calls + 1);
    shared.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}
