//! Watches a model's calls, changes them, answers instead of a function, refuses a call, and ends
//! the run.
//!
//! Needs: nothing; it runs offline against a scripted model. With `OPENAI_MODEL` and
//! `OPENAI_API_KEY` (or `OPENAI_BASE_URL` for your own server) it uses a real model, unless you
//! pass `--scripted`.

mod model;

use std::time::Instant;

use model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use textsearch_conformance::chat::{ModelRequest, ModelScript, Turn};
use textsearch_kernel::{
    Result,
    chat::{AutoFunctionInvocationContext, AutoFunctionInvocationFilter, NextAutoInvocation},
    function::{FunctionInvocationContext, FunctionInvocationFilter, Next},
    prelude::*,
};

/// Wraps every function call, by a model, a template or the application.
struct Watch;

#[async_trait]
impl FunctionInvocationFilter for Watch {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        let started = Instant::now();
        let outcome = next.run(context).await;
        println!("{} took {:.0?}", context.function.qualified_name(), started.elapsed());
        outcome
    }
}

/// Wraps every call by a model, outside the other filter.
struct Guard;

#[async_trait]
impl AutoFunctionInvocationFilter for Guard {
    async fn on_auto_function_invocation(
        &self,
        context: &mut AutoFunctionInvocationContext,
        next: NextAutoInvocation<'_>,
    ) -> Result<()> {
        let name = context.function.qualified_name();
        if name == "Mail-Send" {
            // The model learns that the call was refused. Only the application sees the reason.
            return Err(KernelError::refused(name, "a person has to agree first"));
        }
        if context.arguments.get("query").is_some_and(|query| query == "opening hours") {
            context.result = Some(json!(["Nine to five."]).into()); // the function does not run
            return Ok(());
        }
        context.arguments.insert("count", 1);
        next.run(context).await?;
        context.end_run = context.round == 2; // enough, whatever the model wants
        Ok(())
    }
}

#[derive(Deserialize, JsonSchema)]
struct Mail {
    /// Who gets it
    to: String,
}

fn script() -> ModelScript {
    let search = "Search-Search";
    let first = Turn::tool_call(search, &json!({ "query": "tides", "count": 50 }))
        .with_tool_call(search, &json!({ "query": "opening hours" }))
        .with_tool_call("Mail-Send", &json!({ "to": "everybody" }));
    // This model would never stop.
    let next = move |request: &ModelRequest| {
        let query = format!("tides, page {}", request.messages().len());
        Turn::tool_call(search, &json!({ "query": query }))
    };
    ModelScript::turns([first]).then(next)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let model = Model::open(script()).await?;
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", model.chat)?;
    let search = FixedSearch::new(
        ["High water is at nine.", "Low water is at three."].map(TextSearchResult::new),
    );
    kernel.add_plugin(search.create_with_search("Search")?)?;
    let send = KernelFunction::from_fn("Send", "Sends a mail.", |mail: Mail| async move {
        Ok::<_, KernelError>(format!("sent to {}", mail.to))
    })?;
    kernel.add_plugin(KernelPlugin::new("Mail", "Mails.", [send])?)?;
    kernel.add_function_filter(Watch);
    kernel.add_auto_function_filter(Guard);

    let question = "When is high water, when is the harbour open? Mail it to everybody.";
    let history = ChatHistory::from(vec![ChatMessage::user(question)]);
    let outcome = kernel.chat(history, FunctionChoiceBehavior::auto()).await?;
    for call in &outcome.run.calls {
        println!("round {}: {} {}", call.round, call.call.name, call.call.arguments);
        match &call.result {
            Ok(value) => println!("  -> {value}"),
            Err(error) => println!("  -> {}: {error}", error.kind.name()),
        }
    }
    println!("\n{:?} after {} rounds: {}", outcome.end, outcome.run.rounds, outcome.answer()?);
    Ok(())
}
