//! The arguments of `textsearch serve`.

use std::{net::SocketAddr, path::PathBuf};

use anyhow::Result;
use clap::Args;
use textsearch_core::{Filter, http::Url};
use textsearch_server::OAuthConfig;

use super::SearchSelector;
use crate::errors::usage;

const SERVE_EXAMPLES: &str = "\
Examples:
  textsearch serve --from docs --watch
  textsearch serve --store notes.index --tokens tokens.toml
  textsearch serve --store notes.index --tokens tokens.toml --writable
  textsearch serve --from notes.jsonl --oauth-issuer https://login.example --public-url https://search.example \
      --tenant-claim org --tenant-filter 'tenant = \"{org}\"'
  TEXTSEARCH_TOKEN=… textsearch serve --from docs --listen 0.0.0.0:8723 --public-host search.example

  curl http://127.0.0.1:8723/v1/search -H 'Content-Type: application/json' -d '{\"query\": \"fusion\"}'

The server searches at /v1/search, renders templates at /v1/prompt, asks a model at /v1/answer, and speaks
MCP at /mcp. /openapi.json describes it all. /v1/answer needs the model of `textsearch ask`: OPENAI_MODEL
and OPENAI_API_KEY or OPENAI_BASE_URL, or ANTHROPIC_MODEL and ANTHROPIC_API_KEY.

A file of tokens gives each holder rights and a filter. `upsert` needs --writable:
  [[tokens]]
  name = \"acme\"
  token = \"…\"
  rights = [\"search\", \"prompt\", \"answer\", \"upsert\", \"metrics\"]   # default: the first three
  filter = 'tenant = \"acme\"'                                      # default: none

Each request then sends its token as `Authorization: Bearer`. TEXTSEARCH_TOKEN is a single token with all
rights. With --oauth-issuer, callers log in at an identity provider, as Claude, ChatGPT and other MCP clients
expect; a scope such as `textsearch:search` gives the right. With TEXTSEARCH_OAUTH_CLIENT_ID and
TEXTSEARCH_OAUTH_CLIENT_SECRET, the server asks the provider about each token: for tokens that aren't JWTs. Without tokens, everyone who reaches the server may search: by default, programs on this machine,
and no web page. An address that other machines can reach needs tokens and --public-host.

--filter and --fixed-filter apply to every search, also of tokens.";

/// Serve the search over HTTP: results, prompts, answers and MCP.
#[derive(Debug, Args)]
#[command(after_long_help = SERVE_EXAMPLES)]
pub(crate) struct ServeArguments {
    /// Address to listen at.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8723", help_heading = "Server")]
    pub(crate) listen: SocketAddr,

    /// File of tokens, in TOML or JSON [default: none, or TEXTSEARCH_TOKEN].
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub(crate) tokens: Option<PathBuf>,

    /// Field that templates, models and MCP clients may filter on; repeatable [default: none].
    ///
    /// /v1/search may filter on every field. A token with a filter may filter only on these, on those of
    /// its filter and on built-in ones: it sees no field that other records brought.
    #[arg(long, value_name = "FIELD", help_heading = "Server")]
    pub(crate) allow_filter: Vec<String>,

    /// Let tokens with the right `upsert` write to the store.
    ///
    /// Each write is on disk before it is acknowledged.
    #[arg(long, conflicts_with_all = ["from", "mlindex", "source"], help_heading = "Server")]
    pub(crate) writable: bool,

    /// Host name in the URLs of clients; repeatable [default: names of this machine].
    #[arg(long, value_name = "HOST", help_heading = "Server")]
    pub(crate) public_host: Vec<String>,

    /// Web page of another origin that may call the server, such as `https://app.example`; repeatable.
    #[arg(long, value_name = "ORIGIN", help_heading = "Server")]
    pub(crate) allow_origin: Vec<String>,

    /// Read the files of --from again after each change.
    ///
    /// A change is searched after a second of quiet. A file that fails keeps its earlier text.
    #[arg(long, requires = "from", help_heading = "Server")]
    #[arg(conflicts_with_all = ["store", "mlindex", "source"])]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) oauth: OAuthArguments,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,
}

/// The identity provider of callers.
#[derive(Debug, Args)]
#[command(next_help_heading = "Identity provider")]
pub(crate) struct OAuthArguments {
    /// Issuer of an identity provider whose access tokens (JWTs) the server accepts.
    #[arg(long, value_name = "URL")]
    oauth_issuer: Option<String>,

    /// URL by which clients reach the server, without a path.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    /// Further audience of accepted tokens; repeatable [default: the public URL, also with /mcp].
    #[arg(long, value_name = "NAME")]
    oauth_audience: Vec<String>,

    /// URL of the provider's keys [default: the one in its metadata].
    #[arg(long, value_name = "URL")]
    oauth_jwks_url: Option<String>,

    /// Claim that names the caller's tenant, such as `org`. Tokens without it are refused.
    #[arg(long, value_name = "NAME")]
    tenant_claim: Option<String>,

    /// Filter of each tenant, with the claim's value in place of its name in braces.
    #[arg(long, value_name = "CONDITION")]
    tenant_filter: Option<Filter>,
}

impl OAuthArguments {
    /// Checked here, not by the parser: a settings file adds one argument after the other.
    pub(crate) fn config(&self) -> Result<Option<OAuthConfig>> {
        let Some(issuer) = &self.oauth_issuer else {
            let is_alone = self.oauth_jwks_url.is_some() || self.tenant_claim.is_some();
            if is_alone || self.tenant_filter.is_some() || !self.oauth_audience.is_empty() {
                return Err(usage(
                    "--oauth-audience, --oauth-jwks-url, --tenant-claim and --tenant-filter need an identity provider: \
                     try --oauth-issuer URL",
                ));
            }
            return Ok(None);
        };
        let Some(public_url) = &self.public_url else {
            let advice = "try --public-url with the URL by which clients reach the server";
            return Err(usage(format!("--oauth-issuer is for one server: {advice}")));
        };
        let mut config = OAuthConfig::new(issuer, public_url);
        config.audiences.clone_from(&self.oauth_audience);
        config.jwks_url.clone_from(&self.oauth_jwks_url);
        config.tenant_claim.clone_from(&self.tenant_claim);
        config.tenant_filter.clone_from(&self.tenant_filter);
        Ok(Some(config))
    }

    /// Returns the host in the public URL.
    pub(crate) fn public_host(&self) -> Option<String> {
        let url = Url::parse(self.public_url.as_deref()?).ok()?;
        url.host_str().map(str::to_owned)
    }
}
