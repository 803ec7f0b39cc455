//! Filters around each call that a model makes.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use textsearch_core::chat::{ChatHistory, ToolCall};

use crate::{
    Kernel, KernelArguments, KernelFunction, Result,
    function::{FunctionMetadata, FunctionValue},
};

/// Something around every call of a function that a model makes in a chat: it may look, change the arguments, answer in
/// the function's place, refuse the call, or end the run.
///
/// It is around the [`FunctionInvocationFilter`](crate::function::FunctionInvocationFilter)s, which see each call of a function
/// by whoever makes it. Filters nest in the order in which they were added to the kernel: the first one is the
/// outermost.
///
/// # Behavior
///
/// - [`NextAutoInvocation::run`] calls the rest. What it returned is then in
///   [`result`](AutoFunctionInvocationContext::result), to be kept or changed.
/// - A filter that does not call it skips the function: the result is the one it sets, or null where it sets none.
/// - Calls that cannot be run never come here: of functions that were not offered, with arguments that are no JSON
///   object or have unknown names, more than there may be, and repeated ones.
/// - A refusal ([`KernelError::refused`](crate::KernelError::refused)) is told to the model without its reason, which is
///   for the application: to tell the model more, set a result.
/// - [`end_run`](AutoFunctionInvocationContext::end_run) ends the run after this round. Where calls run one after
///   another, those behind this one are not run.
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
    /// Goes around one call.
    ///
    /// # Errors
    ///
    /// Whatever the model is to be told of in place of a result; those of [`NextAutoInvocation::run`].
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()>;
}

/// One call of a model, as filters see it. `Debug` shows names and lengths, no content.
#[non_exhaustive]
pub struct AutoFunctionInvocationContext {
    /// The kernel that calls the function.
    pub kernel: Kernel,
    /// The function that is called.
    pub function: Arc<FunctionMetadata>,
    /// The call as the model wrote it.
    pub call: ToolCall,
    /// The arguments, which may be changed; they are checked after the filters.
    pub arguments: KernelArguments,
    /// What the function returned, as it returned it: what a search found is typed records, not JSON. `None` before it has.
    pub result: Option<FunctionValue>,
    /// The chat so far; its last message is the one that holds the call.
    pub history: Arc<ChatHistory>,
    /// The round, counted from 1.
    pub round: usize,
    /// Which call of the round it is, counted from 1.
    pub call_number: usize,
    /// How many calls the model asks for in the round.
    pub calls_in_round: usize,
    /// Whether the run ends after this round.
    pub end_run: bool,
}

/// The rest of a call of a model: the filters further in, and then the function.
#[derive(Clone, Copy)]
pub struct NextAutoInvocation<'a> {
    pub(super) filters: &'a [Arc<dyn AutoFunctionInvocationFilter>],
    pub(super) function: &'a KernelFunction,
}

impl NextAutoInvocation<'_> {
    /// Runs the rest of the call, and leaves what it returned in the context's result.
    ///
    /// # Errors
    ///
    /// Those of [`Kernel::invoke_function`], and those of the filters further in.
    pub async fn run(self, context: &mut AutoFunctionInvocationContext) -> Result<()> {
        if let Some((first, filters)) = self.filters.split_first() {
            let next = NextAutoInvocation { filters, ..self };
            return first.on_auto_function_invocation(context, next).await;
        }
        let (kernel, arguments) = (&context.kernel, context.arguments.clone());
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
