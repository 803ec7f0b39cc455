//! Prints an answer while the model writes it, with the calls it makes on the way.
//!
//! Needs: nothing; it runs offline against a scripted model. With `OPENAI_MODEL` and
//! `OPENAI_API_KEY` (or `OPENAI_BASE_URL` for your own server) it uses a real model, unless you
//! pass `--scripted`.

mod model;

use std::{
    io::{Write as _, stdout},
    time::Duration,
};

use model::Model;
use textsearch_conformance::chat::ModelScript;
use textsearch_kernel::prelude::*;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // Slow enough to watch.
    let script = ModelScript::demonstration().with_pause(Duration::from_millis(10));
    let model = Model::open(script).await?;
    let page = TextSearchResult::new(
        "Each harbour has a few dozen constants, and the rest is a sum of cosines.",
    )
    .with_name("How tides are predicted")
    .with_link("https://harbour.example/tides");
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    kernel.add_chat_service("default", model.chat)?;
    kernel.add_plugin(FixedSearch::new([page]).create_with_get_search_results("SearchPlugin")?)?;

    let arguments = KernelArguments::new().with_default_settings(FunctionChoiceBehavior::auto());
    // Reading the events drives the run. Dropping them stops the request and running functions.
    let mut events = kernel.chat_prompt_streaming("How are tides predicted?", arguments).await?;
    while let Some(event) = events.next().await {
        match event? {
            ChatEvent::Text(piece) => {
                print!("{piece}");
                stdout().flush()?;
            }
            ChatEvent::CallStarted { call, .. } => println!("[{} {}", call.name, call.arguments),
            ChatEvent::CallFinished(call) => println!(" took {:.0?}]\n", call.duration),
            // The printed answer may have been cut off or filtered.
            ChatEvent::Finished(outcome) => {
                outcome.answer()?;
                println!("\n\n{} tokens", outcome.run.usage.total_tokens());
            }
            _ => {}
        }
    }
    Ok(())
}
