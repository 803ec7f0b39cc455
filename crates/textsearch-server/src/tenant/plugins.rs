//! The functions of sources, for templates, models and MCP clients.

use std::sync::Arc;

use textsearch_core::TextSearch;
use textsearch_kernel::{
    Kernel, KernelPlugin, TextSearchPlugins as _, search::SearchFunctionOptions,
};
use textsearch_prompt::{HandlebarsPromptTemplateFactory, SemanticKernelPromptTemplateFactory};

use super::Source;
use crate::{Result, ServerConfig, Services};

const RECORDS: &str = "GetRecords";

const MODEL: &str = "model";

pub(super) fn plugin(
    name: &str,
    search: &Arc<dyn TextSearch>,
    options: &SearchFunctionOptions,
) -> Result<KernelPlugin> {
    let functions = [
        search.create_search(options.clone())?,
        search.create_get_search_results(options.clone())?,
        search.create_get_text_search_results(options.clone())?,
        search.create_records(RECORDS, options.clone())?,
    ];
    let description = format!("Searches with {}.", search.name());
    Ok(KernelPlugin::new(name, description, functions)?)
}

/// Returns a kernel with one plugin for each source, and the model.
pub(super) fn kernel(
    sources: &[Source],
    services: &Services,
    config: &ServerConfig,
) -> Result<Kernel> {
    let mut kernel = Kernel::new();
    let work = config.max_prompt_bytes;
    kernel.add_template_factory(HandlebarsPromptTemplateFactory::new().with_max_work(work));
    kernel.add_template_factory(SemanticKernelPromptTemplateFactory::new().with_max_work(work));
    for source in sources {
        kernel.add_plugin(source.named.clone())?;
    }
    if let Some(model) = &services.chat_completion {
        kernel.add_chat_service(MODEL, Arc::clone(model))?;
    }
    Ok(kernel)
}
