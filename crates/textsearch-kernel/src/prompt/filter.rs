//! Renders prompts through filters.

use std::{borrow::Cow, pin::pin, sync::Arc};

use async_trait::async_trait;
use textsearch_core::telemetry;

use super::{
    Prompt, RenderedPrompt,
    chat::{encode_for_chat, insert_before_question, question_in},
};
use crate::{
    Kernel, KernelArguments, KernelError, Result, citations::Sources, text::without_context,
};

/// Wraps every prompt rendering, to change the variables before and the text after.
///
/// Filters nest in the order they were added to the kernel: the first is the outermost.
///
/// # Behavior
///
/// - [`NextRender::run`] renders the prompt and puts the text in
///   [`rendered`](PromptRenderContext::rendered).
/// - A filter that does not call `run` must set the text itself. A prompt without text is an error.
/// - In a chat prompt, the text still has its `<message>` tags. Encode external text, or it could
///   open a message: [`prepend`](PromptRenderContext::prepend),
///   [`append`](PromptRenderContext::append) and [`encode`](PromptRenderContext::encode) do if
///   needed.
/// - Only the template decides whether the prompt is a chat prompt, never text that a filter sets.
///
/// ```
/// use textsearch_kernel::{Kernel, Result, textsearch_core::async_trait, prompt::{NextRender, PromptRenderContext, PromptRenderFilter}};
///
/// struct Dated;
///
/// #[async_trait]
/// impl PromptRenderFilter for Dated {
///     async fn on_prompt_render(&self, context: &mut PromptRenderContext, next: NextRender<'_>) -> Result<()> {
///         next.run(context).await?;
///         context.append("\nToday is 2024-08-21.");
///         Ok(())
///     }
/// }
///
/// let mut kernel = Kernel::new();
/// kernel.add_prompt_filter(Dated);
/// ```
#[async_trait]
pub trait PromptRenderFilter: Send + Sync {
    /// Wraps one rendering.
    ///
    /// # Errors
    ///
    /// Returns an error for the caller.
    async fn on_prompt_render(
        &self,
        context: &mut PromptRenderContext,
        next: NextRender<'_>,
    ) -> Result<()>;
}

/// One rendering of a prompt, as filters see it.
#[derive(Debug)]
#[non_exhaustive]
pub struct PromptRenderContext {
    /// The kernel that renders the prompt.
    pub kernel: Kernel,
    /// The prompt.
    pub prompt: Prompt,
    /// The variables, including the prompt's defaults.
    pub arguments: KernelArguments,
    /// The rendered text; `None` before rendering.
    pub rendered: Option<String>,
    /// The search results that filters added: sources of the chat that the prompt begins.
    pub sources: Sources,
    /// What filters put before the question.
    pub(super) context: String,
}

impl Prompt {
    /// Renders the prompt with these variables, through the prompt filters of `kernel`.
    ///
    /// Omitted variables get the configuration's defaults. A variable that the template reads but
    /// that is neither passed nor declared is empty and logs a warning, or is an error with
    /// [`strict_variables`](super::PromptTemplateConfig::strict_variables).
    ///
    /// # Errors
    ///
    /// - [`InvalidArgument`](KernelError::InvalidArgument), with the prompt's name, if a required
    ///   variable is missing.
    /// - [`Template`](KernelError::Template) if the template cannot be rendered, or a chat prompt
    ///   renders invalid messages.
    /// - The error of a function that the template calls.
    /// - [`Refused`](KernelError::Refused) if the filters neither render nor set a text.
    pub async fn render(
        &self,
        kernel: &Kernel,
        arguments: &KernelArguments,
    ) -> Result<RenderedPrompt> {
        let arguments = self.with_defaults(arguments);
        let filters = kernel.prompt_filters();
        if filters.is_empty() {
            let text = self.render_template(kernel, &arguments).await?;
            return self.rendered(text, Sources::new(), String::new());
        }
        let mut context = PromptRenderContext {
            kernel: kernel.clone(),
            prompt: self.clone(),
            arguments: arguments.into_owned(),
            rendered: None,
            sources: Sources::new(),
            context: String::new(),
        };
        let rendering = NextRender { filters }.run(&mut context);
        telemetry::recording_content(kernel.records_content(), pin!(rendering)).await?;
        let unrendered =
            || KernelError::refused(self.name(), "a filter neither rendered it nor set a text");
        let text = context.rendered.ok_or_else(unrendered)?;
        self.rendered(text, context.sources, context.context)
    }
}

