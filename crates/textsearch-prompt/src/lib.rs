#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod binding;
mod handlebars;
mod semantic_kernel;
mod variables;

use textsearch_kernel::{
    Kernel, KernelError, KernelFunction,
    prompt::{PromptTemplateConfig, TemplateError},
};

pub use crate::{
    handlebars::HandlebarsPromptTemplateFactory,
    semantic_kernel::SemanticKernelPromptTemplateFactory,
};

/// Teaches `kernel` both template formats: `semantic-kernel` and `handlebars`.
///
/// ```
/// use textsearch_kernel::Kernel;
///
/// let mut kernel = Kernel::new();
/// textsearch_prompt::add_template_factories(&mut kernel);
/// ```
pub fn add_template_factories(kernel: &mut Kernel) {
    kernel.add_template_factory(HandlebarsPromptTemplateFactory::new());
    kernel.add_template_factory(SemanticKernelPromptTemplateFactory::new());
}

/// The error of a call: with the place in the template if the function refuses the arguments, and as it is otherwise.
fn error_of_call(
    config: &PromptTemplateConfig,
    position: (usize, usize),
    function: &KernelFunction,
    error: KernelError,
) -> KernelError {
    let is_own = match &error {
        KernelError::InvalidArgument { function: name, .. } => {
            *name == function.metadata().qualified_name()
        }
        _ => false,
    };
    if !is_own {
        return error;
    }
    TemplateError::new(name_in_errors(config), position, error.to_string())
        .with_source(error)
        .into()
}

/// The name of a template in errors: its own, or a word for one without.
fn name_in_errors(config: &PromptTemplateConfig) -> &str {
    if config.name.is_empty() { "template" } else { &config.name }
}
