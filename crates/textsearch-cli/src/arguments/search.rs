//! The arguments shared by every command that searches.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use textsearch_core::Filter;

use super::{FullPagesArguments, RankingArguments, ReadingArguments};
use crate::web;

const SEARCH_EXAMPLES: &str = "\
Examples:
  textsearch search \"reciprocal rank fusion\"
  textsearch search fusion --from docs --top 3
  textsearch search fusion --filter 'path starts_with \"docs/\"' --output json
  textsearch search fusion --kind records | head -1
  textsearch search \"how are rankings joined?\" --store meaning.index --embeddings openai:text-embedding-3-small --mode hybrid
  textsearch search fusion --from docs --embeddings openai:text-embedding-3-small --mmr 0.5 --min-score 0.3
  textsearch search \"rust async\" --source searxng --endpoint http://127.0.0.1:8080 --top 25
  textsearch search \"rust async\" --source brave --filter 'site = \"docs.rs\"' --full-pages

With --output json the answer is one object:
  {\"results\": […], \"total_count\": {\"exact\": 12}, \"metadata\": {}}
where `total_count` is null if the search cannot tell, and `results` holds texts, objects with Name, Value, Link,
Score and Id, or whole records, as --kind says.

Results with --full-pages have the text of the page as their value, for every --kind.

The keys of connectors are in BRAVE_API_KEY, TAVILY_API_KEY, BING_API_KEY and GOOGLE_API_KEY, with
GOOGLE_SEARCH_ENGINE_ID; the address of a SearXNG instance is in SEARXNG_ENDPOINT or --endpoint.

Filters: = != < <= > >= in contains starts_with exists, joined by and, or, not, for example
  name = \"Filters\" and (year >= 2020 or tag in [\"survey\", \"review\"]) and not draft = true";

/// Search, and print what was found.
#[derive(Debug, Args)]
#[command(after_help = SEARCH_EXAMPLES)]
pub(crate) struct SearchArguments {
    /// What to search for.
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,
}

/// What is searched, how much of it, and in which form it comes back: the same for every command that searches.
#[derive(Debug, Args)]
pub(crate) struct SearchSelector {
    /// Search these files and folders, read for this run alone; may be given several times. What `textsearch index`
    /// reads is read; a file of a folder that cannot be is skipped with a warning.
    #[arg(long, value_name = "PATH", group = "searched", help_heading = "What is searched")]
    pub(crate) from: Vec<PathBuf>,

    /// Search this store, made by `textsearch index`: a path, `file:PATH`, or with the feature `qdrant`
    /// qdrant://HOST:PORT/COLLECTION, whose key is in QDRANT_API_KEY [default: .textsearch/index].
    #[arg(long, value_name = "URI", group = "searched", help_heading = "What is searched")]
    pub(crate) store: Option<String>,

    /// Search the web with this connector: searxng, brave, tavily, bing, bing-news or google. Its key and its settings
    /// are in the environment, such as BRAVE_API_KEY.
    #[arg(long, value_name = "NAME", group = "searched", hide = !web::IS_BUILT_IN)]
    #[arg(conflicts_with = "embeddings", help_heading = "What is searched")]
    pub(crate) source: Option<String>,

    /// Where the connector's service is, if not at its usual address.
    #[arg(long, value_name = "URL", requires = "source", hide = !web::IS_BUILT_IN)]
    #[arg(help_heading = "What is searched")]
    pub(crate) endpoint: Option<String>,

    #[command(flatten)]
    pub(crate) ranking: RankingArguments,

    #[command(flatten)]
    pub(crate) pages: FullPagesArguments,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    /// The largest number of results.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, allow_negative_numbers = true)]
    #[arg(help_heading = "Which results")]
    pub(crate) top: usize,

    /// The number of best results to leave out.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true)]
    #[arg(help_heading = "Which results")]
    pub(crate) skip: usize,

    /// Only what this condition lets through, such as 'year >= 2020 and tag contains "x"'.
    #[arg(long, value_name = "CONDITION", help_heading = "Which results")]
    pub(crate) filter: Option<Filter>,

    /// A condition that nothing in the query, the template or a model's call can widen.
    #[arg(long, value_name = "CONDITION", help_heading = "Which results")]
    pub(crate) fixed_filter: Option<Filter>,

    /// What a result is.
    #[arg(long, value_name = "KIND", default_value = "results", help_heading = "Form")]
    pub(crate) kind: Kind,

    /// For people, or for programs.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Form")]
    pub(crate) output: OutputFormat,
}

/// What a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The text alone.
    Text,
    /// Name, value and link.
    Results,
    /// Every field that is stored.
    Records,
}

/// Who reads the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// People.
    Text,
    /// Programs.
    Json,
}
