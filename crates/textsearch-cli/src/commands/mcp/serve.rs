//! Runs `textsearch mcp`.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use textsearch_core::secret::{Secret, variable};
use textsearch_kernel::Kernel;
use textsearch_mcp::{McpHttpConfig, McpServer, McpServerConfig};
use tokio::net::TcpListener;

use crate::{
    arguments::McpArguments,
    commands::prompt::template,
    corpus::{plugin::SearchFunctions, selector, template::built_in},
    errors::usage,
    messages, signals,
};

const NAME: &str = "textsearch";
const TOKEN: &str = "TEXTSEARCH_TOKEN";
const GROUNDED: &str = "grounded";

pub(crate) async fn run(arguments: &McpArguments) -> Result<()> {
    let token = variable(NAME, TOKEN)?.map(Secret::from);
    if let Some(address) = arguments.http {
        check_address(address, arguments, token.as_ref())?;
    }
    let server = McpServer::new(kernel(arguments).await?, config(arguments)?)?;
    match arguments.http {
        Some(address) => serve_http(&server, address, arguments, token).await,
        None => Ok(server.serve_stdio().await?),
    }
}

/// A server that strangers can reach must not be open by mistake.
fn check_address(
    address: SocketAddr,
    arguments: &McpArguments,
    token: Option<&Secret>,
) -> Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    if token.is_none() {
        return Err(usage(format!(
            "other machines can reach {address}: try a token in {TOKEN}, or --http 127.0.0.1:{}",
            address.port()
        )));
    }
    if arguments.public_host.is_empty() {
        return Err(usage(format!(
            "clients need a name for {address}: try --public-host with the name or address in their URL"
        )));
    }
    Ok(())
}

async fn kernel(arguments: &McpArguments) -> Result<Kernel> {
    let McpArguments { selector, results, allow_filter, .. } = arguments;
    let search = selector::open(selector).await?;
    let functions = SearchFunctions::for_model(search, selector, results, allow_filter)?;
    let mut kernel = Kernel::new();
    textsearch_prompt::add_template_factories(&mut kernel);
    // Prompts may call all functions. Clients see only the function that --kind selects.
    kernel.add_plugin(functions.plugin()?)?;
    Ok(kernel)
}

fn config(arguments: &McpArguments) -> Result<McpServerConfig> {
    let kind = arguments.results.kind;
    let mut grounded = built_in(kind).with_name(GROUNDED);
    "A question with search results to answer it from, and a request to cite them."
        .clone_into(&mut grounded.description);
    let mut config = McpServerConfig::new(NAME)
        .with_functions([SearchFunctions::name_for(kind)])
        .with_prompt(grounded);
    for path in &arguments.prompts {
        config = config.with_prompt(template::from_file(path, None, "--prompt")?);
    }
    if let Some(instructions) = &arguments.instructions {
        config = config.with_instructions(instructions.as_str());
    }
    Ok(config)
}

async fn serve_http(
    server: &McpServer,
    address: SocketAddr,
    arguments: &McpArguments,
    token: Option<Secret>,
) -> Result<()> {
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("--http {address} cannot be used"))?;
    let mut config = McpHttpConfig::new().with_allowed_origins(&arguments.allow_origin);
    if !arguments.public_host.is_empty() {
        config = config.with_allowed_hosts(&arguments.public_host);
    }
    if let Some(token) = token {
        config = config.with_bearer_token(token);
    }
    let stopped = signals::stopped().context("the server cannot listen for signals")?;
    let address = listener.local_addr().unwrap_or(address);
    messages::say(&format!("serving MCP at http://{address}/mcp; stop with Ctrl-C"));
    Ok(server.serve_http(listener, config, stopped).await?)
}
