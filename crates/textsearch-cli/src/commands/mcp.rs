//! `textsearch mcp`: serves the search to MCP clients.

use std::{net::SocketAddr, sync::Arc};

use anyhow::{Context as _, Result};
use textsearch_compose::PerDocument;
use textsearch_core::{
    Filter,
    document::FilteredReader,
    secret::{Secret, variable},
};
use textsearch_kernel::Kernel;
use textsearch_mcp::{McpDocuments, McpHttpConfig, McpServer, McpServerConfig};
use tokio::net::TcpListener;

use crate::{
    arguments::{McpArguments, SearchSelector},
    commands::{
        prompt::template,
        serve::{NAME, TOKEN, check_address},
    },
    corpus::{
        plugin::SearchFunctions,
        selector::{self, Narrowed, Selected},
        template::built_in,
    },
    messages, signals,
};

const GROUNDED: &str = "grounded";

pub(crate) async fn run(mut arguments: McpArguments) -> Result<()> {
    arguments.selector.reading.watch = arguments.watch;
    let arguments = &arguments;
    let token = variable(NAME, TOKEN)?.map(Secret::from);
    if let Some(address) = arguments.http {
        let remedy = format!("a token in {TOKEN}, or --http");
        check_address(address, token.is_some(), &arguments.public_host, &remedy)?;
    }
    let selected = selector::open_for_model(&arguments.selector, &arguments.allow_filter).await?;
    let config = with_documents(config(arguments)?, &selected, arguments)?;
    let server = McpServer::new(kernel(arguments, selected)?, config)?;
    match arguments.http {
        Some(address) => serve_http(&server, address, arguments, token).await,
        None => Ok(server.serve_stdio().await?),
    }
}

/// Offers `search` and `fetch` over the documents of the search, under its filters.
fn with_documents(
    config: McpServerConfig,
    selected: &Selected,
    arguments: &McpArguments,
) -> Result<McpServerConfig> {
    let Some(reader) = selected.documents() else { return Ok(config) };
    let SearchSelector { filter, fixed_filter, .. } = &arguments.selector;
    let filter = filter.iter().chain(fixed_filter).cloned().reduce(Filter::and);
    let search = Narrowed::under(Arc::clone(&selected.search), filter.clone());
    let search = PerDocument::new(Arc::new(search));
    let documents = match filter {
        Some(filter) => {
            selector::check_filters(&arguments.selector, &selected.search)?;
            McpDocuments::new(search, FilteredReader::new(reader, filter)?)
        }
        None => McpDocuments::new(search, reader),
    };
    Ok(config.with_documents(documents))
}

fn kernel(arguments: &McpArguments, selected: Selected) -> Result<Kernel> {
    let McpArguments { selector, results, allow_filter, .. } = arguments;
    let functions = SearchFunctions::for_model(selected, selector, results, allow_filter)?;
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
