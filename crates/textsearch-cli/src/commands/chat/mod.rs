//! `textsearch chat`: questions and answers, one after another.

mod command;
mod conversation;
mod lines;
mod rewritten;

pub(crate) use self::rewritten::RewrittenSearch;

use std::process::ExitCode;

use anyhow::Result;
use tokio::signal;

use self::{command::Command, conversation::Conversation, lines::Lines};
use crate::{
    arguments::{CHAT_COMMANDS, ChatArguments},
    commands::ask,
    messages,
    output::Output,
};

pub(crate) async fn run(arguments: &ChatArguments, output: &mut Output) -> Result<ExitCode> {
    let model = ask::from_environment()?;
    let opened = ask::rewrite::open_with_vector(&arguments.selector, arguments.rewrite).await?;
    let mut conversation = Conversation::new(arguments, model, opened)?;
    let mut lines = Lines::open();
    if lines.is_terminal() {
        messages::say("ask a question; /help lists the commands, Ctrl-D ends");
    }
    while let Some(line) = lines.next().await? {
        let command = Command::parse(&line);
        if matches!(command, Ok(Command::Quit)) {
            break;
        }
        let done = match command {
            Ok(command) => execute(command, &mut conversation, output).await,
            Err(error) => Err(error),
        };
        output.flush()?;
        match done {
            Err(error) if lines.is_terminal() => messages::say(&super::explained(&error)),
            done => done?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn execute(
    command: Command,
    conversation: &mut Conversation,
    output: &mut Output,
) -> Result<()> {
    match command {
        Command::Question(question) => answer(&question, conversation, output).await,
        Command::Sources => conversation.print_sources(output, true),
        Command::ShowFilter => output.line(&conversation.shown_filter()),
        Command::SetFilter(filter) => conversation.set_filter(filter),
        Command::Clear => {
            conversation.clear();
            Ok(())
        }
        Command::Help => output.line(CHAT_COMMANDS),
        Command::Nothing | Command::Quit => Ok(()),
    }
}

/// Ctrl-C drops the answer, which ends the request.
async fn answer(
    question: &str,
    conversation: &mut Conversation,
    output: &mut Output,
) -> Result<()> {
    tokio::select! {
        answered = conversation.answer(question, output) => return answered,
        _ = signal::ctrl_c() => {}
    }
    output.line("")?;
    output.flush()?;
    messages::say("stopped: this question is not part of the conversation");
    Ok(())
}
