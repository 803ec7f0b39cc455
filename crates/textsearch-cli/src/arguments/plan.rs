//! The arguments of `textsearch plan`.

use std::path::PathBuf;

use clap::Args;

use super::{ResultArguments, SearchSelector, read_variable};

const PLAN_EXAMPLES: &str = "\
Examples:
  textsearch plan \"Which of our harbours has the next high water?\" --from docs --plugin Tides=openapi:https://tides.example/openapi.json
  textsearch plan \"What time is it in Leith?\" --plugin 'Time=mcp:uvx mcp-server-time' --dry-run > time.json
  textsearch plan --plan time.json --plugin 'Time=mcp:uvx mcp-server-time' --yes
  textsearch plan --plan harbours.yaml --input harbour=Leith --from docs --state run.json
  textsearch plan --state run.json --from docs

Functions that a plan may call:
  SearchPlugin.GetSearchResults   the search that --from, --store, --mlindex or --source selects; --kind selects
                                  SearchPlugin.Search or SearchPlugin.GetRecords instead
  NAME.operationId                each operation of an OpenAPI document
  NAME.tool                       each tool of an MCP server

With --plugin alone, the plan can't search. With neither a plugin nor a search, it searches the default store.

The model of `textsearch ask` writes the plan: see its environment variables. The plan is
checked against the functions' schemas, and shown with the servers and programs that it calls. It runs after you
agree. Set the token or key of an OpenAPI service, or of an MCP server over HTTP, in TEXTSEARCH_NAME_TOKEN, such as
TEXTSEARCH_TIDES_TOKEN for the plugin Tides. A document from a URL sends it only to its own host: --server allows another.

--dry-run prints the plan as JSON, for --plan. A run makes at most 200 calls in 5 minutes.

The --state file holds all results: protect it like them, and use only files that you trust. A resumed run skips
finished steps and repeats interrupted calls. FILE.lock keeps other runs away from the file.

Exit codes: 0 done; 1 failed, or you didn't agree; 2 wrong usage; 130 stopped by Ctrl-C.
The result goes to standard output, as JSON; the plan, its steps and messages go to standard error.";

/// Let a model plan calls to searches, HTTP services and MCP tools; check, show and run the plan.
#[derive(Debug, Args)]
#[command(after_long_help = PLAN_EXAMPLES)]
pub(crate) struct PlanArguments {
    /// Goal of the plan that a model writes.
    #[arg(value_name = "GOAL", conflicts_with = "plan")]
    pub(crate) goal: Option<String>,

    /// Service or program whose functions the plan may call; repeatable.
    ///
    /// openapi: takes the URL or the file of an OpenAPI document. mcp: takes the URL of an MCP server,
    /// or a command, which runs without a shell and gets no keys from the environment. NAME is
    /// `OpenApi` or `Mcp` by default.
    #[arg(
        long = "plugin",
        value_name = "[NAME=]openapi:PLACE|mcp:PLACE",
        help_heading = "Functions"
    )]
    pub(crate) plugins: Vec<String>,

    /// Server of the OpenAPI plugin NAME, which replaces the servers in its document; repeatable.
    #[arg(long = "server", value_name = "NAME=URL", help_heading = "Functions")]
    pub(crate) servers: Vec<String>,

    /// Field that the plan may filter searches on, such as path; repeatable [default: none].
    #[arg(long, value_name = "FIELD", help_heading = "Functions")]
    pub(crate) allow_filter: Vec<String>,

    /// Run the plan in this file instead of asking a model: .yaml, .yml, or JSON.
    #[arg(long, value_name = "FILE", help_heading = "Plan")]
    pub(crate) plan: Option<PathBuf>,

    /// Value of an input of the plan, as JSON or text; repeatable.
    #[arg(long = "input", value_name = "NAME=VALUE", value_parser = read_variable)]
    #[arg(help_heading = "Plan")]
    pub(crate) inputs: Vec<(String, String)>,

    /// Save the run to this file after each call. Without GOAL or --plan, resume the saved run.
    #[arg(long, value_name = "FILE", help_heading = "Plan")]
    pub(crate) state: Option<PathBuf>,

    /// Print the plan as JSON, and don't run it.
    #[arg(long, conflicts_with = "yes", help_heading = "Plan")]
    pub(crate) dry_run: bool,

    /// Run the plan without asking.
    #[arg(long, help_heading = "Plan")]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    #[command(flatten)]
    pub(crate) results: ResultArguments,
}
