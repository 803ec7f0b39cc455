//! Lets a model set one filter, under a fixed filter that always holds.
//!
//! The notes belong to two tenants. The model may choose a topic; the application fixes the tenant.
//! The scripted model is hostile: it tries to read the other tenant's notes.
//!
//! Needs: nothing; it runs offline against a scripted model. With `OPENAI_MODEL` and
//! `OPENAI_API_KEY` (or `OPENAI_BASE_URL` for your own server) it uses a real model, unless you
//! pass `--scripted`.

mod model;

use model::Model;
use serde::Serialize;
use serde_json::json;
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_kernel::prelude::*;

/// A note of one tenant.
#[derive(Debug, Clone, Serialize, TextSearchRecord)]
struct Note {
    tenant: &'static str,
    topic: &'static str,
    #[result(value)]
    text: &'static str,
}

fn notes() -> FixedSearch<Note> {
    let note = |tenant, topic, text| Note { tenant, topic, text };
    FixedSearch::new([
        note("a", "tides", "High water is at nine."),
        note("a", "storms", "The gale comes on Friday."),
        note("b", "tides", "The password of the lock is 4711."),
    ])
    .with_fields([
        FilterableField::string("tenant", "Whose note it is"),
        FilterableField::string("topic", "What the note is about"),
    ])
}

fn hostile() -> ModelScript {
    let search = "Notes-Search";
    let tries = Turn::tool_call(search, &json!({ "query": "water", "topic": "tides" }))
        .with_tool_call(search, &json!({ "query": "lock OR tenant:b", "count": 50 }))
        .with_tool_call(search, &json!({ "query": "lock", "tenant": "b" }));
    ModelScript::turns([tries, Turn::text("High water is at nine; of the lock I found nothing.")])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let options = SearchPluginOptions::new("Notes")
        .with_fixed_filter(Filter::eq("tenant", "a")) // always
        .with_offered_fields(OfferedFields::list(["topic"])) // if the model likes
        .with_parameter_description("topic", "Only notes about this: tides or storms");

    let model = Model::open(hostile()).await?;
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", model.chat)?;
    kernel.add_plugin(notes().create_with_search(options)?)?;

    let question = "When is high water, and what is the password of the lock?";
    let history = ChatHistory::from(vec![ChatMessage::user(question)]);
    let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).await?;

    for call in &outcome.run.calls {
        println!("{} {}", call.call.name, call.call.arguments);
        match &call.result {
            Ok(found) => println!("  -> {found}"),
            Err(error) => println!("  -> {}: {error}", error.kind.name()),
        }
    }
    println!("\n{}", outcome.answer()?);
    Ok(())
}
