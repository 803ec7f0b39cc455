//! Grounds every prompt with a filter: the ready-made one, and one written by hand.
//!
//! The third of five ways, over the same documents: see docs/guide/rag.md.
//!
//! Needs: nothing; it runs offline.

use examples::company::{self, QUESTION};
use serde_json::json;
use textsearch_core::async_trait;
use textsearch_kernel::{
    Kernel, KernelArguments, Result,
    grounding::{GroundingFilter, GroundingOptions, TextMemory},
    prompt::{
        NextRender, PromptRenderContext, PromptRenderFilter, PromptTemplateConfig, json_line,
    },
};

/// Does by hand what `GroundingFilter` does.
struct ByHand {
    memory: TextMemory,
}

#[async_trait]
impl PromptRenderFilter for ByHand {
    async fn on_prompt_render(
        &self,
        context: &mut PromptRenderContext,
        next: NextRender<'_>,
    ) -> Result<()> {
        next.run(context).await?;
        let question = context.question()?.into_owned();
        let mut lines = Vec::new();
        for result in self.memory.recall(&question, 2, None).await? {
            // An answer can cite the number, and `check_citations` knows it.
            let number = context.sources.add(&result);
            lines.push(json_line(
                &json!({ "Citation": format!("[{number}]"), "Value": result.value }),
            ));
        }
        if !lines.is_empty() {
            // Encodes the text in a chat prompt.
            context.prepend(&lines.join("\n"));
        }
        Ok(())
    }
}

async fn render(filter: impl PromptRenderFilter + 'static) -> anyhow::Result<String> {
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_prompt_filter(filter);
    let prompt = kernel.compile_prompt(&PromptTemplateConfig::new(QUESTION))?;
    Ok(prompt.render(&kernel, &KernelArguments::new()).await?.text)
}

/// Renders the question with the ready-made filter.
pub async fn ready_made() -> anyhow::Result<String> {
    let options = GroundingOptions::new().with_top(2);
    render(GroundingFilter::new(company::memory().await?, options)?).await
}

/// Renders the question with the filter written by hand.
pub async fn by_hand() -> anyhow::Result<String> {
    render(ByHand { memory: company::memory().await? }).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    println!("{}\n", ready_made().await?);
    println!("{}", by_hand().await?);
    Ok(())
}
