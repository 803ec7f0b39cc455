//! A prompt filter that grounds prompts.

use std::{borrow::Cow, sync::Arc};

use async_trait::async_trait;
use textsearch_core::{
    TextSearch,
    chat::{ChatMessage, ChatRole},
};

use super::{GroundingOptions, search::Grounding};
use crate::{
    Result,
    function::value_to_text,
    prompt::{NextRender, PromptRenderContext, PromptRenderFilter, parse_chat},
    transform::Transformed,
};

/// A prompt filter that puts search results before the question of every rendered prompt.
///
/// # Behavior
///
/// - The query is the rendered text of a plain prompt, or the last user message of a chat prompt.
///   [`with_query_variable`](Self::with_query_variable) takes a variable in its place.
/// - Only the last 2,000 characters of a query are searched for. A blank query is not.
/// - The results are one JSON object per line, before the text of a plain prompt or at the beginning
///   of the last user message of a chat prompt, where they are encoded.
/// - A search without results leaves the prompt as it is.
/// - A failed search fails the rendering, unless
///   [`continue_on_error`](GroundingOptions::continue_on_error) is set.
/// - The results are [`sources`](crate::chat::ChatRun::sources) of the chat that the prompt begins.
///
/// ```
/// use textsearch_kernel::{Kernel, grounding::{GroundingFilter, GroundingOptions}, textsearch_core::{FixedSearch, TextSearchResult}};
///
/// let search = FixedSearch::new([TextSearchResult::new("The budget for 2024 is 1.2 million.")]);
/// let mut kernel = Kernel::new();
/// kernel.add_prompt_filter(GroundingFilter::new(search, GroundingOptions::new().with_top(1))?);
/// # Ok::<(), textsearch_kernel::KernelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct GroundingFilter {
    grounding: Grounding,
    query_variable: Option<String>,
}

impl GroundingFilter {
    /// Creates a filter that grounds prompts in the results of `search`.
    ///
    /// # Errors
    ///
    /// Returns [`Search`](crate::KernelError::Search) if an option is out of range, or the search
    /// cannot apply the fixed filter.
    pub fn new(search: impl TextSearch + 'static, options: GroundingOptions) -> Result<Self> {
        let grounding = Grounding::new(Arc::new(search), options)?;
        Ok(Self { grounding, query_variable: None })
    }

    /// Creates a filter whose queries are made from the question and the messages before it, which only
    /// chat prompts have.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Self::new), and [`Search`](crate::KernelError::Search) if the
    /// options have a minimum score: scores of several queries are fused.
    pub fn from_transformed(search: Transformed, options: GroundingOptions) -> Result<Self> {
        let grounding = Grounding::transformed(search, options)?;
        Ok(Self { grounding, query_variable: None })
    }

    /// Searches for the value of the variable `name`. A prompt without it stays as it is.
    #[must_use]
    pub fn with_query_variable(mut self, name: impl Into<String>) -> Self {
        self.query_variable = Some(name.into());
        self
    }

    fn query<'c>(&self, context: &'c PromptRenderContext) -> Result<Cow<'c, str>> {
        Ok(match &self.query_variable {
            Some(name) => context.arguments.get(name).map(value_to_text).unwrap_or_default(),
            None => context.question()?,
        })
    }

    /// Returns the messages before the question.
    fn before(&self, context: &PromptRenderContext) -> Result<Vec<ChatMessage>> {
        if !self.grounding.follows_conversation() || !context.is_chat() {
            return Ok(Vec::new());
        }
        let rendered = context.rendered.as_deref().unwrap_or_default();
        let mut messages = parse_chat(context.prompt.name(), rendered)?.into_messages();
        let question = messages.iter().rposition(|message| message.role == ChatRole::User);
        messages.truncate(question.unwrap_or_default());
        Ok(messages)
    }
}

#[async_trait]
impl PromptRenderFilter for GroundingFilter {
    async fn on_prompt_render(
        &self,
        context: &mut PromptRenderContext,
        next: NextRender<'_>,
    ) -> Result<()> {
        next.run(context).await?;
        let query = self.query(context)?.into_owned();
        let before = self.before(context)?;
        let results = self.grounding.find_or_continue(&before, &query).await?;
        if let Some(text) = self.grounding.context(results, &mut context.sources) {
            context.prepend(&text);
        }
        Ok(())
    }
}
