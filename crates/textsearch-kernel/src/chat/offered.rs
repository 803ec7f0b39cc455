//! The functions that a model is offered: it can call these, and no other.

use textsearch_core::chat::{ToolCall, ToolDefinition};

use super::FunctionChoiceBehavior;
use crate::{Kernel, KernelError, KernelFunction, KernelPlugin, Result, function::FunctionResult};

/// The functions that a model is offered. A call of any other is answered as one that does not exist.
///
/// The loop makes and checks it by itself. With `auto_invoke` off it is for the caller:
/// [`Kernel::offered_functions`] makes it, and [`Kernel::invoke_offered`] runs a call.
#[derive(Debug, Clone, Default)]
pub struct OfferedFunctions {
    functions: Vec<KernelFunction>,
}

impl OfferedFunctions {
    /// The functions, in the order in which the model is told of them.
    pub fn functions(&self) -> &[KernelFunction] {
        &self.functions
    }

    /// The functions as tools of a model.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.functions.iter().map(KernelFunction::tool_definition).collect()
    }

    /// The function that a model calls by `name`.
    ///
    /// # Errors
    ///
    /// [`FunctionNotFound`](KernelError::FunctionNotFound), which names the functions that are offered, and no other.
    pub fn find(&self, name: &str) -> Result<&KernelFunction> {
        let is_it = |function: &&KernelFunction| {
            function.metadata().qualified_name().eq_ignore_ascii_case(name)
        };
        self.functions.iter().find(is_it).ok_or_else(|| {
            let names = self.functions.iter().map(|one| one.metadata().qualified_name());
            KernelError::function_not_found(name, "offered", names)
        })
    }
}

impl Kernel {
    /// The functions that `behavior` offers: those it names, or all.
    ///
    /// # Errors
    ///
    /// [`FunctionNotFound`](KernelError::FunctionNotFound) for a name that the kernel does not have.
    pub fn offered_functions(&self, behavior: &FunctionChoiceBehavior) -> Result<OfferedFunctions> {
        let Some(names) = &behavior.functions else {
            let all = self.plugins().iter().flat_map(KernelPlugin::functions);
            return Ok(OfferedFunctions { functions: all.cloned().collect() });
        };
        let mut functions: Vec<KernelFunction> = Vec::with_capacity(names.len());
        for name in names {
            let parts = name.split_once(['-', '.']);
            let function = parts.and_then(|(plugin, name)| self.function(Some(plugin), name));
            let function = function.ok_or_else(|| self.function_not_found(name))?;
            // A provider refuses two tools of one name.
            if !functions.iter().any(|other| other.metadata() == function.metadata()) {
                functions.push(function.clone());
            }
        }
        Ok(OfferedFunctions { functions })
    }

    /// Calls the function that a model asks for, if it is one that was `offered`.
    ///
    /// # Errors
    ///
    /// [`FunctionNotFound`](KernelError::FunctionNotFound), which names the functions that were offered; otherwise
    /// those of [`invoke_tool_call`](Self::invoke_tool_call).
    pub async fn invoke_offered(
        &self,
        call: &ToolCall,
        offered: &OfferedFunctions,
    ) -> Result<FunctionResult> {
        self.invoke_call_of(offered.find(&call.name)?, call).await
    }
}
