//! A prompt with citations, in Handlebars.

use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_kernel::{
    Kernel, KernelArguments, Result, TextSearchPlugins, prompt::PromptTemplateConfig,
};

const TEMPLATE: &str =
    "{{#each (Docs-GetSearchResults query)}}{{Value}} ({{Link}})\n{{/each}}{{query}}";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let result = TextSearchResult::new("A crate for one backend.").with_link("docs/connectors.md");
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(FixedSearch::new([result]).create_with_get_search_results("Docs")?)?;

    let template = PromptTemplateConfig::new(TEMPLATE).with_template_format("handlebars");
    let arguments = KernelArguments::new().with("query", "What is a connector?");
    let prompt = kernel.compile_prompt(&template)?.render(&kernel, &arguments).await?;
    assert_eq!(prompt.text, "A crate for one backend. (docs/connectors.md)\nWhat is a connector?");
    Ok(())
}
