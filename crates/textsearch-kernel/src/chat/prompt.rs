//! Chats, prompts that a model answers, and functions made from prompts.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use textsearch_core::{
    chat::{ChatHistory, ResponseFormat},
    results::Metadata,
};

use super::{
    AnswerFormat, ChatEvents, ChatOutcome, TypedAnswer,
    engine::Engine,
    grounded::Grounded,
    settings::{self, DEFAULT, Plan},
};
use crate::{
    Kernel, KernelArguments, KernelError, KernelFunction, Result,
    function::{FunctionMetadata, FunctionResult, Invocation, ParameterMetadata, Returned},
    prompt::{ExecutionSettings, InputVariable, Prompt, PromptTemplateConfig, TemplateVariable},
};

impl Kernel {
    /// Asks a model to continue the chat `history`, and runs the functions it calls, as `settings`
    /// allow, until it answers.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use textsearch_kernel::{Result, prelude::*};
    ///
    /// async fn ask(model: Arc<dyn ChatCompletion>) -> Result<String> {
    ///     let search = FixedSearch::new([TextSearchResult::new("A connector is a crate for one backend.")]);
    ///     let mut kernel = Kernel::new();
    ///     kernel.add_chat_service("default", model)?;
    ///     kernel.add_plugin(search.create_with_get_search_results("SearchPlugin")?)?;
    ///
    ///     let history = ChatHistory::from(vec![ChatMessage::user("What is a connector?")]);
    ///     kernel.chat(history, FunctionChoiceBehavior::auto()).await?.answer()
    /// }
    /// ```
    ///
    /// `settings` holds the service's options by its own names; `service_id`, to use a service
    /// other than the default; [`function_choice_behavior`](super::FunctionChoiceBehavior),
    /// without which no functions are offered; and, to ground the chat in search results,
    /// [`memory_config`](crate::grounding::MemoryConfig) and [context
    /// providers](crate::grounding::TextSearchProvider).
    ///
    /// # Behavior
    ///
    /// - The model can call only the functions offered to it. If a call fails or cannot run, the
    ///   model gets a short message without the error's own text.
    /// - The calls of a round run concurrently; the history keeps their order.
    /// - A call with the same function and arguments as an earlier one gets the earlier result.
    /// - After the maximum number of rounds, the kernel asks once more, without functions. It does
    ///   the same if the run, with the runs that its functions start through their kernel, uses up
    ///   its requests, calls or time.
    /// - A truncated, filtered or refused answer is not an error: check
    ///   [`finish_reason`](ChatOutcome::finish_reason), or use [`answer`](ChatOutcome::answer).
    /// - Results of a memory or a context provider are in the requests, but not in the history that
    ///   the run returns. Their search comes before the first request.
    /// - Dropping the future stops the request and the running functions.
    ///
    /// # Errors
    ///
    /// - [`ServiceNotFound`](crate::KernelError::ServiceNotFound) if the kernel lacks the service.
    /// - [`InvalidSetting`](crate::KernelError::InvalidSetting) if a setting is invalid.
    /// - [`FunctionNotFound`](crate::KernelError::FunctionNotFound) if the kernel lacks an offered
    ///   function.
    /// - [`Search`](crate::KernelError::Search) if the search of a memory or a context provider
    ///   fails.
    /// - [`ChatFailed`](crate::KernelError::ChatFailed) if the service fails, with its error and
    ///   the run so far.
    /// - [`NestedTooDeep`](crate::KernelError::NestedTooDeep) if prompts call each other endlessly.
    /// - [`BudgetSpent`](crate::KernelError::BudgetSpent) if the enclosing run has used up its
    ///   budget.
    pub async fn chat(
        &self,
        history: ChatHistory,
        settings: impl Into<ExecutionSettings>,
    ) -> Result<ChatOutcome> {
        self.begin_chat(history, settings.into())?.run().await
    }

    /// Like [`chat`](Self::chat), as a stream of events.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chat`](Self::chat); a service error is the last item of the stream.
    pub async fn chat_streaming(
        &self,
        history: ChatHistory,
        settings: impl Into<ExecutionSettings>,
    ) -> Result<ChatEvents> {
        Ok(self.begin_chat(history, settings.into())?.into_events())
    }

    pub(super) fn begin_chat(
        &self,
        history: ChatHistory,
        settings: ExecutionSettings,
    ) -> Result<Engine> {
        let settings = BTreeMap::from([(DEFAULT.to_owned(), settings)]);
        let plan = Plan::new(self, &BTreeMap::new(), &settings)?;
        Engine::new(self.metered(plan.limits()), plan, history, Grounded::default())
    }

