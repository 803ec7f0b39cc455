//! Semantic Kernel's own template language: variables, values and function calls in double braces.

mod cursor;
mod parse;
mod render;
mod syntax;

use std::sync::Arc;

use textsearch_kernel::prompt::{
    PromptTemplate, PromptTemplateConfig, PromptTemplateFactory, SEMANTIC_KERNEL_FORMAT,
    TemplateError,
};

use render::SemanticKernelPromptTemplate;

/// Makes templates of the format `semantic-kernel`.
///
/// | in a template | stands for |
/// |---|---|
/// | `{{$name}}` | a variable; nothing where it is missing |
/// | `{{'text'}}`, `{{"text"}}` | the text; `\'`, `\"` and `\\` stand for the second character; `{{"{{"}}` prints braces |
/// | `{{Plugin.Function}}`, `{{Function}}` | what the function returns; without a plugin's name, the first of that name |
/// | `{{P.F $a}}`, `{{P.F 'a'}}` | a call with a value for the function's first parameter |
/// | `{{P.F $a count=$b site='x y'}}` | the same, with named arguments after it |
///
/// White space, line breaks too, may stand anywhere between the parts. A parameter that a call leaves out takes the
/// variable of its name, where there is one: `{{SearchPlugin.Search}}` searches for `$query`. Lists of texts are joined
/// by line breaks; other values print as JSON. Everything outside `{{…}}` is text, a single brace or `}}` and the empty
/// `{{}}` too.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SemanticKernelPromptTemplateFactory;

impl SemanticKernelPromptTemplateFactory {
    /// A factory for this format.
    pub const fn new() -> Self {
        Self
    }
}

impl PromptTemplateFactory for SemanticKernelPromptTemplateFactory {
    fn try_create(
        &self,
        config: &PromptTemplateConfig,
    ) -> Result<Option<Arc<dyn PromptTemplate>>, TemplateError> {
        if config.template_format != SEMANTIC_KERNEL_FORMAT {
            return Ok(None);
        }
        let template = SemanticKernelPromptTemplate::compile(config)?;
        Ok(Some(Arc::new(template)))
    }

    fn formats(&self) -> &[&str] {
        &[SEMANTIC_KERNEL_FORMAT]
    }
}
