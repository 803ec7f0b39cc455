//! A search as an MCP server, and its tool as a plugin of another kernel.
//!
//! The program starts itself as the server. Any MCP client can start it too:
//! `cargo run -p examples --example 19_mcp -- serve`.
//!
//! Needs: nothing, runs offline.

use std::env;

use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_kernel::{
    Kernel, KernelArguments, TextSearchPlugins as _, prompt::PromptTemplateConfig,
};
use textsearch_mcp::{McpCommand, McpPlugin, McpServer, McpServerConfig};

const TEMPLATE: &str = "\
Answer from these results:
{{Handbook.Docs_GetSearchResults query=$question}}

{{$question}}";

fn documents() -> FixedSearch {
    FixedSearch::new([
        TextSearchResult::new("Holidays: 25 days a year.")
            .with_name("Time off")
            .with_id("time-off"),
        TextSearchResult::new("Expenses are paid within a week.")
            .with_name("Money")
            .with_id("money"),
    ])
}

async fn serve() -> anyhow::Result<()> {
    let mut kernel = Kernel::new();
    kernel.add_plugin(documents().create_with_get_search_results("Docs")?)?;
    let config = McpServerConfig::new("handbook")
        .with_instructions("Search the handbook before you answer questions about the company.");
    McpServer::new(kernel, config)?.serve_stdio().await?;
    Ok(())
}

async fn ask() -> anyhow::Result<()> {
    let server = McpCommand::new(env::current_exe()?).with_arguments(["serve"]);
    let handbook = McpPlugin::connect("Handbook", server).await?;
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_plugin(handbook.plugin()?)?;
    for function in kernel.plugins().iter().flat_map(|plugin| plugin.functions()) {
        println!("tool: {}", function.metadata().qualified_name());
    }

    let prompt = kernel.compile_prompt(&PromptTemplateConfig::new(TEMPLATE))?;
    let arguments = KernelArguments::new().with("question", "How many holidays are there?");
    println!("{}", prompt.render(&kernel, &arguments).await?.text);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    match env::args().nth(1).as_deref() {
        Some("serve") => serve().await,
        _ => ask().await,
    }
}