    /// Compiles a prompt that is used once, and runs [`Prompt::chat`].
    ///
    /// Returns the text of the answer, with `Usage`, `Model` and `FinishReason` as metadata. If the
    /// prompt's `output_variable` has a `json_schema`, except of type `string`, returns JSON of that
    /// schema instead. Without an output schema, a `response_format` with a schema in the settings does
    /// the same. The model repairs a wrong answer at most twice. The kernel checks types, `enum`,
    /// `minimum`, `maximum`, items, fields and `required`; other keywords only guide the model. It
    /// replaces at most 500 references to definitions, of 128 KiB, and accepts any value for the others
    /// and for schemas nested more than 64 deep.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`compile_prompt`](Self::compile_prompt) and [`Prompt::chat`], and
    /// [`NoAnswer`](crate::KernelError::NoAnswer) if the answer was refused, truncated or filtered,
    /// or requests functions that the kernel does not run. Returns
    /// [`WrongAnswer`](crate::KernelError::WrongAnswer) if the answer does not fit the schema.
    pub async fn invoke_prompt(
        &self,
        prompt: impl Into<PromptTemplateConfig>,
        arguments: KernelArguments,
    ) -> Result<FunctionResult> {
        let prompt = self.compile_prompt(&prompt.into())?;
        let Returned { value, metadata } = prompt.answer(self, &arguments).await?;
        let function = FunctionMetadata::new(prompt.name(), prompt.config().description.as_str());
        Ok(FunctionResult { function: function.into(), value, metadata })
    }

    /// Like [`invoke_prompt`](Self::invoke_prompt), with the whole outcome.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`invoke_prompt`](Self::invoke_prompt) except `NoAnswer`.
    pub async fn chat_prompt(
        &self,
        prompt: impl Into<PromptTemplateConfig>,
        arguments: KernelArguments,
    ) -> Result<ChatOutcome> {
        self.compile_prompt(&prompt.into())?.chat(self, &arguments).await
    }

    /// Like [`chat_prompt`](Self::chat_prompt), as a stream of events. Renders the prompt before it
    /// returns.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chat_prompt`](Self::chat_prompt); a service error is the last item
    /// of the stream.
    pub async fn chat_prompt_streaming(
        &self,
        prompt: impl Into<PromptTemplateConfig>,
        arguments: KernelArguments,
    ) -> Result<ChatEvents> {
        self.compile_prompt(&prompt.into())?.chat_streaming(self, &arguments).await
    }
}

