#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod binding;
mod handlebars;
mod semantic_kernel;
mod variables;

use textsearch_kernel::{Kernel, KernelError, KernelFunction, prompt::PromptTemplateConfig};

pub use crate::{
    handlebars::HandlebarsPromptTemplateFactory,
    semantic_kernel::SemanticKernelPromptTemplateFactory,
};

/// Adds both template formats to `kernel`: `semantic-kernel` and `handlebars`.
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

/// Adds the template position if the function rejects the arguments. Returns any other error
/// unchanged.
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
    KernelError::template_call(name_in_errors(config), position, error)
}

fn name_in_errors(config: &PromptTemplateConfig) -> &str {
    if config.name.is_empty() { "template" } else { &config.name }
}
