//! Handlebars, with every kernel function as a helper.
//!
//! The `handlebars` crate parses a template, [`compile`] converts the result to a [`tree`], and
//! [`render`] walks the tree. `Walker::print` inserts every value.

mod block;
mod compile;
mod decimal;
mod error;
mod evaluate;
mod helpers;
mod mistakes;
mod nesting;
mod path;
mod problem;
mod render;
mod scope;
mod source;
mod template;
mod text;
mod tree;
mod truth;
mod value;
mod variables;
mod work;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use textsearch_kernel::{
    Kernel, KernelArguments, Result,
    prompt::{
        HANDLEBARS_FORMAT, PromptTemplate, PromptTemplateConfig, PromptTemplateFactory,
        TemplateVariables,
    },
};

use crate::variables::Variables;
use render::Walker;
use template::HandlebarsPromptTemplate;

/// Compiles templates in the `handlebars` format.
///
/// The language is [Handlebars.js](https://handlebarsjs.com/guide/). The output matches it byte for
/// byte, except for escaping: plain prompts are not escaped, and chat prompts encode every
/// insertion once, `{{{x}}}` too.
///
/// Every kernel function is a helper, `Plugin-Function`: inline (`{{SearchPlugin-Search query}}`),
/// or as a sub-expression (`{{#each (SearchPlugin-GetSearchResults query count=5)}}`). Arguments
/// are positional or named. An omitted parameter gets the variable of the same name, if any. A
/// result printed as a whole becomes text as
/// [`value_to_text`](textsearch_kernel::function::value_to_text) describes. Other names with a
/// hyphen are variables.
///
/// With arguments, a function may be called without its plugin: `{{recall 'budget'}}` calls the
/// first function of that name, unless a helper has the name.
///
/// Besides the built-in helpers, there are Semantic Kernel's:
///
/// | helper | gives |
/// |---|---|
/// | `{{#message role="user"}}…{{/message}}` | a message of a chat prompt; other named arguments are attributes |
/// | `{{set "name" value}}`, `{{set name="name" value=value}}` | nothing; the variable has the value from there on |
/// | `{{json value}}` | a text as it is, anything else as JSON |
/// | `{{json_line value}}` | the value as JSON on one line, texts in quotes: no text can pass for a line of the template |
/// | `{{concat a b …}}` | the values as one text |
/// | `(array a b …)`, `(range 1 5)` | a list; the whole numbers from 1 to 5 |
/// | `(equals a b)` | whether the two are the same |
/// | `(or a b …)` | whether one is neither missing, nor null, nor false |
/// | `{{add a b …}}`, `{{subtract a b …}}` | the sum; the first less the others |
/// | `{{{{raw}}}}…{{{{/raw}}}}` | the block unchanged |
///
/// # Calls
///
/// The template awaits functions one at a time, once for each time it reaches a call, at most 1,000
/// in one rendering. Rendering blocks no thread and works with any executor. The calls in a tag run
/// before the tag is rendered, in source order, named arguments last, sorted by name.
///
/// # Trust
///
/// In a chat prompt, a value is inserted without encoding only if the configuration trusts its
/// variable or function, and the template prints it directly: `{{x}}`, `{{x.field}}`, an item of
/// `{{#each x}}`, the result of `{{Plugin-Function}}`. The output of a helper, such as
/// `{{concat x y}}` or `{{json x}}`, is encoded, and so is the output of an inline partial.
///
/// # Untrusted templates
///
/// Loops and helpers can multiply a short template into any amount of text. Before you render a
/// stranger's template, set [`max_work`](Self::max_work).
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct HandlebarsPromptTemplateFactory {
    /// The maximum work of one rendering: bytes that it inserts or passes to helpers, and visits of
    /// tags. A rendering that needs more is an error. No limit by default.
    pub max_work: Option<usize>,
}

impl HandlebarsPromptTemplateFactory {
    /// Creates a factory for this format.
    pub const fn new() -> Self {
        Self { max_work: None }
    }
}

impl PromptTemplateFactory for HandlebarsPromptTemplateFactory {
    fn try_create(&self, config: &PromptTemplateConfig) -> Result<Option<Arc<dyn PromptTemplate>>> {
        if config.template_format != HANDLEBARS_FORMAT {
            return Ok(None);
        }
        Ok(Some(Arc::new(HandlebarsPromptTemplate::compile(config, self.max_work)?)))
    }

    fn formats(&self) -> &[&str] {
        &[HANDLEBARS_FORMAT]
    }
}

#[async_trait]
impl PromptTemplate for HandlebarsPromptTemplate {
    fn is_chat_prompt(&self) -> bool {
        self.compiled.is_chat_prompt
    }

    fn variables(&self) -> TemplateVariables {
        variables::of_template(&self.compiled.body)
    }

    async fn render(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<String> {
        let variables = Variables::new(arguments, &self.config);
        let root = OnceLock::new();
        Walker::new(self, kernel, variables, &root).run().await
    }
}

impl fmt::Debug for HandlebarsPromptTemplate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HandlebarsPromptTemplate")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
