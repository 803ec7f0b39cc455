//! The functions offered to a model.

use textsearch_core::chat::{ToolCall, ToolDefinition};

use super::FunctionChoiceBehavior;
use crate::{Kernel, KernelError, KernelFunction, KernelPlugin, Result, function::FunctionResult};

/// The functions offered to a model. Calls of others fail as if those did not exist.
///
/// With `auto_invoke` off, get them from [`Kernel::offered_functions`], and call them with
/// [`Kernel::invoke_offered`].
#[derive(Debug, Clone, Default)]
pub struct OfferedFunctions {
    functions: Vec<KernelFunction>,
}

impl OfferedFunctions {
    /// Adds a function that belongs to no plugin of the kernel.
    pub(super) fn add(&mut self, function: KernelFunction) -> Result<()> {
        let name = function.metadata().qualified_name();
        if self.find(&name).is_ok() {
            let message = "is offered already: give the second function another name";
            return Err(KernelError::invalid_name(name, message));
        }
        self.functions.push(function);
        Ok(())
    }

    /// Returns the functions, in the order sent to the model.
    pub fn functions(&self) -> &[KernelFunction] {
        &self.functions
    }

    /// Returns the functions as tool definitions for a model.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.functions.iter().map(KernelFunction::tool_definition).collect()
    }

    /// Returns the function that a model calls by `name`.
    ///
    /// # Errors
    ///
    /// Returns [`FunctionNotFound`](KernelError::FunctionNotFound), which lists only the offered
    /// functions.
    pub fn find(&self, name: &str) -> Result<&KernelFunction> {
        let is_it = |function: &&KernelFunction| {
            function.metadata().qualified_name().eq_ignore_ascii_case(name)
        };
        self.functions.iter().find(is_it).ok_or_else(|| {
            let names = self.functions.iter().map(|function| function.metadata().qualified_name());
            KernelError::function_not_found(name, "offered", names)
        })
    }
}

impl Kernel {
    /// Returns the functions that `behavior` offers: those it names, or all except the
    /// [opt-in](crate::function::FunctionMetadata::opt_in) ones.
    ///
    /// # Errors
    ///
    /// Returns [`FunctionNotFound`](KernelError::FunctionNotFound) if the kernel lacks a named
    /// function.
    pub fn offered_functions(&self, behavior: &FunctionChoiceBehavior) -> Result<OfferedFunctions> {
        let Some(names) = &behavior.functions else {
            let all = self.plugins().iter().flat_map(KernelPlugin::functions);
            let all = all.filter(|function| !function.metadata().opt_in);
            return Ok(OfferedFunctions { functions: all.cloned().collect() });
        };
        let mut functions: Vec<KernelFunction> = Vec::with_capacity(names.len());
        for name in names {
            let parts = name.split_once(['-', '.']);
            let function = parts.and_then(|(plugin, name)| self.function(Some(plugin), name));
            let function = function.ok_or_else(|| self.function_not_found(name))?;
            // Providers reject two tools with the same name.
            if !functions.iter().any(|other| other.metadata() == function.metadata()) {
                functions.push(function.clone());
            }
        }
        Ok(OfferedFunctions { functions })
    }

    /// Calls the function that a model requests, if it was `offered`.
    ///
    /// # Errors
    ///
    /// Returns [`FunctionNotFound`](KernelError::FunctionNotFound), which lists the offered
    /// functions, or the errors of [`invoke_tool_call`](Self::invoke_tool_call).
    pub async fn invoke_offered(
        &self,
        call: &ToolCall,
        offered: &OfferedFunctions,
    ) -> Result<FunctionResult> {
        self.invoke_call_of(offered.find(&call.name)?, call).await
    }
}
