//! The command line: commands, their arguments, and the help that teaches them.

mod ask;
mod embeddings;
mod eval;
mod index;
mod language;
mod page;
mod ranking;
mod search;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::{
    ask::AskArguments,
    embeddings::EmbeddingArguments,
    eval::EvalArguments,
    index::{IndexArguments, ReadingArguments},
    page::{FullPagesArguments, PageArguments},
    ranking::{FusionArgument, Mode, RankingArguments},
    search::{Kind, OutputFormat, SearchArguments, SearchSelector},
};
use crate::web;

/// The store that is used where none is named.
pub(crate) const DEFAULT_STORE: &str = ".textsearch/index";

const EXAMPLES: &str = "\
Examples:
  Print a prompt that is grounded in the files of a folder, with citations:
    textsearch prompt --from docs \"How do I write a connector?\"

  Index once, then search as often as you like:
    textsearch index docs notes.txt papers.jsonl
    textsearch search \"dense retrieval\" --filter 'year >= 2020 and tag contains \"survey\"'

  Ask the web: a SearXNG instance of your own, or a service with a key:
    textsearch search \"rust async\" --source searxng --endpoint http://127.0.0.1:8080

  Have a model answer, with citations that are checked:
    textsearch ask --from docs \"How do I write a connector?\" --check-citations

  Measure how well the search finds what it should, with questions and judgements of your own:
    textsearch eval --from docs --queries queries.jsonl --qrels qrels.tsv

  Show a model how to call the search:
    textsearch manual --format openai

Exit codes: 0 done, 1 failed, 2 wrong use; 3 and 4 are explained in `textsearch ask --help`. Results go to standard output, everything else to standard error.";

/// Search your documents and the web, and turn what is found into prompts and answers with citations.
#[derive(Debug, Parser)]
#[command(name = "textsearch", bin_name = "textsearch", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Say on standard error what happens inside; RUST_LOG chooses in detail.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,

    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Index(IndexArguments),
    Search(SearchArguments),
    Prompt(PromptArguments),
    #[command(hide = !crate::commands::ask::IS_BUILT_IN)]
    Ask(AskArguments),
    Eval(EvalArguments),
    Manual(ManualArguments),
    #[command(hide = !web::IS_BUILT_IN)]
    Page(PageArguments),
    Capabilities(CapabilitiesArguments),
}

const PROMPT_EXAMPLES: &str = "\
Examples:
  textsearch prompt --from docs \"How do I write a connector?\"
  textsearch prompt \"What changed?\" --template release.hbs --arg audience=users --arg year=2026
  textsearch prompt \"What changed?\" --template release.yaml --output json
  textsearch prompt \"What is new in Rust?\" --source brave --full-pages --max-characters 4000

In a template, `query` is the question, and these functions search:
  SearchPlugin-Search                a list of texts
  SearchPlugin-GetSearchResults      a list of objects with Name, Value and Link
  SearchPlugin-GetTextSearchResults  the same, under Semantic Kernel's later name
  SearchPlugin-GetRecords            a list of objects with the fields that were indexed

Handlebars:       {{#each (SearchPlugin-GetSearchResults query)}}{{Name}}: {{Value}} {{/each}}
Semantic Kernel:  {{SearchPlugin.Search $query}} {{$query}}

Without --template the built-in prompt is used: name, value and link of each result, the question, and the request
to cite. `--kind text` and `--kind records` choose a built-in prompt with texts alone, or with all fields.";

/// Search, and print the prompt that a template makes of what was found.
#[derive(Debug, Args)]
#[command(after_help = PROMPT_EXAMPLES)]
pub(crate) struct PromptArguments {
    /// The question: what to search for, and the variable `query` of the template.
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    /// A template of your own: Handlebars (.hbs, .handlebars), or a whole prompt configuration (.yaml, .yml, .json).
    #[arg(long, value_name = "FILE", help_heading = "Prompt")]
    pub(crate) template: Option<PathBuf>,

    /// The language of the template; told by the file's ending where it is not given.
    #[arg(long, value_name = "FORMAT", requires = "template", help_heading = "Prompt")]
    pub(crate) format: Option<TemplateFormat>,

    /// A variable of the template; may be given several times.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = read_variable, help_heading = "Prompt")]
    pub(crate) variables: Vec<(String, String)>,

    /// Fail if the template reads a variable that has no value; otherwise that is a warning.
    #[arg(long, help_heading = "Prompt")]
    pub(crate) strict: bool,
}

/// The languages of templates.
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

--kind chooses the function: `text` is Search, `results` is GetSearchResults, `records` is GetRecords. --top is the
number of results that a call without `count` gets. The fields that a model may filter on are part of the manual. A manual of a connector needs
neither its key nor its endpoint.";

/// Print how a model calls this search: its functions, their parameters and what they return, as JSON.
#[derive(Debug, Args)]
#[command(after_help = MANUAL_EXAMPLES)]
pub(crate) struct ManualArguments {
    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    /// The shape of the manual.
    #[arg(long, value_name = "FORMAT", default_value = "functions", help_heading = "Manual")]
    pub(crate) format: ManualFormat,
}

/// The shapes of a manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ManualFormat {
    /// Semantic Kernel's functions manual: parameters and responses with their schemas.
    Functions,
    /// The `tools` of an OpenAI-compatible chat request.
    Openai,
}

/// Print what each connector of this build can do, as found out by asking it.
#[derive(Debug, Args)]
pub(crate) struct CapabilitiesArguments {
    /// Print a Markdown table, as it stands in READMEs.
    #[arg(long, conflicts_with = "output")]
    pub(crate) markdown: bool,

    /// For people, or for programs.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: OutputFormat,
}

fn read_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected a name, `=` and a value, such as audience=users".to_owned()),
    }
}
