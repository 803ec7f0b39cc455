//! The facade with three features: a web engine, templates and a model.

use textsearch_sdk::brave::{BraveConfig, BraveTextSearch};
use textsearch_sdk::kernel::prelude::*;
use textsearch_sdk::openai::{OpenAiChat, OpenAiConfig};
use textsearch_sdk::prompt::add_template_factories;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut kernel = Kernel::new();
    add_template_factories(&mut kernel);
    let model = OpenAiConfig::without_key("http://127.0.0.1:11434/v1", "a model");
    kernel.add_chat_service("default", OpenAiChat::new(model)?)?;
    let web = BraveTextSearch::new(BraveConfig::new("a key"))?;
    kernel.add_plugin(web.create_with_search("Web")?)?;

    let template = PromptTemplateConfig::new("Ask {{query}}").with_template_format("handlebars");
    let arguments = KernelArguments::new().with("query", "the web");
    let prompt = kernel.compile_prompt(&template)?.render(&kernel, &arguments).await?;
    assert_eq!(prompt.text, "Ask the web");
    Ok(())
}
