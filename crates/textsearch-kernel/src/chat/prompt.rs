//! Chats of the kernel, prompts that are answered, and functions made of prompts.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use textsearch_core::{chat::ChatHistory, results::Metadata};

use super::{
    ChatEvents, ChatOutcome,
    engine::Engine,
    settings::{DEFAULT, Plan},
};
use crate::{
    Kernel, KernelArguments, KernelFunction, Result,
    function::{FunctionMetadata, FunctionResult, Invocation, ParameterMetadata, Returned},
    prompt::{
        ExecutionSettings, InputVariable, Prompt, PromptTemplateConfig, TemplateError,
        TemplateVariable,
    },
};

impl Kernel {
    /// Has a model continue the chat `history`, and call the functions that the `settings` offer it until it has
    /// answered.
    ///
    /// `settings` are those of the service: temperature, most tokens and so on, by its own names; `service_id`, where it
    /// is not the default one; and `function_choice_behavior`, without which no function is offered: see
    /// [`FunctionChoiceBehavior`](super::FunctionChoiceBehavior).
    ///
    /// # Behavior
    ///
    /// - The model can call the functions that it is offered, and no other. It is told of a call that cannot be run or
    ///   that fails in a few words, without the error's own.
    /// - The calls of a round run at the same time, and are in the history in the order in which it asked for them.
    /// - A call with the same function and arguments as an earlier one is answered with the earlier result.
    /// - After as many rounds as there may be it is asked once more, without functions. The same holds if the run, with
    ///   those that its functions begin through the kernel that they get, has used up its requests, calls or time.
    /// - An answer that is cut off, filtered or refused is no error here: look at
    ///   [`finish_reason`](ChatOutcome::finish_reason), or use [`answer`](ChatOutcome::answer).
    /// - Dropping the future stops the request and the functions that run.
    ///
    /// # Errors
    ///
    /// [`ServiceNotFound`](crate::KernelError::ServiceNotFound); [`InvalidSetting`](crate::KernelError::InvalidSetting);
    /// [`FunctionNotFound`](crate::KernelError::FunctionNotFound) for an offered function that the kernel does not have;
    /// [`ChatFailed`](crate::KernelError::ChatFailed) with the service's error and the run so far;
    /// [`NestedTooDeep`](crate::KernelError::NestedTooDeep) where prompts call each other without end;
    /// [`BudgetSpent`](crate::KernelError::BudgetSpent) if a function began this run and the run around it has used up its
    /// budget.
    pub async fn chat(
        &self,
        history: ChatHistory,
        settings: impl Into<ExecutionSettings>,
    ) -> Result<ChatOutcome> {
        self.begin_chat(history, settings.into())?.run().await
    }

    /// Like [`chat`](Self::chat), as a stream of what happens.
    ///
    /// # Errors
    ///
    /// Those of [`chat`](Self::chat); one of the service is the last item of the stream.
    pub async fn chat_streaming(
        &self,
        history: ChatHistory,
        settings: impl Into<ExecutionSettings>,
    ) -> Result<ChatEvents> {
        Ok(self.begin_chat(history, settings.into())?.into_events())
    }

    fn begin_chat(&self, history: ChatHistory, settings: ExecutionSettings) -> Result<Engine> {
        let settings = BTreeMap::from([(DEFAULT.to_owned(), settings)]);
        let plan = Plan::new(self, &BTreeMap::new(), &settings)?;
        Engine::new(self.metered(plan.limits()), plan, history)
    }

    /// Has a model answer a prompt that is used once: compiles it, and runs [`Prompt::chat`].
    ///
    /// The result holds the text of the answer, and in its metadata `Usage`, `Model` and `FinishReason`. For more, use
    /// [`chat_prompt`](Self::chat_prompt).
    ///
    /// # Errors
    ///
    /// Those of [`compile_prompt`](Self::compile_prompt) and [`Prompt::chat`]; [`NoAnswer`](crate::KernelError::NoAnswer) where the model refused, its answer was cut off or
    /// filtered, or it asks for functions that the kernel does not run: such a text is never taken for an answer.
    pub async fn invoke_prompt(
        &self,
        prompt: impl Into<PromptTemplateConfig>,
        arguments: KernelArguments,
    ) -> Result<FunctionResult> {
        let prompt = self.compile_prompt(&prompt.into())?;
        let outcome = prompt.chat(self, &arguments).await?;
        let function = FunctionMetadata::new(prompt.name(), prompt.config().description.as_str());
        let Returned { value, metadata } = returned(&outcome)?;
        Ok(FunctionResult { function: function.into(), value, metadata })
    }

    /// Like [`invoke_prompt`](Self::invoke_prompt), with all that happened: the calls, the history, what was found.
    ///
    /// # Errors
    ///
    /// Those of [`invoke_prompt`](Self::invoke_prompt) but `NoAnswer`: what came of it is in the outcome.
    pub async fn chat_prompt(
        &self,
        prompt: impl Into<PromptTemplateConfig>,
        arguments: KernelArguments,
    ) -> Result<ChatOutcome> {
        self.compile_prompt(&prompt.into())?.chat(self, &arguments).await
    }

    /// Like [`chat_prompt`](Self::chat_prompt), as a stream of what happens. The prompt is rendered before it returns.
    ///
    /// # Errors
    ///
    /// Those of [`chat_prompt`](Self::chat_prompt); one of the service is the last item of the stream.
    pub async fn chat_prompt_streaming(
        &self,
        prompt: impl Into<PromptTemplateConfig>,
        arguments: KernelArguments,
    ) -> Result<ChatEvents> {
        self.compile_prompt(&prompt.into())?.chat_streaming(self, &arguments).await
    }
}

