//! Handlebars, with every kernel function as a helper.
//!
//! The `handlebars` crate parses. [`compile`] makes a [`tree`] of what it parsed, once; [`render`] walks the tree and
//! awaits each call where it stands. Whatever an expression inserts goes through one place, `Walker::print`.

mod block;
mod compile;
mod decimal;
mod error;
mod evaluate;
mod helpers;
mod mistakes;
mod path;
mod problem;
mod render;
mod scope;
mod source;
mod text;
mod tree;
mod truth;
mod value;
mod variables;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use ::handlebars::Template;
use async_trait::async_trait;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction, Result,
    prompt::{
        HANDLEBARS_FORMAT, PromptTemplate, PromptTemplateConfig, PromptTemplateFactory,
        TemplateError, TemplateVariables,
    },
};

use crate::{name_in_errors, variables::Variables};
use compile::Compiled;
use render::Walker;
use source::Source;

/// Makes templates of the format `handlebars`.
///
/// The language is that of [Handlebars.js](https://handlebarsjs.com/guide/), whose output it has byte for byte, apart
/// from escaping: plain prompts are not escaped at all, and in chat prompts everything that is inserted is encoded once,
/// `{{{x}}}` too.
///
/// Every function of the kernel is a helper, `Plugin-Function`: inline (`{{SearchPlugin-Search query}}`), as a
/// sub-expression (`{{#each (SearchPlugin-GetSearchResults query count=5)}}`), with positional arguments in the order
/// of its parameters and named ones. A parameter that a call leaves out takes the variable of its name, where there is
/// one. A result that is printed as a whole reads as
/// [`value_to_text`](textsearch_kernel::function::value_to_text) says. Other names with a hyphen are variables.
///
/// Beside the built-in helpers there are those that Semantic Kernel's users know:
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
/// | `{{{{raw}}}}…{{{{/raw}}}}` | the block as it stands |
///
/// # Calls
///
/// Functions are awaited one after the other, each exactly once for each time the template reaches it, and at most 1,000
/// in one rendering. No thread is blocked, and any executor will do. The calls in a tag are made before the tag is
/// rendered, in the order in which they stand; named arguments come last, in the order of their names.
///
/// # Trust
///
/// In a chat prompt, a value is inserted as it is only where the configuration trusts the variable or the function that
/// it comes from, and where it is printed from there: `{{x}}`, `{{x.field}}`, an item of `{{#each x}}`, the result of
/// `{{Plugin-Function}}`. What a helper made of it, such as `{{concat x y}}` or `{{json x}}`, is encoded, and so is what
/// an inline partial prints.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct HandlebarsPromptTemplateFactory;

impl HandlebarsPromptTemplateFactory {
    /// A factory for this format.
    pub const fn new() -> Self {
        Self
    }
}

impl PromptTemplateFactory for HandlebarsPromptTemplateFactory {
    fn try_create(
        &self,
        config: &PromptTemplateConfig,
    ) -> Result<Option<Arc<dyn PromptTemplate>>, TemplateError> {
        if config.template_format != HANDLEBARS_FORMAT {
            return Ok(None);
        }
        Ok(Some(Arc::new(HandlebarsPromptTemplate::compile(config)?)))
    }

    fn formats(&self) -> &[&str] {
        &[HANDLEBARS_FORMAT]
    }
}

/// A compiled Handlebars template.
struct HandlebarsPromptTemplate {
    config: PromptTemplateConfig,
    compiled: Compiled,
}

impl HandlebarsPromptTemplate {
    fn compile(config: &PromptTemplateConfig) -> Result<Self, TemplateError> {
        let name = name_in_errors(config);
        let source = Source::new(&config.template);
        let template = Template::compile_with_name(&source.parsed, name.to_owned())
            .map_err(|error| error::of_parser(name, source.text, &error))?;
        let compiled = compile::compile(&template, &source)
            .map_err(|problem| TemplateError::new(name, problem.position, problem.message))?;
        Ok(Self { config: config.clone(), compiled })
    }

    /// Whether the results of `function` are inserted as they are; of no account in a plain prompt.
    fn trusts(&self, function: &KernelFunction) -> bool {
        let name = || function.metadata().qualified_name();
        self.compiled.is_chat_prompt && self.config.is_function_trusted(&name())
    }

    /// Whether the variable is inserted as it is; of no account in a plain prompt.
    fn trusts_variable(&self, name: &str) -> bool {
        self.compiled.is_chat_prompt && self.config.is_variable_trusted(name)
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
