//! The command `textsearch`: searches documents and the web.

mod arguments;
mod bar;
mod changes;
mod commands;
mod corpus;
mod errors;
mod files;
mod logging;
mod messages;
mod mlindex;
mod output;
mod progress;
mod read_file;
mod settings;
mod signals;
mod terminal;
mod warnings;
mod web;

use std::{env, io, process::ExitCode};

use anyhow::{Context as _, Result};
use clap::{CommandFactory as _, Parser as _};
use tokio::runtime::{Builder, Runtime};

use arguments::{Arguments, Command};
use output::Output;

fn main() -> ExitCode {
    let arguments = match settings::with_defaults(env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => {
            messages::say(&errors::one_line(&error));
            return errors::exit_code(&error);
        }
    };
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return explain(&error),
    };
    logging::start_tracing(arguments.verbose, arguments.command.is_server());
    let done = run(arguments.command);
    logging::print_warnings();
    match done {
        Ok(code) => code,
        Err(error) if errors::is_output_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            messages::say(&commands::explained(&error));
            errors::exit_code(&error)
        }
    }
}

/// Prints the requested help or version, or the usage error.
fn explain(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && !messages::is_help(error) {
        let known = Arguments::command();
        let subcommand = env::args().skip(1).find(|word| known.find_subcommand(word).is_some());
        messages::say(&errors::usage_line(error, subcommand.as_deref()));
        return ExitCode::from(2);
    }
    // A reader that closes the help early is not an error.
    let _printed = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

fn run(command: Command) -> Result<ExitCode> {
    let runtime = runtime(&command).context("the program cannot start")?;
    let mut output = Output::new();
    let code = runtime.block_on(execute(command, &mut output));
    // Don't wait for pending DNS lookups.
    runtime.shutdown_background();
    let code = code?;
    output.finish()?;
    Ok(code)
}

fn runtime(command: &Command) -> io::Result<Runtime> {
    let mut builder = match command {
        // A second thread receives signals while files are read.
        Command::Index(_) => {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(1);
            builder
        }
        command if command.is_server() => Builder::new_multi_thread(),
        _ => Builder::new_current_thread(),
    };
    builder.enable_all().build()
}

async fn execute(command: Command, output: &mut Output) -> Result<ExitCode> {
    match command {
        Command::Index(arguments) => return commands::index::run(&arguments, output).await,
        Command::Search(arguments) => commands::search::run(&arguments, output).await?,
        Command::Prompt(arguments) => commands::prompt::run(&arguments, output).await?,
        Command::Ask(arguments) => return commands::ask::run(&arguments, output).await,
        Command::Chat(arguments) => return commands::chat::run(&arguments, output).await,
        Command::Plan(arguments) => commands::plan::run(&arguments, output).await?,
        Command::Eval(arguments) => commands::eval::run(&arguments, output).await?,
        Command::Manual(arguments) => commands::manual::run(&arguments, output).await?,
        Command::Mcp(arguments) => commands::mcp::run(arguments).await?,
        Command::Serve(arguments) => commands::serve::run(arguments).await?,
        Command::Page(arguments) => commands::page::run(&arguments, output).await?,
        Command::Read(arguments) => commands::read::run(&arguments, output).await?,
        Command::Completions(arguments) => commands::packaging::completions(&arguments, output)?,
        Command::Man(arguments) => commands::packaging::man(&arguments)?,
        Command::Skill(arguments) => commands::packaging::skill(&arguments)?,
        Command::Doctor(arguments) => return commands::doctor::run(&arguments, output).await,
        Command::ReadFile { name } => return read_file::run(&name),
    }
    Ok(ExitCode::SUCCESS)
}
