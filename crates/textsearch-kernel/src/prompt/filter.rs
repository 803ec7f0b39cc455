//! Filters around each rendering of a prompt.

use std::{borrow::Cow, sync::Arc};

use async_trait::async_trait;

use super::{Prompt, chat::encode_for_chat};
use crate::{Kernel, KernelArguments, Result};

/// Something around every rendering of a prompt: it may change the variables before, and the text after.
///
/// This is how a search is put into every prompt without the template knowing: a filter that searches and appends what
/// it found. Filters nest in the order in which they were added to the kernel: the first one is the outermost.
///
/// # Behavior
///
/// - [`NextRender::run`] renders: its text is then in [`rendered`](PromptRenderContext::rendered).
/// - A filter that does not call it has to set the text itself; a prompt that nobody renders is an error, never an
///   empty message to a model.
/// - In a chat prompt the text is what the parser reads next, with its `<message>` tags. Whatever a filter adds there
///   from outside must be encoded, or it could open a message of its own:
///   [`append`](PromptRenderContext::append) and [`encode`](PromptRenderContext::encode) do so where it is needed.
/// - Whether the prompt is a chat prompt is decided by its template, and no text that a filter sets changes it.
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
    /// Goes around one rendering.
    ///
    /// # Errors
    ///
    /// Whatever the caller is to get in place of a prompt; those of [`NextRender::run`].
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
    /// The kernel that renders.
    pub kernel: Kernel,
    /// The prompt.
    pub prompt: Prompt,
    /// The variables, with the defaults of the prompt.
    pub arguments: KernelArguments,
    /// The rendered text; `None` before it is there.
    pub rendered: Option<String>,
}

impl PromptRenderContext {
    /// Whether the prompt makes a chat of several messages.
    pub fn is_chat(&self) -> bool {
        self.prompt.is_chat()
    }

    /// `text` as it may stand in the rendered text without being read as markup: encoded in a chat prompt, as it is in
    /// a plain one.
    pub fn encode<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_chat() { encode_for_chat(text) } else { Cow::Borrowed(text) }
    }

    /// Adds `text` at the end: as it is in a plain prompt; in a chat prompt encoded, trimmed and on a line of its own,
    /// where it is a message of the user, or the rest of one that ends the prompt without tags.
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

/// The rest of a rendering: the filters further in, and then the template.
#[derive(Clone, Copy)]
pub struct NextRender<'a> {
    pub(super) filters: &'a [Arc<dyn PromptRenderFilter>],
}

impl NextRender<'_> {
    /// Renders, and leaves the text in the context.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::KernelError::InvalidArgument) where a required variable is missing; those of
    /// [`PromptTemplate::render`](super::PromptTemplate::render); those of the filters further in.
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
