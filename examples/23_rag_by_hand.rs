//! Grounds a prompt by hand: search, then put the results before the question.
//!
//! The first of five ways, over the same documents: see docs/guide/rag.md.
//!
//! Needs: nothing; it runs offline.

use examples::company::{self, QUESTION};
use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelArguments,
    prompt::{PromptTemplateConfig, json_line},
};

/// Concatenates the prompt.
pub async fn concatenated() -> anyhow::Result<String> {
    let memory = company::memory().await?;
    let mut prompt = String::new();
    for result in memory.recall("company budget by year", 2, None).await? {
        // One JSON object per line: no text can pass for another result or for the question.
        let line = json!({ "Name": result.name, "Value": result.value, "Link": result.link });
        prompt.push_str(&json_line(&line));
        prompt.push('\n');
    }
    prompt.push_str(QUESTION);
    Ok(prompt)
}

/// Passes the results to a template, as a variable.
pub async fn with_variable() -> anyhow::Result<String> {
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    let found = company::memory().await?.recall("company budget by year", 1, None).await?;
    let texts: Vec<String> = found.into_iter().map(|result| result.value).collect();
    let arguments = KernelArguments::new().with("budgetByYear", texts);
    let config = PromptTemplateConfig::new("{{$budgetByYear}} What is my budget for 2024?");
    Ok(kernel.compile_prompt(&config)?.render(&kernel, &arguments).await?.text)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    println!("{}\n", concatenated().await?);
    println!("{}", with_variable().await?);
    Ok(())
}
