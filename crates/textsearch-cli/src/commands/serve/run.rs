//! Runs `textsearch serve`.

use anyhow::{Context as _, Result};
use textsearch_server::{Server, ServerError};
use tokio::net::TcpListener;

use super::{access, services::services};
use crate::{arguments::ServeArguments, errors::usage, messages, signals};

pub(crate) async fn run(mut arguments: ServeArguments) -> Result<()> {
    arguments.selector.reading.watch = arguments.watch;
    let arguments = &arguments;
    let config = access::config(arguments)?;
    let (services, _writer) = services(arguments, &config).await?;
    let can_answer = services.chat_completion.is_some();
    let server = Server::new(services, config).map_err(explain)?;
    let listener = TcpListener::bind(arguments.listen).await;
    let listener =
        listener.with_context(|| format!("--listen {} cannot be used", arguments.listen))?;
    let address = listener.local_addr().unwrap_or(arguments.listen);
    // A signal right after the message must not kill the program.
    let stopped = signals::stopped().context("the server cannot listen for signals")?;
    messages::say(&format!("serving at http://{address}/; stop with Ctrl-C"));
    if !can_answer {
        messages::say("/v1/answer is off: it needs a model in OPENAI_MODEL or ANTHROPIC_MODEL");
    }
    server.serve(listener, stopped).await;
    Ok(())
}

/// Settings come from arguments and the file of tokens.
fn explain(error: ServerError) -> anyhow::Error {
    match &error {
        ServerError::InvalidSetting { .. } => usage(error.to_string()),
        ServerError::UnsupportedFilter { source, .. } => {
            usage(format!("{error}: {}", source.message()))
        }
        _ => error.into(),
    }
}
