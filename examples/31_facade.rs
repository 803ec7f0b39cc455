//! Uses one dependency, `textsearch-sdk`, in place of a crate for each part: files, a store and a template.
//!
//! The other examples name each crate: their programs compile no more than they need.
//!
//! Needs: nothing; it runs offline.

use textsearch_sdk::documents::ingest::{DocumentIndex, FileWalker, Ingestion};
use textsearch_sdk::kernel::prelude::*;
use textsearch_sdk::{prompt::add_template_factories, vector_inmemory::InMemoryVectorStore};

const TEMPLATE: &str = "\
{{#each (Docs-GetSearchResults query)}}
{{Value}} ({{Link}})
{{/each}}
{{query}}";

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    index.update(Ingestion::new(FileWalker::new().walk(&["docs"])?)).await?;
    let search = index.open(None).await?.text_search();

    let mut kernel = Kernel::new();
    add_template_factories(&mut kernel);
    kernel.add_plugin(search.create_with_get_search_results("Docs")?)?;

    let template = PromptTemplateConfig::new(TEMPLATE).with_template_format("handlebars");
    let arguments = KernelArguments::new().with("query", "What counts as a breaking change?");
    let prompt = kernel.compile_prompt(&template)?.render(&kernel, &arguments).await?;
    assert!(prompt.text.contains("versioning.md"), "{}", prompt.text);
    println!("{}", prompt.text);
    Ok(())
}
