//! The kernel of a tenant.

use std::sync::Arc;

use textsearch_kernel::Kernel;
use textsearch_prompt::{HandlebarsPromptTemplateFactory, SemanticKernelPromptTemplateFactory};

use super::Source;
use crate::{Result, ServerConfig, Services};

const MODEL: &str = "model";

/// Returns a kernel with one plugin for each source, and the model.
pub(super) fn kernel(
    sources: &[Source],
    services: &Services,
    config: &ServerConfig,
) -> Result<Kernel> {
    let mut kernel = Kernel::new();
    let mut handlebars = HandlebarsPromptTemplateFactory::new();
    handlebars.max_work = Some(config.max_prompt_bytes);
    kernel.add_template_factory(handlebars);
    let mut semantic_kernel = SemanticKernelPromptTemplateFactory::new();
    semantic_kernel.max_work = Some(config.max_prompt_bytes);
    kernel.add_template_factory(semantic_kernel);
    for source in sources {
        kernel.add_plugin(source.named.clone())?;
    }
    if let Some(model) = &services.chat_completion {
        kernel.add_chat_service(MODEL, Arc::clone(model))?;
    }
    Ok(kernel)
}
