//! The kernel: plugins, services, template factories and filters.

mod invoke;

pub(crate) use self::invoke::tool_arguments;

use std::sync::Arc;

use textsearch_core::chat::ChatCompletion;

use crate::{
    KernelError, KernelFunction, KernelPlugin, Result,
    chat::{AutoFunctionInvocationFilter, Limits, Meter},
    error::MAX_NESTED_RUNS,
    function::FunctionInvocationFilter,
    prompt::{PromptRenderFilter, PromptTemplateFactory},
};

/// Plugins, services, template factories and filters. Cheap to clone; later additions to the
/// original do not affect a clone.
#[derive(Clone, Default)]
pub struct Kernel {
    state: Arc<State>,
    // The number of prompts being answered around this one.
    depth: usize,
    // Counts and limits the usage of the current run.
    meter: Option<Meter>,
}

/// Chat services and their identifiers, in the order they were added.
type ChatServices = Vec<(String, Arc<dyn ChatCompletion>)>;

#[derive(Clone, Default)]
struct State {
    plugins: Vec<KernelPlugin>,
    template_factories: Vec<Arc<dyn PromptTemplateFactory>>,
    chat_services: ChatServices,
    function_filters: Vec<Arc<dyn FunctionInvocationFilter>>,
    auto_function_filters: Vec<Arc<dyn AutoFunctionInvocationFilter>>,
    prompt_filters: Vec<Arc<dyn PromptRenderFilter>>,
    records_content: bool,
}

impl Kernel {
    /// Creates a kernel without plugins.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a plugin.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](KernelError::InvalidName) if a plugin with this name, ignoring ASCII
    /// case, exists already.
    pub fn add_plugin(&mut self, plugin: KernelPlugin) -> Result<()> {
        if self.plugin(plugin.name()).is_some() {
            let message = "is registered already: give the second plugin another name";
            return Err(KernelError::invalid_name(plugin.name(), message));
        }
        Arc::make_mut(&mut self.state).plugins.push(plugin);
        Ok(())
    }

    /// Adds a prompt template factory. The kernel tries the most recently added factory first.
    pub fn add_template_factory(&mut self, factory: impl PromptTemplateFactory + 'static) {
        Arc::make_mut(&mut self.state).template_factories.insert(0, Arc::new(factory));
    }

    /// Adds a filter around every function call, inside the filters added before.
    pub fn add_function_filter(&mut self, filter: impl FunctionInvocationFilter + 'static) {
        Arc::make_mut(&mut self.state).function_filters.push(Arc::new(filter));
    }

    /// Adds a filter around every call that a model makes in a chat, inside the filters added
    /// before.
    pub fn add_auto_function_filter(
        &mut self,
        filter: impl AutoFunctionInvocationFilter + 'static,
    ) {
        Arc::make_mut(&mut self.state).auto_function_filters.push(Arc::new(filter));
    }

    /// Sets whether spans record model input and output, and the arguments and results of calls.
    ///
    /// Off by default, because prompts and search results are often confidential. Spans never
    /// contain keys.
    pub fn set_content_recording(&mut self, enabled: bool) {
        Arc::make_mut(&mut self.state).records_content = enabled;
    }

    /// Adds a filter around every prompt rendering, inside the filters added before.
    pub fn add_prompt_filter(&mut self, filter: impl PromptRenderFilter + 'static) {
        Arc::make_mut(&mut self.state).prompt_filters.push(Arc::new(filter));
    }

    /// Returns the plugins in the order they were added.
    pub fn plugins(&self) -> &[KernelPlugin] {
        &self.state.plugins
    }

    /// Returns the plugin called `name`, ignoring ASCII case.
    pub fn plugin(&self, name: &str) -> Option<&KernelPlugin> {
        self.state.plugins.iter().find(|plugin| plugin.name().eq_ignore_ascii_case(name))
    }

    /// Returns the function `name` of the plugin `plugin`. If `plugin` is `None`, returns the first
    /// function of that name in any plugin.
    pub fn function(&self, plugin: Option<&str>, name: &str) -> Option<&KernelFunction> {
        match plugin {
            Some(plugin) => self.plugin(plugin)?.function(name),
            None => self.plugins().iter().find_map(|plugin| plugin.function(name)),
        }
    }

    /// Returns the template factories in the order the kernel tries them.
    pub(crate) fn template_factories(&self) -> &[Arc<dyn PromptTemplateFactory>] {
        &self.state.template_factories
    }

    pub(crate) fn function_filters(&self) -> &[Arc<dyn FunctionInvocationFilter>] {
        &self.state.function_filters
    }

    pub(crate) fn auto_function_filters(&self) -> &[Arc<dyn AutoFunctionInvocationFilter>] {
        &self.state.auto_function_filters
    }

    pub(crate) fn chat_services(&self) -> &[(String, Arc<dyn ChatCompletion>)] {
        &self.state.chat_services
    }

    pub(crate) fn push_chat_service(&mut self, id: String, service: Arc<dyn ChatCompletion>) {
        Arc::make_mut(&mut self.state).chat_services.push((id, service));
    }

    pub(crate) fn records_content(&self) -> bool {
        self.state.records_content
    }

    /// Returns this kernel one prompt deeper. The depth limit turns endless recursion between
    /// prompts into an error instead of a stack overflow.
    pub(crate) fn nested(&self) -> Result<Self> {
        if self.depth >= MAX_NESTED_RUNS {
            return Err(KernelError::NestedTooDeep);
        }
        Ok(Self { depth: self.depth + 1, ..self.clone() })
    }

    /// Returns this kernel for one chat run, and the meter that counts the run's model requests.
    pub(crate) fn metered(&self, limits: Limits) -> (Self, Meter) {
        let meter = Meter::within(self.meter.clone(), limits);
        (Self { meter: Some(meter.clone()), ..self.clone() }, meter)
    }

    pub(crate) fn prompt_filters(&self) -> &[Arc<dyn PromptRenderFilter>] {
        &self.state.prompt_filters
    }

    /// Returns the error for an unknown function; it lists the registered ones.
    pub fn function_not_found(&self, name: &str) -> KernelError {
        let functions = self.plugins().iter().flat_map(KernelPlugin::functions);
        let names = functions.map(|function| function.metadata().qualified_name());
        KernelError::function_not_found(name, "registered", names)
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
