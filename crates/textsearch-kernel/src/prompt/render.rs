//! Compiles and renders prompts.

use std::{borrow::Cow, fmt, sync::Arc};

use textsearch_core::chat::{ChatHistory, ChatMessage};

use super::{
    PromptTemplate, PromptTemplateConfig, TemplateCall, TemplateVariables, chat::parse_chat,
};
use crate::{
    Kernel, KernelArguments, KernelError, Result, citations::Sources, function::ParameterMetadata,
    text::names_or,
};

/// A prompt with a compiled template, to render many times, also concurrently. Cheap to clone.
#[derive(Clone)]
pub struct Prompt {
    inner: Arc<Inner>,
}

struct Inner {
    config: PromptTemplateConfig,
    template: Arc<dyn PromptTemplate>,
    is_chat: bool,
    variables: TemplateVariables,
    left_out: Vec<ParameterMetadata>,
}

/// A rendered prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RenderedPrompt {
    /// The text from the template and the filters; of a chat prompt, encoded and with its tags.
    pub text: String,
    /// Whether the prompt is a chat prompt.
    pub is_chat: bool,
    /// The search results that filters added.
    pub sources: Sources,
    /// What filters put before the question.
    pub(crate) context: String,
    // Only of a chat prompt: a plain prompt's one message is its text.
    chat: Option<ChatHistory>,
}

impl RenderedPrompt {
    /// Returns the messages for a model: those of a chat prompt, decoded; for a plain prompt, one
    /// user message with exactly the text.
    pub fn into_history(self) -> ChatHistory {
        self.chat.unwrap_or_else(|| ChatHistory::from(vec![ChatMessage::user(self.text)]))
    }
}

impl Prompt {
    /// Returns the prompt's configuration.
    pub fn config(&self) -> &PromptTemplateConfig {
        &self.inner.config
    }

    /// Returns whether this is a chat prompt, which makes several messages. The template decides
    /// this, never the rendered text.
    pub fn is_chat(&self) -> bool {
        self.inner.is_chat
    }

    /// Returns the variables that the template reads, as far as its engine can tell.
    pub fn variables(&self) -> &TemplateVariables {
        &self.inner.variables
    }

    /// Variables with the same names replace them.
    pub(crate) fn left_out(&self) -> &[ParameterMetadata] {
        &self.inner.left_out
    }

    pub(crate) fn name(&self) -> &str {
        match self.config().name.as_str() {
            "" => "prompt",
            name => name,
        }
    }

    /// Bypasses the filters.
    pub(super) async fn render_template(
        &self,
        kernel: &Kernel,
        arguments: &KernelArguments,
    ) -> Result<String> {
        for variable in &self.config().input_variables {
            if variable.is_required
                && arguments.get(&variable.name).is_none_or(|value| value.is_null())
            {
                let message = "is missing: the prompt requires it";
                return Err(KernelError::invalid_argument(self.name(), &variable.name, message));
            }
        }
        self.report_missing(arguments)?;
        self.inner.template.render(kernel, arguments).await
    }

    fn report_missing(&self, arguments: &KernelArguments) -> Result<()> {
        for variable in &self.inner.variables.variables {
            let name = variable.name.as_str();
            let is_there = arguments.contains(name) || self.config().input_variable(name).is_some();
            if is_there || variable.is_optional {
                continue;
            }
            if self.config().strict_variables {
                let message = format!(
                    "the variable `{name}` has no value; pass one, or declare it in `input_variables` if it may be \
                     missing"
                );
                return Err(KernelError::template(self.name(), variable.position, message));
            }
            tracing::warn!(
                prompt = self.name(),
                variable = name,
                "the variable has no value, so the template inserts nothing for it"
            );
        }
        Ok(())
    }

    pub(super) fn with_defaults<'a>(
        &self,
        arguments: &'a KernelArguments,
    ) -> Cow<'a, KernelArguments> {
        let mut filled = Cow::Borrowed(arguments);
        for variable in &self.config().input_variables {
            if let Some(default) = &variable.default
                && !arguments.contains(&variable.name)
            {
                filled.to_mut().insert(variable.name.as_str(), default.clone());
            }
        }
        filled
    }

    pub(super) fn rendered(
        &self,
        text: String,
        sources: Sources,
        context: String,
    ) -> Result<RenderedPrompt> {
        let is_chat = self.is_chat();
        let chat = is_chat.then(|| parse_chat(self.name(), &text)).transpose()?;
        Ok(RenderedPrompt { text, is_chat, sources, context, chat })
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Prompt")
            .field("config", &self.inner.config)
            .field("is_chat", &self.inner.is_chat)
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// Compiles a prompt with the first factory that supports its format.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidPromptConfig`](KernelError::InvalidPromptConfig) if no factory supports the
    /// format, or [`Template`](KernelError::Template) for the first syntax error.
    pub fn compile_prompt(&self, config: &PromptTemplateConfig) -> Result<Prompt> {
        for factory in self.template_factories() {
            if let Some(template) = factory.try_create(config)? {
                let is_chat = template.is_chat_prompt();
                let config = config.clone();
                let mut variables = template.variables();
                variables.variables.retain(|variable| {
                    !variable.is_optional || !self.has_plugin_of(&variable.name)
                });
                let left_out = self.left_out_of(&variables.calls);
                let inner = Inner { config, template, is_chat, variables, left_out };
                return Ok(Prompt { inner: Arc::new(inner) });
            }
        }
        Err(self.format_not_found(config))
    }

    fn left_out_of(&self, calls: &[TemplateCall]) -> Vec<ParameterMetadata> {
        let mut left_out: Vec<ParameterMetadata> = Vec::new();
        for call in calls {
            let function = self.function(call.plugin.as_deref(), &call.function);
            let parameters =
                function.into_iter().flat_map(|function| &function.metadata().parameters);
            for (index, parameter) in parameters.enumerate() {
                if !parameter.is_required || call.gives(index, &parameter.name) {
                    continue;
                }
                let is_it = |known: &&mut ParameterMetadata| {
                    known.name.eq_ignore_ascii_case(&parameter.name)
                };
                match left_out.iter_mut().find(is_it) {
                    Some(known) => known.is_required |= !call.is_optional,
                    None => left_out.push(ParameterMetadata {
                        is_required: !call.is_optional,
                        ..parameter.clone()
                    }),
                }
            }
        }
        left_out
    }

    fn has_plugin_of(&self, name: &str) -> bool {
        name.split_once('-').is_some_and(|(plugin, _)| self.plugin(plugin).is_some())
    }

    fn format_not_found(&self, config: &PromptTemplateConfig) -> KernelError {
        let formats: Vec<&str> = self
            .template_factories()
            .iter()
            .flat_map(|factory| factory.formats())
            .copied()
            .collect();
        let none = "no template format is registered; the crate textsearch-prompt has `semantic-kernel` and \
                    `handlebars`";
        let known = names_or(&formats, "the registered formats are", none);
        let format = &config.template_format;
        KernelError::invalid_prompt_config(format!(
            "the template format `{format}` is not known: {known}"
        ))
    }
}
