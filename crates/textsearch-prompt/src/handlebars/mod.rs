//! Handlebars, with every kernel function as a helper.
//!
//! The `handlebars` crate parses and renders; this module bridges what it does not do.
//!
//! - *Async calls*: [`rendering`] renders until a call has no answer yet, awaits it, and goes on from there.
//! - *Output as Handlebars.js writes it, and encoding*: [`rewrite`] changes the parsed template once, so that whatever an
//!   expression inserts goes through one place, [`print`].
//! - *Answers without copies*: they live in the data that the template reads, so that blocks refer to them by path:
//!   [`data`].

mod answers;
mod call;
mod data;
mod error;
mod helpers;
mod mistakes;
mod names;
mod nesting;
mod output;
mod path;
mod print;
mod registry;
mod rendering;
mod rewrite;
mod source;
mod text;
mod truth;
mod variables;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use ::handlebars::{Handlebars, Template};
use async_trait::async_trait;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction, Result,
    prompt::{
        HANDLEBARS_FORMAT, PromptTemplate, PromptTemplateConfig, PromptTemplateFactory,
        TemplateError, TemplateVariables,
    },
};

use crate::name_in_errors;
use rendering::Rendering;
use rewrite::Features;

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
/// in one rendering. No thread is blocked, and any executor will do.
///
/// The rest of a block is rendered again for each call in it; what is finished at the top level of the template, and
/// finished turns of a loop, are not. Inline partials need the whole template again for each call.
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
    template: Template,
    variables: TemplateVariables,
    /// The same template, for data in which a list is where the template expects an object: made when it is needed.
    lenient: OnceLock<Template>,
    features: Features,
    registry: Handlebars<'static>,
}

impl HandlebarsPromptTemplate {
    fn compile(config: &PromptTemplateConfig) -> Result<Self, TemplateError> {
        let variables = variables::of_template(&parse(config)?);
        let (template, features) = compile(config, false)?;
        let registry = registry::new(config, features);
        let lenient = OnceLock::new();
        let config = config.clone();
        Ok(Self { config, template, variables, lenient, features, registry })
    }

    fn template(&self, is_lenient: bool) -> Result<&Template, TemplateError> {
        if !is_lenient {
            return Ok(&self.template);
        }
        if let Some(template) = self.lenient.get() {
            return Ok(template);
        }
        let (template, _) = compile(&self.config, true)?;
        Ok(self.lenient.get_or_init(|| template))
    }

    /// Whether the results of `function` are inserted as they are; of no account in a plain prompt.
    fn trusts(&self, function: &KernelFunction) -> bool {
        let name = || function.metadata().qualified_name();
        self.features.is_chat_prompt && self.config.is_function_trusted(&name())
    }
}

fn compile(
    config: &PromptTemplateConfig,
    is_lenient: bool,
) -> Result<(Template, Features), TemplateError> {
    let mut template = parse(config)?;
    let features =
        rewrite::rewrite(&mut template, &config.template, is_lenient).map_err(|problem| {
            TemplateError::new(name_in_errors(config), problem.position, problem.message)
        })?;
    Ok((template, features))
}

fn parse(config: &PromptTemplateConfig) -> Result<Template, TemplateError> {
    let name = name_in_errors(config);
    let source = source::with_dots_as_letters(&config.template);
    Template::compile_with_name(source, name.to_owned())
        .map_err(|error| error::from_compiling(name, &config.template, &error))
}

#[async_trait]
impl PromptTemplate for HandlebarsPromptTemplate {
    fn is_chat_prompt(&self) -> bool {
        self.features.is_chat_prompt
    }

    fn variables(&self) -> TemplateVariables {
        self.variables.clone()
    }

    async fn render(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<String> {
        Rendering::new(self, kernel, arguments).run().await
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
