//! Semantic Kernel's template language.

mod cursor;
mod parse;
mod render;
mod syntax;

use std::sync::Arc;

use textsearch_kernel::{
    Result,
    prompt::{PromptTemplate, PromptTemplateConfig, PromptTemplateFactory, SEMANTIC_KERNEL_FORMAT},
};

use render::SemanticKernelPromptTemplate;

/// Compiles templates in the `semantic-kernel` format.
///
/// | syntax | meaning |
/// |---|---|
/// | `{{$name}}` | a variable; nothing if it is missing |
/// | `{{'text'}}`, `{{"text"}}` | the text; `\'`, `\"` and `\\` stand for the second character; `{{"{{"}}` prints braces |
/// | `{{Plugin.Function}}`, `{{Function}}` | its result; with no plugin name, the first match |
/// | `{{P.F $a}}`, `{{P.F 'a'}}` | a call with a value for the function's first parameter |
/// | `{{P.F $a count=$b site='x y'}}` | the same, with named arguments after it |
///
/// White space, including line breaks, is allowed between the parts. An omitted parameter gets the
/// variable of the same name, if any: `{{SearchPlugin.Search}}` searches for `$query`. Lists of
/// texts are joined by line breaks; other values print as JSON. Anything outside `{{…}}` is text,
/// also a single brace, `}}` and the empty `{{}}`.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SemanticKernelPromptTemplateFactory {
    /// The maximum work of one rendering: the bytes that it inserts. A rendering that needs
    /// more is an error. No limit by default.
    pub max_work: Option<usize>,
}

impl SemanticKernelPromptTemplateFactory {
    /// Creates a factory for this format.
    pub const fn new() -> Self {
        Self { max_work: None }
    }
}

impl PromptTemplateFactory for SemanticKernelPromptTemplateFactory {
    fn try_create(&self, config: &PromptTemplateConfig) -> Result<Option<Arc<dyn PromptTemplate>>> {
        if config.template_format != SEMANTIC_KERNEL_FORMAT {
            return Ok(None);
        }
        let template = SemanticKernelPromptTemplate::compile(config, self.max_work)?;
        Ok(Some(Arc::new(template)))
    }

    fn formats(&self) -> &[&str] {
        &[SEMANTIC_KERNEL_FORMAT]
    }
}
