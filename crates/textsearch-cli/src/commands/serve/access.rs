//! Reads tokens, and refuses a server open to strangers.

use std::{net::SocketAddr, path::Path};

use anyhow::{Context as _, Result};
use textsearch_core::secret::{Secret, variable};
use textsearch_documents::{DocumentSchema, ingest::PATH};
use textsearch_server::{AccessToken, OAuthConfig, Right, ServerConfig, retrieval_metadata};

use crate::{arguments::ServeArguments, errors::usage, read_file};

pub(crate) const NAME: &str = "textsearch";
pub(crate) const TOKEN: &str = "TEXTSEARCH_TOKEN";
const CLIENT_ID: &str = "TEXTSEARCH_OAUTH_CLIENT_ID";
const CLIENT_SECRET: &str = "TEXTSEARCH_OAUTH_CLIENT_SECRET";

pub(super) fn config(arguments: &ServeArguments) -> Result<ServerConfig> {
    let tokens = tokens(arguments)?;
    let oauth = oauth(arguments)?;
    let mut hosts = arguments.public_host.clone();
    hosts.extend(arguments.oauth.public_host());
    let needs_token = !tokens.is_empty() || oauth.is_some();
    let remedy = format!("--tokens FILE, a token in {TOKEN}, --oauth-issuer, or --listen");
    check_address(arguments.listen, needs_token, &hosts, &remedy)?;
    if arguments.writable && !needs_token {
        return Err(usage(format!(
            "only a token may write: try --tokens FILE or {TOKEN} with --writable"
        )));
    }
    let selector = &arguments.selector;
    let mut config =
        ServerConfig::new().with_tokens(tokens).with_allowed_origins(&arguments.allow_origin);
    config.read_limits = read_file::limits()?;
    config.max_top = config.max_top.max(selector.top);
    for filter in [&selector.filter, &selector.fixed_filter].into_iter().flatten() {
        config = config.with_fixed_filter(filter.clone());
    }
    if selector.source.is_none() {
        config.shown_fields = Some(shown_fields(&arguments.allow_filter).collect());
    }
    if !hosts.is_empty() {
        config = config.with_allowed_hosts(&hosts);
    }
    config.oauth = oauth;
    Ok(config)
}

/// The fields of every document. A store learned all others from records, of any tenant.
fn shown_fields(allowed: &[String]) -> impl Iterator<Item = String> {
    let definition = DocumentSchema::default().definition();
    let built_in = definition.map(|definition| definition.filterable_fields()).unwrap_or_default();
    let built_in = built_in.into_iter().map(|field| field.name);
    let metadata = retrieval_metadata(&ServerConfig::new()).into_iter().map(|field| field.name);
    built_in.chain(metadata).chain([PATH.to_owned()]).chain(allowed.iter().cloned())
}

fn tokens(arguments: &ServeArguments) -> Result<Vec<AccessToken>> {
    let single = variable(NAME, TOKEN)?;
    match (&arguments.tokens, single) {
        (Some(_), Some(_)) => {
            Err(usage(format!("--tokens and {TOKEN} are both given: try one of them")))
        }
        (Some(path), None) => read(path),
        (None, Some(token)) => {
            let rights = Right::ALL.iter().copied();
            Ok(vec![AccessToken::new(TOKEN, token).with_rights(rights)])
        }
        (None, None) => Ok(Vec::new()),
    }
}

/// Returns the identity provider. With a client's secret, the server asks it about each token.
fn oauth(arguments: &ServeArguments) -> Result<Option<OAuthConfig>> {
    let Some(mut oauth) = arguments.oauth.config()? else { return Ok(None) };
    oauth.client_id = variable(NAME, CLIENT_ID)?;
    oauth.client_secret = variable(NAME, CLIENT_SECRET)?.map(Secret::from);
    if oauth.client_id.is_some() != oauth.client_secret.is_some() {
        return Err(usage(format!("one of {CLIENT_ID} and {CLIENT_SECRET} is missing: set both")));
    }
    Ok(Some(oauth))
}

fn read(path: &Path) -> Result<Vec<AccessToken>> {
    let named = || format!("--tokens {}", path.display());
    let text = std::fs::read_to_string(path).with_context(named)?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let tokens =
        if is_json { AccessToken::from_json(&text) } else { AccessToken::from_toml(&text) };
    let tokens = tokens.map_err(|error| usage(format!("{}: {error}", named())))?;
    if tokens.is_empty() {
        return Err(usage(format!("{} holds no token: try one or more `[[tokens]]`", named())));
    }
    Ok(tokens)
}

/// Fails for a server that strangers can reach by mistake. `remedy` says how to set a token, and ends with
/// the argument for the address.
pub(crate) fn check_address(
    address: SocketAddr,
    has_tokens: bool,
    public_hosts: &[String],
    remedy: &str,
) -> Result<()> {
    if address.ip().is_loopback() {
        return Ok(());
    }
    if !has_tokens {
        return Err(usage(format!(
            "other machines can reach {address}: try {remedy} 127.0.0.1:{}",
            address.port()
        )));
    }
    if public_hosts.is_empty() {
        return Err(usage(format!(
            "clients need a name for {address}: try --public-host with the name or address in their URL"
        )));
    }
    Ok(())
}
