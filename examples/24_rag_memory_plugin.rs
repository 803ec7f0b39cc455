//! Grounds a prompt with a memory as a plugin, and lets a model write into it after an approval.
//!
//! The second of five ways, over the same documents: see docs/guide/rag.md.
//!
//! Needs: nothing; it runs offline.

use examples::{Script, company};
use textsearch_kernel::{
    chat::FunctionChoiceBehavior,
    grounding::{MemoryPluginOptions, MemoryWrite, MemoryWriter},
    prelude::*,
};

/// The same text is a template in both languages.
const TEMPLATE: &str = "{{recall 'company budget by year'}} What is my budget for 2024?";

/// Renders the template in the format `semantic-kernel` or `handlebars`.
pub async fn rendered(format: &str) -> anyhow::Result<String> {
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    // `Retrieve` and `Recall`, for templates and models.
    let memory = company::memory().await?;
    kernel.add_plugin(memory.create_plugin("Memory", MemoryPluginOptions::new())?)?;
    let config = PromptTemplateConfig::new(TEMPLATE).with_template_format(format);
    Ok(kernel.compile_prompt(&config)?.render(&kernel, &KernelArguments::new()).await?.text)
}

/// Lets a model call `Save` and `Remove`, and approves only `Save`.
async fn write() -> anyhow::Result<()> {
    let memory = company::memory().await?;
    let options = MemoryPluginOptions::new()
        .with_writers([MemoryWriter::Save, MemoryWriter::Remove])
        // Ask a person here.
        .with_approval(|write| async move { matches!(write, MemoryWrite::Save(_)) });
    let mut kernel = Kernel::new();
    kernel.add_plugin(memory.create_plugin("Memory", options)?)?;
    let calls = [
        ("Memory-Save", r#"{ "key": "travel", "text": "Travel has 300,000 euros." }"#),
        ("Memory-Remove", r#"{ "key": "budget-2024" }"#),
    ];
    kernel.add_chat_service("default", Script::new(&calls, "Done."))?;

    // Without the names, the model would be offered `Retrieve` and `Recall` only.
    let behavior = FunctionChoiceBehavior::auto().with_functions([
        "Memory.Recall",
        "Memory.Save",
        "Memory.Remove",
    ]);
    let history = ChatHistory::from(vec![ChatMessage::user("Tidy up my notes.")]);
    let outcome = kernel.chat(history, behavior).await?;
    for call in &outcome.run.calls {
        let result = match &call.result {
            Ok(_) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        println!("{}: {result}", call.call.name);
    }
    assert!(memory.retrieve("travel").await?.is_some());
    assert!(memory.retrieve("budget-2024").await?.is_some());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    for format in ["semantic-kernel", "handlebars"] {
        println!("{format}:\n{}\n", rendered(format).await?);
    }
    write().await
}
