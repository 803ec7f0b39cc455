//! Searches for what a follow-up question means: a model rewrites it from the conversation.
//!
//! Needs: nothing; it runs offline against a scripted model. With `OPENAI_MODEL` and
//! `OPENAI_API_KEY` (or `OPENAI_BASE_URL` for your own server) it uses a real model, unless you
//! pass `--scripted`.

mod model;

use std::sync::Arc;

use examples::company::{self, QUESTION};
use model::Model;
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_kernel::{
    grounding::{GroundingOptions, TextSearchProvider},
    prelude::*,
    prompt::ExecutionSettings,
    transform::{QUERY_TRANSFORM, Standalone, Transformed},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let rewrite = "What is my budget for 2023?";
    let answers =
        ["It is 1.2 million euros [1].", rewrite, rewrite, "It was 1.1 million euros [1]."];
    let model = Model::open(ModelScript::turns(answers.map(Turn::text))).await?;
    let standalone = Standalone::new(Arc::clone(&model.chat));
    let search = Transformed::new(company::memory().await?, standalone);

    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", Arc::clone(&model.chat))?;
    let provider = TextSearchProvider::from_transformed(search.clone(), GroundingOptions::new())?;
    let settings = ExecutionSettings::new().with_context_provider(provider);
    let mut history = ChatHistory::from(vec![ChatMessage::user(QUESTION)]);
    // The first question stands alone.
    history = kernel.chat(history, settings.clone()).await?.run.history;

    // What the second one searches for, without the chat.
    let follow_up = "And 2023?";
    let search = search.with_history(history.clone());
    let results = search.text_search_results(follow_up, &SearchOptions::top(1)).await?;
    println!("{}", results.metadata()[QUERY_TRANSFORM]);
    for result in results.into_vec().await? {
        println!("{}", result.value);
    }

    history.push(ChatMessage::user(follow_up));
    println!("{}", kernel.chat(history, settings).await?.answer()?);
    Ok(())
}
