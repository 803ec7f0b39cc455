//! Asks a model for a typed value. Its first answer is out of range, so the kernel asks again.
//!
//! Needs: nothing; it runs offline against a scripted model. With `OPENAI_MODEL` and
//! `OPENAI_API_KEY` (or `OPENAI_BASE_URL` for your own server) it uses a real model, unless you
//! pass `--scripted`.

mod model;

use model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_kernel::prelude::*;

/// A review, as data.
#[derive(Deserialize, JsonSchema)]
struct Review {
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    topics: Vec<Topic>,
    /// What the customer complains about, in a few words.
    complaint: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Topic {
    Food,
    Price,
    Service,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let answers = [
        r#"{"stars": 8, "topics": ["food", "service"], "complaint": "slow"}"#,
        r#"{"stars": 4, "topics": ["food", "service"], "complaint": "slow waiter"}"#,
    ];
    let model = Model::open(ModelScript::turns(answers.map(Turn::text))).await?;
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_chat_service("default", model.chat)?;

    let text = "8/10: wonderful soup, but the waiter took an hour.";
    let arguments = KernelArguments::new().with("text", text);
    let prompt = "Rate this review: {{$text}}";
    let answer = kernel.invoke_prompt_as::<Review>(prompt, arguments).await?;
    let Review { stars, topics, complaint } = answer.value;
    println!("{stars} stars for {topics:?}, but: {}", complaint.as_deref().unwrap_or("nothing"));
    println!("{} attempts, {} tokens", answer.attempts, answer.outcome.run.usage.total_tokens());
    for message in answer.outcome.run.history.messages() {
        println!("  {}: {}", message.role.name(), message.text());
    }
    Ok(())
}
