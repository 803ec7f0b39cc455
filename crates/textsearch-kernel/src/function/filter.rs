//! Filters around each call of a function.

use std::sync::Arc;

use async_trait::async_trait;
use textsearch_core::results::Metadata;

use crate::{
    Kernel, KernelArguments, KernelFunction, Result,
    function::{FunctionMetadata, FunctionValue, Returned},
};

/// Something around every call of a function: it may look, change the arguments, answer in the function's place, change
/// the answer, or refuse the call.
///
/// Filters nest in the order in which they were added to the kernel: the first one is the outermost.
///
/// # Behavior
///
/// - [`Next::run`] calls the rest: the filters added later, then the function. What it returned is then in
///   [`result`](FunctionInvocationContext::result), to be kept or changed. It may be called again, to try once more.
/// - A filter that does not call it skips the function: the result is the one it sets, or null where it sets none.
/// - Arguments are checked and defaults filled in after the filters, so a filter sees what the caller gave, and cannot
///   get past the checks.
/// - An error of `run` may be passed on, or turned into an answer by setting a result and returning `Ok`.
/// - Refuse a call with [`KernelError::refused`](crate::KernelError::refused).
///
/// ```
/// use textsearch_kernel::{function::{FunctionInvocationContext, FunctionInvocationFilter, Next}, Kernel, KernelError, Result, textsearch_core::async_trait};
///
/// struct NoDates;
///
/// #[async_trait]
/// impl FunctionInvocationFilter for NoDates {
///     async fn on_function_invocation(&self, context: &mut FunctionInvocationContext, next: Next<'_>) -> Result<()> {
///         if context.function.plugin_name.as_deref() == Some("Dates") {
///             return Err(KernelError::refused(context.function.qualified_name(), "dates are out of bounds"));
///         }
///         next.run(context).await
///     }
/// }
///
/// let mut kernel = Kernel::new();
/// kernel.add_function_filter(NoDates);
/// ```
#[async_trait]
pub trait FunctionInvocationFilter: Send + Sync {
    /// Goes around one call.
    ///
    /// # Errors
    ///
    /// Whatever the caller is to get in place of a result; those of [`Next::run`].
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()>;
}

/// One call of a function, as filters see it.
#[derive(Debug)]
#[non_exhaustive]
pub struct FunctionInvocationContext {
    /// The kernel that calls the function.
    pub kernel: Kernel,
    /// The function that is called.
    pub function: Arc<FunctionMetadata>,
    /// The arguments as the caller gave them, those that the function does not declare included.
    pub arguments: KernelArguments,
    /// What the function returned, as it returned it: what a search found is typed records, not JSON. `None` before it has.
    pub result: Option<FunctionValue>,
    /// What else is known of the result, such as what a prompt cost.
    pub metadata: Metadata,
}

/// The rest of a call: the filters further in, and then the function.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    filters: &'a [Arc<dyn FunctionInvocationFilter>],
    function: &'a KernelFunction,
}

impl Next<'_> {
    /// Runs the rest of the call, and leaves what it returned in the context's result.
    ///
    /// # Errors
    ///
    /// Those of [`Kernel::invoke_function`], and those of the filters further in.
    pub async fn run(self, context: &mut FunctionInvocationContext) -> Result<()> {
        if let Some((first, filters)) = self.filters.split_first() {
            let next = Next { filters, ..self };
            return first.on_function_invocation(context, next).await;
        }
        let arguments = context.arguments.clone();
        let returned = self.function.run(context.kernel.clone(), arguments).await?;
        context.result = Some(returned.value);
        context.metadata = returned.metadata;
        Ok(())
    }
}

impl std::fmt::Debug for Next<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Next").field("filters", &self.filters.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl<F: FunctionInvocationFilter + ?Sized> FunctionInvocationFilter for Arc<F> {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        (**self).on_function_invocation(context, next).await
    }
}

/// Calls `function` through `filters`; the value is null where a filter neither ran the function nor set a result.
pub(crate) async fn run_filtered(
    kernel: &Kernel,
    function: &KernelFunction,
    arguments: KernelArguments,
) -> Result<Returned> {
    let filters = kernel.function_filters();
    if filters.is_empty() {
        return function.run(kernel.clone(), arguments).await;
    }
    let mut context = FunctionInvocationContext {
        kernel: kernel.clone(),
        function: Arc::clone(function.metadata()),
        arguments,
        result: None,
        metadata: Metadata::new(),
    };
    Next { filters, function }.run(&mut context).await?;
    Ok(Returned { value: context.result.unwrap_or_default(), metadata: context.metadata })
}