impl PromptRenderContext {
    /// Returns whether this is a chat prompt.
    pub fn is_chat(&self) -> bool {
        self.prompt.is_chat()
    }

    /// Encodes `text` so that a chat prompt does not read it as markup; no-op in a plain prompt.
    pub fn encode<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_chat() { encode_for_chat(text) } else { Cow::Borrowed(text) }
    }

    /// Returns the rendered question: all text of a plain prompt, or the text of the last user
    /// message of a chat prompt, decoded. Empty if there is none. Excludes what filters
    /// [put](Self::prepend) before it.
    ///
    /// # Errors
    ///
    /// Returns [`Template`](crate::KernelError::Template) if a chat prompt has invalid messages.
    pub fn question(&self) -> Result<Cow<'_, str>> {
        let rendered = self.rendered.as_deref().unwrap_or_default();
        if !self.is_chat() {
            return Ok(Cow::Borrowed(without_context(rendered, &self.context)));
        }
        let question = question_in(self.prompt.name(), rendered)?;
        Ok(Cow::Owned(without_context(&question, &self.context).to_owned()))
    }

    /// Puts `text` and an empty line before the rendered question: before all text of a plain
    /// prompt, and at the beginning of the last user message of a chat prompt, encoded. A chat
    /// prompt without a user message gets one at its end. `text` is trimmed.
    pub fn prepend(&mut self, text: &str) {
        let text = text.trim();
        let rendered = self.rendered.take().unwrap_or_default();
        self.rendered = Some(if self.is_chat() {
            insert_before_question(rendered, text)
        } else {
            let gap = if rendered.is_empty() { "" } else { "\n\n" };
            [text, gap, &rendered].concat()
        });
        let gap = if self.context.is_empty() { "" } else { "\n\n" };
        self.context = [text, gap, &self.context].concat();
    }

    /// Appends `text`: unchanged in a plain prompt; encoded, trimmed and on a new line in a chat
    /// prompt, where it becomes a user message, or extends untagged text at the end.
    pub fn append(&mut self, text: &str) {
        if self.is_chat() {
            let encoded = encode_for_chat(text.trim());
            let rendered = self.rendered.get_or_insert_default();
            rendered.push('\n');
            rendered.push_str(&encoded);
        } else {
            self.rendered.get_or_insert_default().push_str(text);
        }
    }
}

/// The rest of a rendering: the inner filters, then the template.
#[derive(Clone, Copy)]
pub struct NextRender<'a> {
    pub(super) filters: &'a [Arc<dyn PromptRenderFilter>],
}

impl NextRender<'_> {
    /// Renders the prompt and stores the text in the context.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidArgument`](crate::KernelError::InvalidArgument) if a required variable is
    /// missing, or an error of [`PromptTemplate::render`](super::PromptTemplate::render) or of an
    /// inner filter.
    pub async fn run(self, context: &mut PromptRenderContext) -> Result<()> {
        if let Some((first, filters)) = self.filters.split_first() {
            return first.on_prompt_render(context, NextRender { filters }).await;
        }
        let rendered = context.prompt.render_template(&context.kernel, &context.arguments).await?;
        context.rendered = Some(rendered);
        Ok(())
    }
}

impl std::fmt::Debug for NextRender<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("NextRender").field("filters", &self.filters.len()).finish()
    }
}

#[async_trait]
impl<F: PromptRenderFilter + ?Sized> PromptRenderFilter for Arc<F> {
    async fn on_prompt_render(
        &self,
        context: &mut PromptRenderContext,
        next: NextRender<'_>,
    ) -> Result<()> {
        (**self).on_prompt_render(context, next).await
    }
}
