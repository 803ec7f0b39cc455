//! Filters around each call that a model makes.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use textsearch_core::chat::{ChatHistory, ToolCall};

use crate::{
    Kernel, KernelArguments, KernelFunction, Result,
    function::{FunctionMetadata, FunctionValue},
};

/// Wraps every function call of a model in a chat, to inspect, change, answer or refuse it, or to
/// end the run.
///
/// It wraps the [`FunctionInvocationFilter`](crate::function::FunctionInvocationFilter)s, which see
/// the calls of any caller. Filters nest in the order they were added: the first is the outermost.
///
/// It doesn't see the steps of a plan that a model wrote, since they run outside a chat. A
/// `FunctionInvocationFilter` that asks
/// [`Kernel::is_for_model`](crate::Kernel::is_for_model) sees both.
///
/// # Behavior
///
/// - [`NextAutoInvocation::run`] runs the inner filters and the function, and stores the value in
///   [`result`](AutoFunctionInvocationContext::result), to keep or change.
/// - A filter that does not call it skips the function: the result is the filter's, or null.
/// - Calls that cannot run never reach a filter: functions that were not offered, arguments that
///   aren't a JSON object or have unknown names, and calls above the limits or repeated.
/// - The model sees a refusal ([`KernelError::refused`](crate::KernelError::refused)) without its
///   reason. To tell it more, set a result.
/// - [`end_run`](AutoFunctionInvocationContext::end_run) ends the run after this round. If calls
///   run one after another, those after this one do not run.
///
/// ```
/// use textsearch_kernel::{chat::{AutoFunctionInvocationContext, AutoFunctionInvocationFilter, NextAutoInvocation}, Kernel, KernelError, Result, textsearch_core::async_trait};
///
/// /// At most three searches.
/// struct Sparing;
///
/// #[async_trait]
/// impl AutoFunctionInvocationFilter for Sparing {
///     async fn on_auto_function_invocation(
///         &self,
///         context: &mut AutoFunctionInvocationContext,
///         next: NextAutoInvocation<'_>,
///     ) -> Result<()> {
///         if context.round > 3 {
///             return Err(KernelError::refused(context.function.qualified_name(), "enough is enough"));
///         }
///         next.run(context).await
///     }
/// }
///
/// let mut kernel = Kernel::new();
/// kernel.add_auto_function_filter(Sparing);
/// ```
#[async_trait]
pub trait AutoFunctionInvocationFilter: Send + Sync {
    /// Wraps one call.
    ///
    /// # Errors
    ///
    /// Returns an error to report a failure to the model.
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()>;
}

/// One call of a model, as filters see it. `Debug` shows names, no content.
#[non_exhaustive]
pub struct AutoFunctionInvocationContext {
    /// The kernel that calls the function.
    pub kernel: Kernel,
    /// The function being called.
    pub function: Arc<FunctionMetadata>,
    /// The call as the model wrote it.
    pub call: ToolCall,
    /// The arguments. Filters may change them; the kernel checks them afterwards.
    pub arguments: KernelArguments,
    /// The returned value; `None` before the function has run. Search results are typed records
    /// here, not JSON.
    pub result: Option<FunctionValue>,
    /// The chat so far; its last message holds the call.
    pub history: Arc<ChatHistory>,
    /// The round, counted from 1.
    pub round: usize,
    /// The number of the call within the round, counted from 1.
    pub call_number: usize,
    /// The number of calls in the round.
    pub calls_in_round: usize,
    /// Whether the run ends after this round.
    pub end_run: bool,
}

/// The rest of a model's call: the inner filters, then the function.
#[derive(Clone, Copy)]
pub struct NextAutoInvocation<'a> {
    pub(super) filters: &'a [Arc<dyn AutoFunctionInvocationFilter>],
    pub(super) function: &'a KernelFunction,
}

impl NextAutoInvocation<'_> {
    /// Runs the rest of the call, and stores the value in the context's result.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Kernel::invoke_function`] and of the inner filters.
    pub async fn run(self, context: &mut AutoFunctionInvocationContext) -> Result<()> {
        if let Some((first, filters)) = self.filters.split_first() {
            let next = NextAutoInvocation { filters, ..self };
            return first.on_auto_function_invocation(context, next).await;
        }
        let kernel = &context.kernel;
        let arguments = context.arguments.clone();
        let result = kernel.call(self.function, arguments, Some(&context.call.id)).await?;
        context.result = Some(result.value);
        Ok(())
    }
}

impl fmt::Debug for NextAutoInvocation<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("NextAutoInvocation")
            .field("filters", &self.filters.len())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<F: AutoFunctionInvocationFilter + ?Sized> AutoFunctionInvocationFilter for Arc<F> {
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()> {
        (**self).on_auto_function_invocation(context, next).await
    }
}
