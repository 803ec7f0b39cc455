//! Grounds each turn of a chat with a context provider, or lets the model search when it wants to.
//!
//! The last of five ways, over the same documents: see docs/guide/rag.md.
//!
//! Needs: nothing; it runs offline.

use std::sync::Arc;

use examples::{
    Script,
    company::{self, Parrot, QUESTION},
};
use textsearch_core::chat::{ChatHistory, ChatMessage};
use textsearch_kernel::{
    Kernel,
    citations::check_citations,
    grounding::{GroundingOptions, TextSearchBehavior, TextSearchProvider},
    prompt::ExecutionSettings,
};

async fn provider() -> anyhow::Result<TextSearchProvider> {
    let options = GroundingOptions::new().with_top(2).with_max_characters(4_000);
    // The last two questions form the query, so that "And 2023?" makes sense.
    Ok(TextSearchProvider::new(company::memory().await?, options)?.with_recent_messages(2))
}

/// Returns the last message of the request in each of two turns.
pub async fn turns() -> anyhow::Result<Vec<String>> {
    let model = Arc::new(Parrot::default());
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", Arc::clone(&model))?;
    let settings = ExecutionSettings::new().with_context_provider(provider().await?);

    let mut history = ChatHistory::new();
    let mut prompts = Vec::new();
    for question in [QUESTION, "And 2023?"] {
        history.push(ChatMessage::user(question));
        let outcome = kernel.chat(history, settings.clone()).await?;
        prompts.push(model.last_prompt());
        let citations = check_citations(&outcome.answer()?, &outcome.run.sources);
        assert!(citations.iter().all(|citation| citation.is_supported()));
        // Holds the questions and answers, but no results.
        history = outcome.run.history;
    }
    assert_eq!(history.messages()[0].text(), QUESTION);
    Ok(prompts)
}

async fn on_demand() -> anyhow::Result<()> {
    let model = Script::new(&[("Search", r#"{ "query": "company budget 2024" }"#)], Parrot::ANSWER);
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", model)?;
    let provider = provider()
        .await?
        .with_behavior(TextSearchBehavior::OnDemandFunctionCalling)
        .with_function_description("Search the notes of the company.");
    let settings = ExecutionSettings::new().with_context_provider(provider);
    let history = ChatHistory::from(vec![ChatMessage::user(QUESTION)]);
    let outcome = kernel.chat(history, settings).await?;
    for call in &outcome.run.calls {
        println!("{} {}", call.call.name, call.call.arguments);
    }
    for source in outcome.run.sources.iter() {
        println!("[{}] {}", source.number, source.link.as_deref().unwrap_or_default());
    }
    println!("{}", outcome.answer()?);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    for prompt in turns().await? {
        println!("{prompt}\n");
    }
    on_demand().await
}
