//! The arguments shared by every command that searches.

use std::path::PathBuf;

use clap::{Arg, Args, ValueEnum};
use textsearch_core::Filter;
use textsearch_documents::Around;

use super::{
    FullPagesArguments, OutputFormat, RankingArguments, ReadingArguments, RecencyArguments,
    page::OTHER_THAN_WEB,
};

const SEARCH_EXAMPLES: &str = "\
Examples:
  textsearch search \"reciprocal rank fusion\"
  textsearch search fusion --from docs --top 3 --per-document
  textsearch search fusion --from docs --around section
  textsearch search '\"rank fusion\" -weighted' --from docs
  textsearch search fusion --filter 'path starts_with \"docs/\"' --output json
  textsearch search fusion --kind records | head -1
  textsearch search \"how are rankings joined?\" --store meaning.index --embeddings openai:text-embedding-3-small --mode hybrid
  textsearch search fusion --from docs --embeddings openai:text-embedding-3-small --mmr 0.5 --min-score 0.3
  textsearch search \"release notes\" --from docs --half-life 90d --explain
  textsearch search \"how are rankings joined?\" --mlindex docs/MLIndex
  textsearch search \"rust async\" --source searxng --endpoint http://127.0.0.1:8080 --top 25
  textsearch search \"rust async\" --source brave --filter 'site = \"docs.rs\"' --full-pages

In a query, \"two words\" is a phrase that must occur, and -word or -\"two words\" must not, among the 1,000
best results. After `--`, a query may start with `-`. Connectors read queries in their engine's own way.

