//! The kernel: plugins, template factories and filters.

mod invoke;

use std::sync::Arc;

use crate::{
    FunctionInvocationFilter, KernelError, KernelFunction, KernelPlugin, Result,
    prompt::{PromptRenderFilter, PromptTemplateFactory},
};

/// Plugins, template factories and filters. Cheap to clone; a clone does not see what is added to the original later.
#[derive(Clone, Default)]
pub struct Kernel {
    state: Arc<State>,
}

#[derive(Clone, Default)]
struct State {
    plugins: Vec<KernelPlugin>,
    template_factories: Vec<Arc<dyn PromptTemplateFactory>>,
    function_filters: Vec<Arc<dyn FunctionInvocationFilter>>,
    prompt_filters: Vec<Arc<dyn PromptRenderFilter>>,
}

impl Kernel {
    /// A kernel without plugins.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a plugin.
    ///
    /// # Errors
    ///
    /// [`InvalidName`](KernelError::InvalidName) where there is a plugin of this name already, without regard to
    /// ASCII case.
    pub fn add_plugin(&mut self, plugin: KernelPlugin) -> Result<()> {
        if self.plugin(plugin.name()).is_some() {
            let message = "is registered already: give the second plugin another name";
            let name = plugin.name().to_owned();
            return Err(KernelError::InvalidName { name, message: message.to_owned() });
        }
        Arc::make_mut(&mut self.state).plugins.push(plugin);
        Ok(())
    }

    /// Adds a factory of prompt templates; the one that was added last is asked first.
    pub fn add_template_factory(&mut self, factory: Arc<dyn PromptTemplateFactory>) {
        Arc::make_mut(&mut self.state).template_factories.insert(0, factory);
    }

    /// Adds a filter around every call of a function, inside those that were added before.
    pub fn add_function_filter(&mut self, filter: impl FunctionInvocationFilter + 'static) {
        Arc::make_mut(&mut self.state).function_filters.push(Arc::new(filter));
    }

    /// Adds a filter around every rendering of a prompt, inside those that were added before.
    pub fn add_prompt_filter(&mut self, filter: impl PromptRenderFilter + 'static) {
        Arc::make_mut(&mut self.state).prompt_filters.push(Arc::new(filter));
    }

    /// The plugins, in the order in which they were added.
    pub fn plugins(&self) -> &[KernelPlugin] {
        &self.state.plugins
    }

    /// The plugin called `name`, without regard to ASCII case.
    pub fn plugin(&self, name: &str) -> Option<&KernelPlugin> {
        self.state.plugins.iter().find(|plugin| plugin.name().eq_ignore_ascii_case(name))
    }

    /// The function `name` of the plugin `plugin`, or the first function of this name in any plugin where `plugin` is
    /// `None`.
    pub fn function(&self, plugin: Option<&str>, name: &str) -> Option<&KernelFunction> {
        match plugin {
            Some(plugin) => self.plugin(plugin)?.function(name),
            None => self.plugins().iter().find_map(|plugin| plugin.function(name)),
        }
    }

    /// The template factories, the one to ask first first.
    pub(crate) fn template_factories(&self) -> &[Arc<dyn PromptTemplateFactory>] {
        &self.state.template_factories
    }

    pub(crate) fn function_filters(&self) -> &[Arc<dyn FunctionInvocationFilter>] {
        &self.state.function_filters
    }

    pub(crate) fn prompt_filters(&self) -> &[Arc<dyn PromptRenderFilter>] {
        &self.state.prompt_filters
    }

    /// The error for a function that is not there, with the names of those that are.
    pub fn function_not_found(&self, name: &str) -> KernelError {
        let names: Vec<String> = self
            .plugins()
            .iter()
            .flat_map(KernelPlugin::functions)
            .map(|function| function.metadata().qualified_name())
            .collect();
        let known = match names.as_slice() {
            [] => "no function is registered".to_owned(),
            names => format!("registered are {}", names.join(", ")),
        };
        KernelError::FunctionNotFound { name: shorten(name), known }
    }
}

/// The beginning of a name that a caller wrote, for an error: more than any real name has.
fn shorten(name: &str) -> String {
    const LONGEST: usize = 100;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Kernel")
            .field("plugins", &self.state.plugins)
            .finish_non_exhaustive()
    }
}