impl Prompt {
    /// Renders the prompt with `arguments` and chats with a model of `kernel`, like
    /// [`Kernel::chat`]. Each setting in `arguments` overrides the prompt's.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`render`](Self::render) and [`Kernel::chat`].
    pub async fn chat(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<ChatOutcome> {
        self.begin_chat(kernel, arguments).await?.run().await
    }

    /// Like [`chat`](Self::chat), as a stream of events. Renders the prompt before it returns.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chat`](Self::chat); a service error is the last item of the stream.
    ///
    /// ```
    /// use textsearch_kernel::{Kernel, KernelArguments, Result, chat::ChatEvent, prompt::Prompt};
    ///
    /// async fn print(prompt: &Prompt, kernel: &Kernel, question: &str) -> Result<()> {
    ///     let arguments = KernelArguments::new().with("question", question);
    ///     let mut events = prompt.chat_streaming(kernel, &arguments).await?;
    ///     while let Some(event) = events.next().await {
    ///         if let ChatEvent::Text(piece) = event? {
    ///             print!("{piece}");
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn chat_streaming(
        &self,
        kernel: &Kernel,
        arguments: &KernelArguments,
    ) -> Result<ChatEvents> {
        Ok(self.begin_chat(kernel, arguments).await?.into_events())
    }

    pub(super) async fn begin_chat(
        &self,
        kernel: &Kernel,
        arguments: &KernelArguments,
    ) -> Result<Engine> {
        // Reject invalid settings before calling the template's functions.
        let settings = &self.config().execution_settings;
        let plan = Plan::new(kernel, settings, arguments.execution_settings())?;
        // The template's functions count toward the usage of the answer.
        let metered = kernel.metered(plan.limits());
        let mut rendered = self.render(&metered.0, arguments).await?;
        let sources = std::mem::take(&mut rendered.sources);
        let grounded = Grounded::by_filters(std::mem::take(&mut rendered.context), sources);
        Engine::new(metered, plan, rendered.into_history(), grounded)
    }
}

impl KernelFunction {
    /// Creates a function in which a model answers `prompt`.
    ///
    /// It has the prompt's name and description, and returns what [`Kernel::invoke_prompt`] does. Its
    /// parameters are the prompt's input variables, then the other variables that the template reads: required
    /// strings, optional if read only in a condition, and of any type if their members or items are
    /// read.
    ///
    /// Then follow the required parameters that the template's calls leave out:
    /// `{{SearchPlugin.Search}}` looks for `query`. The plugin must be in the kernel when the
    /// prompt is compiled. Declare variables for optional parameters of the calls, such as `count`:
    /// the template sees no others.
    ///
    /// # Errors
    ///
    /// Returns [`Template`](crate::KernelError::Template) if the prompt declares no variables and
    /// its template reads all at once, or one by a computed name. Returns
    /// [`InvalidName`](crate::KernelError::InvalidName) if the prompt has no name, or its name or a
    /// variable's is invalid. A call fails as [`Kernel::invoke_prompt`] does.
    pub fn from_prompt(prompt: Prompt) -> Result<Self> {
        let config = prompt.config();
        let mut metadata = FunctionMetadata::new(&config.name, &config.description);
        if let (Some(position), true) =
            (prompt.variables().unlisted, config.input_variables.is_empty())
        {
            let message = "the function's parameters cannot be determined: the template reads variables without fixed \
                           names here; declare them in `input_variables`";
            return Err(KernelError::template(prompt.name(), position, message));
        }
        metadata.parameters = config.input_variables.iter().map(parameter).collect();
        let undeclared = prompt.variables().variables.iter();
        let undeclared =
            undeclared.filter(|variable| config.input_variable(&variable.name).is_none());
        metadata.parameters.extend(undeclared.map(undeclared_parameter));
        for parameter in prompt.left_out() {
            let is_it =
                |known: &&mut ParameterMetadata| known.name.eq_ignore_ascii_case(&parameter.name);
            match metadata.parameters.iter_mut().find(is_it) {
                Some(known) if config.input_variable(&known.name).is_some() => {}
                Some(known) => known.is_required |= parameter.is_required,
                None => metadata.parameters.push(parameter.clone()),
            }
        }
        let output = config.output_variable.clone().unwrap_or_default();
        let schema = output.json_schema.or_else(|| settings::response_schema(config));
        let schema = schema.unwrap_or_else(|| json!({ "type": "string" }));
        let metadata = metadata.with_return(output.description, schema);
        Self::with_returned(metadata, move |Invocation { kernel, arguments, .. }| {
            let prompt = prompt.clone();
            async move { prompt.answer(&kernel.nested()?, &arguments).await }
        })
    }
}

fn parameter(variable: &InputVariable) -> ParameterMetadata {
    let schema = variable.json_schema.clone().unwrap_or_else(|| json!({ "type": "string" }));
    let mut parameter = ParameterMetadata::optional(&variable.name, &variable.description, schema);
    // A variable with a default is optional, whatever the prompt says.
    parameter.is_required = variable.is_required && variable.default.is_none();
    parameter.default.clone_from(&variable.default);
    parameter
}

fn undeclared_parameter(variable: &TemplateVariable) -> ParameterMetadata {
    let schema = if variable.structured { json!({}) } else { json!({ "type": "string" }) };
    let mut parameter = ParameterMetadata::optional(&variable.name, "", schema);
    parameter.is_required = !variable.is_optional;
    parameter
}

impl Prompt {
    /// Returns a text, or JSON of the schema of the output or of the settings' response format.
    async fn answer(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<Returned> {
        let output = self.config().output_variable.as_ref();
        let declared = output.and_then(|output| output.json_schema.as_ref());
        let schema =
            declared.filter(|schema| schema.get("type").is_none_or(|name| name != "string"));
        let mut engine = self.begin_chat(kernel, arguments).await?;
        let format = match (schema, engine.response_format()) {
            (Some(schema), _) => {
                let format = AnswerFormat::of_schema(self.name(), schema);
                engine = engine.require(&format);
                format
            }
            // The settings ask the service for it.
            (None, Some(ResponseFormat::JsonSchema { name, schema, .. })) if declared.is_none() => {
                AnswerFormat::of_schema(name, schema)
            }
            (None, _) => {
                let outcome = engine.run().await?;
                let value = Value::String(outcome.answer()?).into();
                return Ok(Returned { value, metadata: metadata_of(&outcome) });
            }
        };
        let TypedAnswer { value, outcome, .. } = engine.run_as::<Value>(&format).await?;
        Ok(Returned { value: value.into(), metadata: metadata_of(&outcome) })
    }
}

fn metadata_of(outcome: &ChatOutcome) -> Metadata {
    let mut metadata = Metadata::new();
    let usage = serde_json::to_value(outcome.run.usage).unwrap_or_default();
    metadata.insert("Usage".to_owned(), usage);
    metadata.insert("FinishReason".to_owned(), outcome.finish_reason.name().into());
    if let Some(model) = &outcome.model {
        metadata.insert("Model".to_owned(), model.as_str().into());
    }
    metadata
}

impl From<&str> for PromptTemplateConfig {
    /// Creates a prompt from this template, in the `semantic-kernel` format.
    fn from(template: &str) -> Self {
        Self::new(template)
    }
}

impl From<String> for PromptTemplateConfig {
    fn from(template: String) -> Self {
        Self::new(template)
    }
}

impl From<&PromptTemplateConfig> for PromptTemplateConfig {
    fn from(config: &Self) -> Self {
        config.clone()
    }
}
