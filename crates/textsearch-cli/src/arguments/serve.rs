//! The arguments of `textsearch serve`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

use super::SearchSelector;

const SERVE_EXAMPLES: &str = "\
Examples:
  textsearch serve --from docs --watch
  textsearch serve --store notes.index --tokens tokens.toml
  textsearch serve --store notes.index --tokens tokens.toml --writable
  TEXTSEARCH_TOKEN=… textsearch serve --from docs --listen 0.0.0.0:8723 --public-host search.example

  curl http://127.0.0.1:8723/v1/search -H 'Content-Type: application/json' -d '{\"query\": \"fusion\"}'

The server searches at /v1/search, renders templates at /v1/prompt, asks a model at /v1/answer, and speaks
MCP at /mcp. /openapi.json describes it all. /v1/answer needs the model of `textsearch ask`: OPENAI_MODEL
and OPENAI_API_KEY or OPENAI_BASE_URL.

A file of tokens gives each holder rights and a filter. `upsert` needs --writable:
  [[tokens]]
  name = \"acme\"
  token = \"…\"
  rights = [\"search\", \"prompt\", \"answer\", \"upsert\", \"metrics\"]   # default: the first three
  filter = 'tenant = \"acme\"'                                      # default: none

Each request then sends its token as `Authorization: Bearer`. TEXTSEARCH_TOKEN is a single token with all
rights. Without tokens, everyone who reaches the server may search: by default, programs on this machine,
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
    /// Each write to a file is saved before it is acknowledged, so it takes time with the size of
    /// the store.
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
    pub(crate) selector: SearchSelector,
}
