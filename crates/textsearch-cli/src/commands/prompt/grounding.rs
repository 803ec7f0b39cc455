//! Detects prompts whose searches found nothing.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use textsearch_core::async_trait;
use textsearch_kernel::{
    Result,
    function::{FunctionInvocationContext, FunctionInvocationFilter, Next},
};

/// Watches the searches of a prompt, because a prompt without results looks like any other.
#[derive(Clone, Default)]
pub(super) struct Grounding {
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    searches: AtomicBool,
    results: AtomicBool,
}

impl Grounding {
    /// Returns whether the prompt searched, and found nothing.
    pub(super) fn is_missing(&self) -> bool {
        self.seen.searches.load(Ordering::Relaxed) && !self.seen.results.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl FunctionInvocationFilter for Grounding {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        next.run(context).await?;
        self.seen.searches.store(true, Ordering::Relaxed);
        let found = context.result.as_ref().map(|result| result.to_json());
        if found.is_some_and(|found| found.as_array().is_some_and(|found| !found.is_empty())) {
            self.seen.results.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