impl Prompt {
    /// Has a model of `kernel` answer: the prompt is rendered with `arguments`, and its messages are a chat as in
    /// [`Kernel::chat`].
    ///
    /// The settings of the `arguments` go before those of the prompt, setting by setting.
    ///
    /// # Errors
    ///
    /// Those of [`render`](Self::render) and [`Kernel::chat`].
    pub async fn chat(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<ChatOutcome> {
        self.begin_chat(kernel, arguments).await?.run().await
    }

    /// Like [`chat`](Self::chat), as a stream of what happens. The prompt is rendered before it returns.
    ///
    /// # Errors
    ///
    /// Those of [`chat`](Self::chat); one of the service is the last item of the stream.
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

    async fn begin_chat(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<Engine> {
        // Settings that are wrong are found before the template's functions are called.
        let settings = &self.config().execution_settings;
        let plan = Plan::new(kernel, settings, arguments.execution_settings())?;
        // What the template's functions cost is part of what the answer costs.
        let metered = kernel.metered(plan.limits());
        let rendered = self.render(&metered.0, arguments).await?;
        Engine::new(metered, plan, rendered.messages)
    }
}

impl KernelFunction {
    /// A function that has a model answer `prompt`, for templates, models and applications to call.
    ///
    /// It has the prompt's name and description, and returns the text of the answer. Its parameters are the prompt's input
    /// variables, followed by the other variables that the template reads. Such a parameter is a required text. It is
    /// optional if the template reads it only in a condition, and of any type if the template reads its members or items.
    ///
    /// The required parameters that the template's calls leave out follow:
    /// `{{SearchPlugin.Search}}` looks for `query`. The plugin has to be in the kernel when the
    /// prompt is compiled. The template sees no other variables, so declare those that a called
    /// function looks for by the names of its optional parameters, such as `count`.
    ///
    /// # Errors
    ///
    /// [`Template`](crate::KernelError::Template) where the prompt declares no variables, and its template reads all of
    /// them at once or one by a computed name, so that they cannot be found.
    ///
    /// [`InvalidName`](crate::KernelError::InvalidName) where the prompt has no name or one that no function can have, or a
    /// variable's name is none of a parameter. A call fails as [`Kernel::invoke_prompt`] does.
    pub fn from_prompt(prompt: Prompt) -> Result<Self> {
        let config = prompt.config();
        let mut metadata = FunctionMetadata::new(&config.name, &config.description);
        if let (Some(position), true) =
            (prompt.variables().unlisted, config.input_variables.is_empty())
        {
            let message = "the function's parameters cannot be found, since the template reads variables by no fixed \
                           name here; declare them in `input_variables`";
            return Err(TemplateError::new(prompt.name(), position, message).into());
        }
        metadata.parameters = config.input_variables.iter().map(parameter).collect();
        let found = prompt.variables().variables.iter();
        let found = found.filter(|one| config.input_variable(&one.name).is_none());
        metadata.parameters.extend(found.map(found_parameter));
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
        let schema = output.json_schema.unwrap_or_else(|| json!({ "type": "string" }));
        let metadata = metadata.with_return(output.description, schema);
        Self::with_returned(metadata, move |Invocation { kernel, arguments, .. }| {
            let prompt = prompt.clone();
            async move { returned(&prompt.chat(&kernel.nested()?, &arguments).await?) }
        })
    }
}

fn parameter(variable: &InputVariable) -> ParameterMetadata {
    let schema = variable.json_schema.clone().unwrap_or_else(|| json!({ "type": "string" }));
    let mut parameter = ParameterMetadata::optional(&variable.name, &variable.description, schema);
    // One that has a default need not be given, whatever the prompt says.
    parameter.is_required = variable.is_required && variable.default.is_none();
    parameter.default.clone_from(&variable.default);
    parameter
}

fn found_parameter(variable: &TemplateVariable) -> ParameterMetadata {
    let schema = if variable.is_structured { json!({}) } else { json!({ "type": "string" }) };
    let mut parameter = ParameterMetadata::optional(&variable.name, "", schema);
    parameter.is_required = !variable.is_optional;
    parameter
}

fn returned(outcome: &ChatOutcome) -> Result<Returned> {
    let value = Value::String(outcome.answer()?).into();
    let mut metadata = Metadata::new();
    let usage = serde_json::to_value(outcome.run.usage).unwrap_or_default();
    metadata.insert("Usage".to_owned(), usage);
    metadata.insert("FinishReason".to_owned(), outcome.finish_reason.name().into());
    if let Some(model) = &outcome.model {
        metadata.insert("Model".to_owned(), model.as_str().into());
    }
    Ok(Returned { value, metadata })
}

impl From<&str> for PromptTemplateConfig {
    /// A prompt of this template, in the `semantic-kernel` format.
    fn from(template: &str) -> Self {
        Self::new(template)
    }
}

impl From<String> for PromptTemplateConfig {
    /// A prompt of this template, in the `semantic-kernel` format.
    fn from(template: String) -> Self {
        Self::new(template)
    }
}

impl From<&PromptTemplateConfig> for PromptTemplateConfig {
    fn from(config: &Self) -> Self {
        config.clone()
    }
}
