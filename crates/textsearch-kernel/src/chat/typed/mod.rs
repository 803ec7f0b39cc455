//! Answers as typed values.

mod format;
mod schema;

pub use format::{AnswerFormat, SchemaMode};

use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use textsearch_core::chat::ChatHistory;

use super::ChatOutcome;
use crate::{
    Kernel, KernelArguments, Result,
    prompt::{ExecutionSettings, Prompt, PromptTemplateConfig},
};

/// A model's answer, read as a `T`. `Debug` shows counts, no content.
#[derive(Clone)]
#[non_exhaustive]
pub struct TypedAnswer<T> {
    /// The value.
    pub value: T,
    /// The number of answers: 1, and one for each repair.
    pub attempts: usize,
    /// The outcome of the run. Usage and calls include all attempts; the history includes wrong
    /// answers and the messages about them.
    pub outcome: ChatOutcome,
}

impl<T> fmt::Debug for TypedAnswer<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TypedAnswer")
            .field("attempts", &self.attempts)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// Asks a model to answer `prompt` with a `T`.
    ///
    /// The model gets the JSON schema of `T` as its response format. If the answer doesn't
    /// fit, the kernel sends the mistake back and asks again, at most twice. For other settings, compile the prompt
    /// and use [`Prompt::chat_as`] with an [`AnswerFormat`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`compile_prompt`](Self::compile_prompt) and [`Prompt::chat_as`].
    ///
    /// ```
    /// use textsearch_kernel::{Kernel, KernelArguments, Result};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Review {
    ///     /// From 1 to 5 stars.
    ///     #[schemars(range(min = 1, max = 5))]
    ///     stars: u8,
    ///     /// What the customer complains about, if anything.
    ///     complaint: Option<String>,
    /// }
    ///
    /// async fn stars(kernel: &Kernel, text: &str) -> Result<u8> {
    ///     let arguments = KernelArguments::new().with("text", text);
    ///     let review = kernel.invoke_prompt_as::<Review>("Rate this review: {{$text}}", arguments).await?;
    ///     Ok(review.value.stars)
    /// }
    /// ```
    pub async fn invoke_prompt_as<T>(
        &self,
        prompt: impl Into<PromptTemplateConfig>,
        arguments: KernelArguments,
    ) -> Result<TypedAnswer<T>>
    where
        T: DeserializeOwned + JsonSchema + 'static,
    {
        let prompt = self.compile_prompt(&prompt.into())?;
        prompt.chat_as(self, &arguments, &AnswerFormat::new()).await
    }

    /// Like [`chat`](Self::chat), but reads the answer as a `T`.
    ///
    /// # Behavior
    ///
    /// - `format` replaces the setting `response_format`, except with [`SchemaMode::InPrompt`].
    /// - If the answer has a mistake, the kernel sends its place and reason, and asks again. The model
    ///   may call functions before each answer. All attempts are one run, and share its budget.
    /// - A truncated, filtered or refused answer is an error at once: the next one would be no
    ///   better.
    /// - A code fence around the JSON is ignored. Any other text is a mistake.
    ///
    /// # Errors
    ///
    /// - [`WrongAnswer`](crate::KernelError::WrongAnswer) if the last answer still has mistakes.
    /// - [`NoAnswer`](crate::KernelError::NoAnswer) if an answer was truncated, filtered or refused,
    ///   or requests functions that the kernel does not run.
    /// - [`ChatFailed`](crate::KernelError::ChatFailed) if the service fails, or does not support the
    ///   schema: see [`SchemaMode`].
    /// - The other errors of [`chat`](Self::chat).
    pub async fn chat_as<T>(
        &self,
        history: ChatHistory,
        settings: impl Into<ExecutionSettings>,
        format: &AnswerFormat<T>,
    ) -> Result<TypedAnswer<T>> {
        self.begin_chat(history, settings.into())?.require(format).run_as(format).await
    }
}

impl Prompt {
    /// Like [`chat`](Self::chat), but reads the answer as a `T`: see [`Kernel::chat_as`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`render`](Self::render) and [`Kernel::chat_as`].
    pub async fn chat_as<T>(
        &self,
        kernel: &Kernel,
        arguments: &KernelArguments,
        format: &AnswerFormat<T>,
    ) -> Result<TypedAnswer<T>> {
        self.begin_chat(kernel, arguments).await?.require(format).run_as(format).await
    }
}
