//! The arguments of `textsearch mcp`.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

use super::{ResultArguments, SearchSelector};

const MCP_EXAMPLES: &str = "\
Examples:
  textsearch mcp --from docs --watch
  textsearch mcp --store notes.index --fixed-filter 'path starts_with \"public/\"' --allow-filter path
  textsearch mcp --source searxng --endpoint http://127.0.0.1:8080 --prompt research.yaml
  textsearch mcp --from docs --http 127.0.0.1:8722

In the configuration of an MCP client:
  { \"mcpServers\": { \"docs\": { \"command\": \"textsearch\", \"args\": [\"mcp\", \"--from\", \"/path/to/docs\"] } } }

The client gets one tool, selected by --kind: SearchPlugin-GetSearchResults, SearchPlugin-Search or
SearchPlugin-GetRecords. It also gets `search` and `fetch`, which ChatGPT's apps and deep research need:
`fetch` reads documents, and pages of the web that a search returned, but not with --mlindex. It also gets
the prompt `grounded`, which `textsearch prompt` prints, and each --prompt. Found documents are resources.

--from reads the files once, at the start, or with --watch again after each change. For large folders, index
first and use --store.

--filter and --fixed-filter apply to every search. The client can only narrow further, by the fields
that --allow-filter names.

Over HTTP the server is at /mcp. It accepts only this machine, and no web page. With TEXTSEARCH_TOKEN in
the environment, each request must send the token as `Authorization: Bearer`. An address that other
machines can reach needs a token and --public-host.";

/// Serve the search to MCP clients: assistants, editors, agents.
#[derive(Debug, Args)]
#[command(after_long_help = MCP_EXAMPLES)]
pub(crate) struct McpArguments {
    /// Field that clients may filter on, such as path; repeatable [default: none]. Clients see its
    /// values if it has at most 20.
    #[arg(long, value_name = "FIELD", help_heading = "Server")]
    pub(crate) allow_filter: Vec<String>,

    /// Prompt file to offer, as for `textsearch prompt --template`; repeatable.
    #[arg(long = "prompt", value_name = "FILE", help_heading = "Server")]
    pub(crate) prompts: Vec<PathBuf>,

    /// When and how to search, for the client's model.
    #[arg(long, value_name = "TEXT", help_heading = "Server")]
    pub(crate) instructions: Option<String>,

    /// Serve over HTTP at this address, such as 127.0.0.1:8722 [default: standard input and output].
    #[arg(long, value_name = "ADDRESS", help_heading = "Server")]
    pub(crate) http: Option<SocketAddr>,

    /// Host name in the URLs of clients; repeatable [default: names of this machine].
    #[arg(long, value_name = "HOST", requires = "http", help_heading = "Server")]
    pub(crate) public_host: Vec<String>,

    /// Web page that may call the server, such as `https://app.example`; repeatable.
    #[arg(long, value_name = "ORIGIN", requires = "http", help_heading = "Server")]
    pub(crate) allow_origin: Vec<String>,

    /// Read the files of --from again after each change.
    ///
    /// A change is searched after a second of quiet. A file that fails keeps its earlier text.
    #[arg(long, requires = "from", help_heading = "Server")]
    #[arg(conflicts_with_all = ["store", "mlindex", "source"])]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    #[command(flatten)]
    pub(crate) results: ResultArguments,
}
