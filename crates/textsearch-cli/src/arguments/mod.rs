//! The command line. Doc comments of arguments are their help texts.

mod ask;
mod chat;
mod chunks;
mod doctor;
mod embeddings;
mod eval;
mod index;
mod language;
mod mcp;
mod output;
mod packaging;
mod page;
mod plan;
mod ranking;
mod read;
mod search;
mod serve;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::{
    ask::AskArguments,
    chat::{CHAT_COMMANDS, ChatArguments},
    doctor::DoctorArguments,
    embeddings::{EmbeddingArguments, EmbeddingModel, LocalModel},
    eval::{EvalArguments, History},
    index::{IndexArguments, ReadingArguments, is_of_web},
    mcp::McpArguments,
    output::OutputFormat,
    packaging::{CompletionsArguments, ManArguments, SkillArguments, SkillCommand},
    page::{FullPagesArguments, PageArguments},
    plan::PlanArguments,
    ranking::{FusionArgument, Mode, RankingArguments, RecencyArguments},
    read::ReadArguments,
    search::{Kind, ResultArguments, SearchArguments, SearchSelector},
    serve::ServeArguments,
};

/// The default store.
pub(crate) const DEFAULT_STORE: &str = ".textsearch/index";

const EXAMPLES: &str = "\
Examples:
  Print a prompt grounded in the files of a folder, with citations:
    textsearch prompt --from docs \"How do I write a connector?\"

  Index once, then search:
    textsearch index docs notes.txt papers.jsonl
    textsearch search \"dense retrieval\" --filter 'year >= 2020 and tag contains \"survey\"'

  Search the web, through your own SearXNG or a service with a key:
    textsearch search \"rust async\" --source searxng --endpoint http://127.0.0.1:8080

  Read a whole document, or list all:
    textsearch read docs/guide.md
    textsearch read --list

  Ask a model, and check its citations:
    textsearch ask --from docs \"How do I write a connector?\" --check-citations

  Ask one question after another:
    textsearch chat --from docs

  Plan calls to a search and an HTTP service, see the plan, and run it:
    textsearch plan \"Is it warm where our team meets?\" --from docs --plugin Weather=openapi:weather.yaml

  Measure retrieval quality with your own queries and judgements:
    textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv

  Give the search to an MCP client, such as an editor or an assistant:
    textsearch mcp --from docs

  Serve the search over HTTP:
    textsearch serve --from docs

  Print the search as tools for a model:
    textsearch manual --format openai

Exit codes: 0 done, 1 failed, 2 wrong usage; for 3 and 4, see `textsearch ask --help`; for 5, `textsearch index --help`.
Results go to standard output, everything else to standard error.
Defaults of arguments can be set in textsearch.toml, in a project or in ~/.config/textsearch.";