With --output json the response is one object:
  {\"results\": […], \"total_count\": {\"exact\": 12}, \"metadata\": {}}
`total_count` is null if the search does not report it. --kind selects the form of `results`: texts,
objects with Name, Value, Link, Score and Id, or whole records.

With --full-pages, the value of a result is the text of its page, for every --kind.

Connectors read their keys from variables such as BRAVE_API_KEY. Google also needs GOOGLE_SEARCH_ENGINE_ID. SEARXNG_ENDPOINT or --endpoint is the URL of a SearXNG instance.

Filters: = != < <= > >= in contains starts_with exists, combined with and, or, not. For example:
  path starts_with \"docs/\" and not headings contains \"Options\"         files
  kind = \"pdf\" and tags contains \"x\" and date >= date \"2024-01-01\"     facts about files
  year >= 2020 and (kind in [\"survey\", \"review\"] or tag contains \"x\")  JSON Lines

Facts about files are author, tags, date, language, kind, size and modified.";

/// Search, and print the results.
#[derive(Debug, Args)]
#[command(after_long_help = SEARCH_EXAMPLES)]
pub(crate) struct SearchArguments {
    /// Search query, such as 'harbour "tide table" -moon'.
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    #[command(flatten)]
    pub(crate) results: ResultArguments,

    /// Show why each result has its rank.
    ///
    /// Lists rank and score in each ranking, matched terms, and what --rerank, --mmr, --min-score and
    /// --half-life changed. JSON has it as `Explanation`.
    #[arg(long, help_heading = "Results")]
    pub(crate) explain: bool,

    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Results")]
    pub(crate) output: OutputFormat,
}

#[derive(Debug, Args)]
#[command(mut_args(needing_from))]
pub(crate) struct SearchSelector {
    /// Search these files and folders, read for this run only; repeatable.
    ///
    /// Reads the same files as `textsearch index`. Unreadable files of folders are skipped with a
    /// warning.
    #[arg(long, value_name = "PATH", group = "searched", help_heading = "What to search")]
    pub(crate) from: Vec<PathBuf>,

    /// Search this store: a folder or one on a server [default: .textsearch/index].
    ///
    /// `textsearch index` creates it, and `textsearch index --help` lists the servers. A folder is a
    /// path or `file:PATH`.
    #[arg(long, value_name = "URI", group = "searched", help_heading = "What to search")]
    pub(crate) store: Option<String>,

    /// Search the index of this MLIndex file, or of the file `MLIndex` in this folder.
    ///
    /// Kinds of indexes: qdrant, pgvector, chroma, milvus, acs (Azure AI Search) and pinecone. They
    /// need a build with the feature `stores`. Kinds of embeddings: open_ai, azure_open_ai, hugging_face (a
    /// folder beside the file) and none. Keys come from the environment. They are sent only to the
    /// address in the kind's own variable, such as QDRANT_URL, to OpenAI and to Pinecone.
    #[arg(long, value_name = "FILE", group = "searched", help_heading = "What to search")]
    #[arg(conflicts_with = "embeddings")]
    pub(crate) mlindex: Option<PathBuf>,

    /// Search the web with a connector, such as searxng or brave.
    ///
    /// The others: brave-context, tavily, perplexity, exa, webiq, linkup, serper, bing, bing-news, google.
    ///
    /// A connector reads its key and settings from the environment, such as BRAVE_API_KEY.
    #[arg(long, value_name = "NAME", group = "searched")]
    #[arg(conflicts_with = "embeddings", help_heading = "What to search")]
    pub(crate) source: Option<String>,

    /// Override the URL of the connector's service.
    #[arg(long, value_name = "URL", requires = "source")]
    #[arg(conflicts_with_all = OTHER_THAN_WEB, help_heading = "What to search")]
    pub(crate) endpoint: Option<String>,

    /// Maximum number of results.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, allow_negative_numbers = true)]
    #[arg(help_heading = "Results")]
    pub(crate) top: usize,

    /// Keep only matching results, such as 'year >= 2020 and tag contains "x"'.
    #[arg(long, value_name = "CONDITION", help_heading = "Results")]
    pub(crate) filter: Option<Filter>,

    /// Filter that no query, template or model call can widen.
    #[arg(long, value_name = "CONDITION", help_heading = "Results")]
    pub(crate) fixed_filter: Option<Filter>,

    #[command(flatten)]
    pub(crate) ranking: RankingArguments,

    #[command(flatten)]
    pub(crate) recency: RecencyArguments,

    #[command(flatten)]
    pub(crate) pages: FullPagesArguments,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,
}

/// Arguments of the commands that print results, or offer them to a model.
#[derive(Debug, Args)]
pub(crate) struct ResultArguments {
    /// Number of best results to skip.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true)]
    #[arg(help_heading = "Results")]
    pub(crate) skip: usize,

    /// Keep only the best result of each document.
    ///
    /// --top and --skip then count documents.
    #[arg(long, help_heading = "Results")]
    pub(crate) per_document: bool,

    /// What to show of its document around each result: none, neighbours, section or document.
    ///
    /// `neighbours:2` shows two chunks before and after it. A result has at most about 4,000 characters,
    /// and results with overlapping texts become one.
    #[arg(long, value_name = "PART", default_value_t = Around::None, help_heading = "Results")]
    #[arg(conflicts_with_all = ["mlindex", "source"], hide_short_help = true)]
    pub(crate) around: Around,

    /// Content of each result.
    #[arg(long, value_name = "KIND", default_value = "results", help_heading = "Results")]
    pub(crate) kind: Kind,
}

/// Headings of arguments that most searches don't need. `-h` leaves them out.
const RARE: [&str; 6] = ["Embeddings", "Ranking", "Whole pages", "JSON Lines", "Files", "Language"];

/// Refuses arguments for reading files without `--from`, because a store was read already.
fn needing_from(argument: Arg) -> Arg {
    needing_from_instead_of(argument, &["store", "mlindex", "source"])
}

pub(super) fn needing_from_instead_of(argument: Arg, others: &[&'static str]) -> Arg {
    let is_common = ["embeddings", "mode"].contains(&argument.get_id().as_str());
    let is_rare = argument.get_help_heading().is_some_and(|heading| RARE.contains(&heading));
    let argument = argument.hide_short_help(is_rare && !is_common);
    let argument = match argument.get_id().as_str() {
        "language" => {
            let help = "Language for word endings and stop words, such as de [default: en]";
            let more = "`none` matches words exactly as written. A store keeps the language it was indexed with.";
            argument.help(help).long_help(format!("{help}.\n\n{more}"))
        }
        _ => argument,
    };
    let heading = match argument.get_help_heading() {
        Some("JSON Lines") => "JSON Lines, with --from",
        Some("Files") => "Files, with --from",
        Some("Language") => "Language, with --from",
        _ => return argument,
    };
    // Clap doesn't enforce `requires` if another argument excludes the required one.
    let argument = argument.help_heading(heading).requires("from");
    argument.conflicts_with_all(others)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Text only.
    Text,
    /// Name, value and link.
    Results,
    /// All stored fields.
    Records,
}
