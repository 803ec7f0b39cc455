//! Grounds a prompt with search results, in Semantic Kernel's template language.
//!
//! Needs: nothing; it runs offline.

use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_kernel::{
    Kernel, KernelArguments, TextSearchPlugins as _, prompt::PromptTemplateConfig,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // Any text search works here: a web engine, a vector store, your own.
    let search = FixedSearch::new(vec![
        TextSearchResult::new("Semantic Kernel is an SDK that connects models with code."),
        TextSearchResult::new("Plugins describe your functions to a model."),
    ]);

    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(search.create_with_search("SearchPlugin")?)?;

    // Compile once, render many times.
    let prompt = PromptTemplateConfig::new("{{SearchPlugin.Search $query}}. {{$query}}");
    let prompt = kernel.compile_prompt(&prompt)?;
    let arguments = KernelArguments::new().with("query", "What is the Semantic Kernel?");
    let rendered = prompt.render(&kernel, &arguments).await?;
    println!("{}", rendered.text);
    Ok(())
}
