//! Runs `textsearch ask`.

use std::process::ExitCode;

use anyhow::Result;
use textsearch_kernel::chat::ChatOutcome;

use super::{
    calls::Call,
    conversation::{Conversation, failure},
    model,
    report::Report,
    rewrite, stream,
};
use crate::{
    arguments::{AskArguments, Kind, OutputFormat},
    corpus::selector,
    errors::usage,
    output::Output,
};

pub(crate) async fn run(arguments: &AskArguments, output: &mut Output) -> Result<ExitCode> {
    check(arguments)?;
    let model = model::from_environment()?;
    let selected = if arguments.tools {
        selector::open_for_model(&arguments.selector, &arguments.allow_filter).await?
    } else {
        rewrite::open(&arguments.selector, arguments.rewrite, &model).await?
    };
    let mut conversation = Conversation::prepare(arguments, model, selected).await?;
    let mut calls = std::mem::take(&mut conversation.calls);
    let sources = std::mem::take(&mut conversation.sources);
    let mut outcome = converse(conversation, arguments, output).await?;
    calls.extend(outcome.run.calls.iter().map(Call::from));
    if !arguments.tools {
        outcome.run.sources = sources;
    }
    Report::new(outcome, calls, arguments).print(arguments, output)
}

fn check(arguments: &AskArguments) -> Result<()> {
    let AskArguments { results, output, stream, check_citations, .. } = arguments;
    if *stream && *output == OutputFormat::Json {
        return Err(usage(
            "--stream prints the text as it comes, and --output json one object at the end: try one of them",
        ));
    }
    if *check_citations && results.kind == Kind::Text {
        return Err(usage(
            "--kind text has no names and links to cite: try --kind results with --check-citations",
        ));
    }
    Ok(())
}

async fn converse(
    conversation: Conversation,
    arguments: &AskArguments,
    output: &mut Output,
) -> Result<ChatOutcome> {
    let shows_calls = arguments.show_calls;
    if arguments.stream {
        let events = conversation.ask_streaming().await.map_err(failure)?;
        return stream::print(events, shows_calls, output).await;
    }
    let result = conversation.ask().await;
    let run = match &result {
        Ok(outcome) => Some(&outcome.run),
        Err(error) => error.chat_run(),
    };
    if let Some(run) = run.filter(|_| shows_calls) {
        run.calls.iter().for_each(|record| Call::from(record).show());
    }
    result.map_err(failure)
}
