#![doc = include_str!("../README.md")]

mod binding;
mod handlebars;
mod semantic_kernel;
mod variables;

use std::sync::Arc;

use textsearch_kernel::Kernel;

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
    kernel.add_template_factory(Arc::new(HandlebarsPromptTemplateFactory::new()));
    kernel.add_template_factory(Arc::new(SemanticKernelPromptTemplateFactory::new()));
}

/// The name of a template in errors: its own, or a word for one without.
fn name_in_errors(config: &textsearch_kernel::prompt::PromptTemplateConfig) -> &str {
    if config.name.is_empty() { "template" } else { &config.name }
}