/// Search documents and the web; print results, grounded prompts and cited answers.
#[derive(Debug, Parser)]
#[command(name = "textsearch", bin_name = "textsearch", version, after_help = EXAMPLES)]
#[command(mut_subcommands(with_short_help))]
pub(crate) struct Arguments {
    /// Log to standard error, filtered by RUST_LOG.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Index(IndexArguments),
    Search(SearchArguments),
    Prompt(PromptArguments),
    Ask(AskArguments),
    Chat(ChatArguments),
    Plan(PlanArguments),
    Eval(EvalArguments),
    Manual(ManualArguments),
    Mcp(McpArguments),
    Serve(ServeArguments),
    Page(PageArguments),
    Read(ReadArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
    Skill(SkillArguments),
    Doctor(DoctorArguments),
    /// Reads a file on standard input in this process, and prints its document as JSON: for the other
    /// commands.
    #[command(hide = true)]
    ReadFile {
        #[arg(value_name = "NAME", default_value = "")]
        name: String,
    },
}

impl Command {
    /// Returns whether the command runs until it is stopped.
    pub(crate) fn is_server(&self) -> bool {
        matches!(self, Self::Mcp(_) | Self::Serve(_))
    }
}

const PROMPT_EXAMPLES: &str = "\
Examples:
  textsearch prompt --from docs \"How do I write a connector?\"
  textsearch prompt \"What changed?\" --template release.hbs --arg audience=users --arg year=2026
  textsearch prompt \"What changed?\" --template release.yaml --output json
  textsearch prompt \"What is new in Rust?\" --source brave --full-pages --max-characters 4000

In a template, `query` is the question. These functions search:
  SearchPlugin-Search                list of texts
  SearchPlugin-GetSearchResults      list of objects with Name, Value and Link
  SearchPlugin-GetTextSearchResults  the same, under Semantic Kernel's later name
  SearchPlugin-GetRecords            list of objects with all stored fields

Handlebars:       {{#each (SearchPlugin-GetSearchResults query)}}{{Name}}: {{Value}} {{/each}}
Semantic Kernel:  {{SearchPlugin.Search $query}} {{$query}}

The built-in prompt has the name, value and link of each result, the question, and a request to cite.
`--kind text` selects a built-in prompt with texts only, `--kind records` one with all fields.";

/// Search, and print a prompt with the results.
#[derive(Debug, Args)]
#[command(after_long_help = PROMPT_EXAMPLES)]
pub(crate) struct PromptArguments {
    /// Question: the search query, and the variable `query` of the template.
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,

    /// Template file [default: a built-in prompt, selected by --kind].
    ///
    /// .hbs and .handlebars files are Handlebars templates; .yaml, .yml and .json files are whole
    /// prompt configurations. Other files need --format.
    #[arg(long, value_name = "FILE", help_heading = "Prompt")]
    pub(crate) template: Option<PathBuf>,

    /// Template language [default: from the extension or the prompt configuration].
    #[arg(long, value_name = "FORMAT", requires = "template", help_heading = "Prompt")]
    pub(crate) format: Option<TemplateFormat>,

    /// Set a template variable; repeatable.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = read_variable, help_heading = "Prompt")]
    pub(crate) variables: Vec<(String, String)>,

    /// Fail, instead of warning, if the template reads a variable without a value.
    #[arg(long, help_heading = "Prompt")]
    pub(crate) strict: bool,

    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Prompt")]
    pub(crate) output: OutputFormat,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    #[command(flatten)]
    pub(crate) results: ResultArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateFormat {
    /// Handlebars: {{#each (SearchPlugin-GetSearchResults query)}}…{{/each}}
    Handlebars,
    /// Semantic Kernel's own language: {{SearchPlugin.Search $query}}
    SemanticKernel,
}

const MANUAL_EXAMPLES: &str = "\
Examples:
  textsearch manual
  textsearch manual --kind records --format openai
  textsearch manual --from papers.jsonl --top 10
  textsearch manual --source brave

--kind selects the function: `text` is Search, `results` is GetSearchResults, `records` is GetRecords.
--top is the number of results for a call without `count`. The manual includes the fields that a model
may filter on. The manual of a connector needs neither key nor endpoint.";

/// Print how a model calls the search: function, parameters and results, as JSON.
#[derive(Debug, Args)]
#[command(after_long_help = MANUAL_EXAMPLES)]
pub(crate) struct ManualArguments {
    /// Format of the manual.
    #[arg(long, value_name = "FORMAT", default_value = "functions", help_heading = "Manual")]
    pub(crate) format: ManualFormat,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    #[command(flatten)]
    pub(crate) results: ResultArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ManualFormat {
    /// Semantic Kernel's functions manual: parameters and responses with their schemas.
    Functions,
    /// The `tools` of an OpenAI-compatible chat request.
    Openai,
}

/// Ends `-h` with the examples, which are the first paragraph below the arguments in `--help`.
fn with_short_help(command: clap::Command) -> clap::Command {
    let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let examples = help.split("\n\n").next().unwrap_or_default().to_owned();
    command.after_help(examples)
}

fn read_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected a name, `=` and a value, such as audience=users".to_owned()),
    }
}
