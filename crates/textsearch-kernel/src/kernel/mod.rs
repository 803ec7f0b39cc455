//! The kernel.

mod invoke;

pub(crate) use self::invoke::tool_arguments;

use std::sync::Arc;

use textsearch_core::{TextSearch, chat::ChatCompletion};

use crate::{
    KernelError, KernelFunction, KernelPlugin, Result,
    chat::{AutoFunctionInvocationFilter, Limits, Meter},
    error::MAX_NESTED_RUNS,
    function::FunctionInvocationFilter,
    prompt::{PromptRenderFilter, PromptTemplateFactory},
    transform::QueryTransform,
};

/// Plugins, services, template factories and filters. Cheap to clone; a clone doesn't see later
/// additions.
#[derive(Clone, Default)]
pub struct Kernel {
    state: Arc<State>,
    depth: usize,
    meter: Option<Meter>,
    is_for_model: bool,
}

type ChatServices = Vec<(String, Arc<dyn ChatCompletion>)>;

#[derive(Clone, Default)]
struct State {
    plugins: Vec<KernelPlugin>,
    template_factories: Vec<Arc<dyn PromptTemplateFactory>>,
    chat_services: ChatServices,
    memories: Vec<(String, Arc<dyn TextSearch>)>,
    query_transforms: Vec<(String, Arc<dyn QueryTransform>)>,
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
    /// Returns [`InvalidName`](KernelError::InvalidName) if the name is taken, ignoring ASCII case.
    pub fn add_plugin(&mut self, plugin: KernelPlugin) -> Result<()> {
        if self.plugin(plugin.name()).is_some() {
            let message = "is registered already: give the second plugin another name";
            return Err(KernelError::invalid_name(plugin.name(), message));
        }
        Arc::make_mut(&mut self.state).plugins.push(plugin);
        Ok(())
    }

    /// Adds a plugin. Replaces an earlier plugin with the same name, ignoring ASCII case, such as
    /// after the tools of a server changed.
    pub fn replace_plugin(&mut self, plugin: KernelPlugin) {
        let plugins = &mut Arc::make_mut(&mut self.state).plugins;
        match plugins.iter_mut().find(|old| old.name().eq_ignore_ascii_case(plugin.name())) {
            Some(old) => *old = plugin,
            None => plugins.push(plugin),
        }
    }

    /// Adds a prompt template factory. The kernel tries the most recently added factory first.
    pub fn add_template_factory(&mut self, factory: impl PromptTemplateFactory + 'static) {
        Arc::make_mut(&mut self.state).template_factories.insert(0, Arc::new(factory));
    }

    /// Adds a filter around every function call, inside the filters added before.
    pub fn add_function_filter(&mut self, filter: impl FunctionInvocationFilter + 'static) {
        Arc::make_mut(&mut self.state).function_filters.push(Arc::new(filter));
    }

    /// Adds a filter around every call of a model in a chat, inside the filters added before.
    ///
    /// It doesn't see the steps of a plan that a model wrote. To ask a person for those too, use
    /// [`add_function_filter`](Self::add_function_filter) and [`is_for_model`](Self::is_for_model).
    pub fn add_auto_function_filter(
        &mut self,
        filter: impl AutoFunctionInvocationFilter + 'static,
    ) {
        Arc::make_mut(&mut self.state).auto_function_filters.push(Arc::new(filter));
    }

    /// Returns whether the kernel has filters around the calls of a model in a chat. A program that
    /// makes a model's calls outside a chat must not skip them unnoticed.
    pub fn has_auto_function_filters(&self) -> bool {
        !self.state.auto_function_filters.is_empty()
    }

    /// Sets whether spans record the input and output of models and calls, and the query and the ids
    /// of the results of searches by functions, prompts and grounding.
    ///
    /// Off by default: prompts and search results are often confidential. Spans never contain keys.
    pub fn set_content_recording(&mut self, enabled: bool) {
        Arc::make_mut(&mut self.state).records_content = enabled;
    }

