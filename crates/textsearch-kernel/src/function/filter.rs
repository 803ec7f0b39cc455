//! Filters around each call of a function.

use std::sync::Arc;

use async_trait::async_trait;
use textsearch_core::results::Metadata;

use crate::{
    Kernel, KernelArguments, KernelFunction, Result,
    function::{FunctionMetadata, FunctionValue, Returned},
};

/// Wraps every function call, to inspect, change, answer or refuse it.
///
/// Filters nest in the order they were added to the kernel: the first is the outermost.
///
/// # Behavior
///
/// - [`Next::run`] runs the inner filters and the function, and stores the value in
///   [`result`](FunctionInvocationContext::result). A filter may call it again to retry.
/// - A filter that does not call `run` skips the function: the result is the filter's, or null.
/// - The kernel checks arguments and fills in defaults after the filters, which cannot bypass the
///   checks.
/// - A filter may pass on an error of `run`, or set a result and return `Ok`.
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
    /// Wraps one call.
    ///
    /// # Errors
    ///
    /// Returns an error for the caller.
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
    /// The caller's arguments, also undeclared ones.
    pub arguments: KernelArguments,
    /// The returned value; `None` before the function has run. Search results are typed records
    /// here, not JSON.
    pub result: Option<FunctionValue>,
    /// Metadata about the result, such as the cost of a prompt.
    pub metadata: Metadata,
}

/// The rest of a call: the inner filters, then the function.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    filters: &'a [Arc<dyn FunctionInvocationFilter>],
    function: &'a KernelFunction,
}

impl Next<'_> {
    /// Runs the rest of the call and stores the value in the context's result.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Kernel::invoke_function`] and of the inner filters.
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

/// The value is null if a filter neither ran the function nor set a result.
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
