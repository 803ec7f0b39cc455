//! Grounds prompts with a memory in the execution settings: named in a prompt file, or from code.
//!
//! The fourth of five ways, over the same documents: see docs/guide/rag.md.
//!
//! Needs: nothing; it runs offline.

use std::sync::Arc;

use examples::company::{self, Parrot, QUESTION};
use textsearch_kernel::{
    Kernel, KernelArguments,
    grounding::MemoryConfig,
    prompt::{ExecutionSettings, PromptTemplateConfig},
};

fn kernel(model: &Arc<Parrot>) -> anyhow::Result<Kernel> {
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_chat_service("default", Arc::clone(model))?;
    Ok(kernel)
}

/// Returns the request for a prompt file that names a memory of the kernel.
pub async fn named() -> anyhow::Result<String> {
    let model = Arc::new(Parrot::default());
    let mut kernel = kernel(&model)?;
    kernel.add_memory("company", company::memory().await?)?;
    let config = PromptTemplateConfig::from_json(
        r#"{
            "template": "What is my budget for {{$year}}?",
            "execution_settings": { "default": { "memory_config": { "memory": "company", "limit": 2 } } }
        }"#,
    )?;
    kernel.invoke_prompt(config, KernelArguments::new().with("year", 2024)).await?;
    Ok(model.last_prompt())
}

/// Returns the request for settings from code.
pub async fn in_code() -> anyhow::Result<String> {
    let model = Arc::new(Parrot::default());
    let mut memory = MemoryConfig::new(company::memory().await?);
    memory.limit = 2;
    let settings = ExecutionSettings::new().with_memory(memory);
    let arguments = KernelArguments::new().with_default_settings(settings);
    kernel(&model)?.invoke_prompt(QUESTION, arguments).await?;
    Ok(model.last_prompt())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    println!("{}\n", named().await?);
    assert_eq!(named().await?, in_code().await?);
    println!("The same memory from code makes the same prompt.");
    Ok(())
}