    /// Adds a filter around every prompt rendering, inside the filters added before.
    pub fn add_prompt_filter(&mut self, filter: impl PromptRenderFilter + 'static) {
        Arc::make_mut(&mut self.state).prompt_filters.push(Arc::new(filter));
    }

    /// Adds a memory for the execution settings, which
    /// [name](crate::grounding::MemoryConfig::named) it.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](KernelError::InvalidName) if the name is taken.
    pub fn add_memory(
        &mut self,
        name: impl Into<String>,
        memory: impl TextSearch + 'static,
    ) -> Result<()> {
        let name = name.into();
        if self.memories().iter().any(|(known, _)| *known == name) {
            let message = "is a memory already: give the second one another name";
            return Err(KernelError::invalid_name(name, message));
        }
        Arc::make_mut(&mut self.state).memories.push((name, Arc::new(memory)));
        Ok(())
    }

    /// Adds a transform of queries for the execution settings, which
    /// [name](crate::grounding::MemoryConfig::query_transform) it.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](KernelError::InvalidName) if the name is taken.
    pub fn add_query_transform(
        &mut self,
        name: impl Into<String>,
        transform: impl QueryTransform + 'static,
    ) -> Result<()> {
        let name = name.into();
        if self.query_transforms().iter().any(|(known, _)| *known == name) {
            let message = "is a query transform already: give the second one another name";
            return Err(KernelError::invalid_name(name, message));
        }
        Arc::make_mut(&mut self.state).query_transforms.push((name, Arc::new(transform)));
        Ok(())
    }

    /// Returns the plugins in the order they were added.
    pub fn plugins(&self) -> &[KernelPlugin] {
        &self.state.plugins
    }

    /// Returns the plugin called `name`, ignoring ASCII case.
    pub fn plugin(&self, name: &str) -> Option<&KernelPlugin> {
        self.state.plugins.iter().find(|plugin| plugin.name().eq_ignore_ascii_case(name))
    }

    /// Returns the function `name` of `plugin`, or of the first plugin that has it if `None`.
    pub fn function(&self, plugin: Option<&str>, name: &str) -> Option<&KernelFunction> {
        match plugin {
            Some(plugin) => self.plugin(plugin)?.function(name),
            None => self.plugins().iter().find_map(|plugin| plugin.function(name)),
        }
    }

    /// Returns whether this kernel runs a call of a model, directly or inside another call, such as a
    /// call in the template of a prompt that the model called.
    ///
    /// A filter around each call learns it from the kernel of its context, to ask for an approval.
    pub fn is_for_model(&self) -> bool {
        self.is_for_model
    }

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

    pub(crate) fn memories(&self) -> &[(String, Arc<dyn TextSearch>)] {
        &self.state.memories
    }

    pub(crate) fn query_transforms(&self) -> &[(String, Arc<dyn QueryTransform>)] {
        &self.state.query_transforms
    }

    pub(crate) fn push_chat_service(&mut self, id: String, service: Arc<dyn ChatCompletion>) {
        Arc::make_mut(&mut self.state).chat_services.push((id, service));
    }

    pub(crate) fn records_content(&self) -> bool {
        self.state.records_content
    }

    /// The depth limit turns endless recursion between prompts into an error, not a stack overflow.
    pub(crate) fn nested(&self) -> Result<Self> {
        if self.depth >= MAX_NESTED_RUNS {
            return Err(KernelError::NestedTooDeep);
        }
        Ok(Self { depth: self.depth + 1, ..self.clone() })
    }

    /// Returns this kernel for calls that a model decided, such as the steps of a plan that it wrote:
    /// [`is_for_model`](Self::is_for_model) is true, so filters and functions can ask for an
    /// approval.
    #[must_use]
    pub fn for_model(&self) -> Self {
        Self { is_for_model: true, ..self.clone() }
    }

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
