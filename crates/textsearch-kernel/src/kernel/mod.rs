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

/// Plugins, services, template factories and filters. Cheap to clone; a clone does not see what is added to the original later.
#[derive(Clone, Default)]
pub struct Kernel {
    state: Arc<State>,
    // How many prompts are being answered around this one.
    depth: usize,
    // What counts and limits what the run that this kernel is in uses.
    meter: Option<Meter>,
}

/// The chat services by identifier, in the order in which they were added.
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
            return Err(KernelError::invalid_name(plugin.name(), message));
        }
        Arc::make_mut(&mut self.state).plugins.push(plugin);
        Ok(())
    }

    /// Adds a factory of prompt templates; the one that was added last is asked first.
    pub fn add_template_factory(&mut self, factory: impl PromptTemplateFactory + 'static) {
        Arc::make_mut(&mut self.state).template_factories.insert(0, Arc::new(factory));
    }

    /// Adds a filter around every call of a function, inside those that were added before.
    pub fn add_function_filter(&mut self, filter: impl FunctionInvocationFilter + 'static) {
        Arc::make_mut(&mut self.state).function_filters.push(Arc::new(filter));
    }

    /// Adds a filter around every call that a model makes in a chat, inside those that were added before.
    pub fn add_auto_function_filter(
        &mut self,
        filter: impl AutoFunctionInvocationFilter + 'static,
    ) {
        Arc::make_mut(&mut self.state).auto_function_filters.push(Arc::new(filter));
    }

    /// Sets whether spans hold what is said to models and what they say, and the arguments and results of their calls.
    ///
    /// Off by default: prompts, and what is found for them, are often nobody else's business. Keys are never in a span.
    pub fn set_content_recording(&mut self, enabled: bool) {
        Arc::make_mut(&mut self.state).records_content = enabled;
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

    /// This kernel, one prompt deeper: prompts that call each other end in an error and not in an overflow.
    pub(crate) fn nested(&self) -> Result<Self> {
        if self.depth >= MAX_NESTED_RUNS {
            return Err(KernelError::NestedTooDeep);
        }
        Ok(Self { depth: self.depth + 1, ..self.clone() })
    }

    /// This kernel for one run of a chat, and the meter that counts what is asked of models through it.
    pub(crate) fn metered(&self, limits: Limits) -> (Self, Meter) {
        let meter = Meter::within(self.meter.clone(), limits);
        (Self { meter: Some(meter.clone()), ..self.clone() }, meter)
    }

    pub(crate) fn prompt_filters(&self) -> &[Arc<dyn PromptRenderFilter>] {
        &self.state.prompt_filters
    }

    /// The error for a function that is not there, with the names of those that are.
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
