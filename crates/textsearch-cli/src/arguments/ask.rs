//! The arguments of `textsearch ask`.

use std::num::NonZero;

use clap::Args;
use textsearch_kernel::transform::Rewrite;

use super::{OutputFormat, ResultArguments, SearchSelector};

const ASK_EXAMPLES: &str = "\
Examples:
  textsearch ask --from docs \"How do I write a connector?\"
  textsearch ask --from docs \"How do I write a connector?\" --tools --show-calls --check-citations
  textsearch ask \"What is new in Rust?\" --source brave --tools --filter 'site = \"rust-lang.org\"' --allow-filter time_range
  textsearch ask \"What changed?\" --store notes --stream --system \"Answer in one sentence.\"

Any model with an OpenAI-compatible API works. Environment variables:
  OPENAI_MODEL     model name, required
  OPENAI_API_KEY   key; your own server may need none
  OPENAI_BASE_URL  your own server, up to /v1, such as http://localhost:11434/v1 for Ollama
                   [default: OpenAI's]
  OPENAI_PROTOCOL  chat-completions (default) or responses, OpenAI's newer API
Without OPENAI_MODEL, a Claude model:
  ANTHROPIC_MODEL, ANTHROPIC_API_KEY
  ANTHROPIC_BASE_URL  a proxy, without /v1 [default: Anthropic's]
With --tools, a Claude model also returns citations apart from its text: --check-citations calls them `model`.

--rag, the default, searches once with the question and sends one request, with the prompt that
`textsearch prompt` prints. With --tools the model, which must support tool calls, searches with its own
queries, up to --max-rounds. --top is then the number of results for a call without `count`.

--rewrite lets the model write queries first, in one more request; they are printed. If that fails or
takes more than 5 seconds, the search uses the question as it is. `textsearch chat` rewrites follow-ups.

--filter and --fixed-filter apply to every search. The model can only narrow further, by the fields
that --allow-filter names.

With --output json the answer is one object: `answer` (null if there is none), `text` (the model's
text, complete or not), `refusal`, `finish_reason`, `end`, `model`, `rounds`, `calls` (with
--rewrite, each has its `query_transform`), `sources`, `citations` (null without --check-citations) and `usage`.

Exit codes: 0 answered; 1 failed; 2 wrong usage; 3 no answer (refused, filtered, truncated or empty);
4 answered, but --check-citations found a citation of something that was not retrieved.
The answer goes to standard output; calls, citations and messages go to standard error. Ctrl-C stops
the request.";

/// Ask a model, which answers from search results with citations.
#[derive(Debug, Args)]
#[command(after_long_help = ASK_EXAMPLES)]
pub(crate) struct AskArguments {
    /// Question to answer.
    #[arg(value_name = "QUESTION")]
    pub(crate) question: String,

    /// Search once with the question, and send the results to the model (default).
    #[arg(long, conflicts_with = "tools", help_heading = "Model")]
    pub(crate) rag: bool,

    /// Let the model search with its own queries.
    #[arg(long, help_heading = "Model")]
    pub(crate) tools: bool,

    /// Write queries: none, variants, hypothetical-answer or sub-questions.
    ///
    /// The model writes them for the search: three other phrasings of the question, an answer that it
    /// makes up, which is searched for by vector and needs --embeddings, or the parts of a question
    /// that asks several things.
    #[arg(
        long,
        value_name = "KIND",
        default_value_t = Rewrite::None,
        hide_default_value = true,
        conflicts_with = "tools",
        help_heading = "Model"
    )]
    pub(crate) rewrite: Rewrite,

    /// Field that the model may filter on, such as site; repeatable [default: none].
    #[arg(long, value_name = "FIELD", requires = "tools", help_heading = "Model")]
    pub(crate) allow_filter: Vec<String>,

    /// Maximum rounds of searches before the model must answer [default: 10].
    ///
    /// One round may contain several searches.
    #[arg(long, value_name = "NUMBER", requires = "tools", help_heading = "Model")]
    pub(crate) max_rounds: Option<NonZero<usize>>,

    /// System message, or '' for none [default: none; with --tools: search and cite].
    #[arg(long, value_name = "TEXT", help_heading = "Model")]
    pub(crate) system: Option<String>,

    /// Print the answer while the model writes it, with any text before its searches.
    #[arg(long, help_heading = "Answer")]
    pub(crate) stream: bool,

    /// Print each search, its duration and its number of results to standard error.
    #[arg(long, help_heading = "Answer")]
    pub(crate) show_calls: bool,

    /// Print to standard error whether each citation was retrieved; exit with 4 if one was not.
    #[arg(long, help_heading = "Answer")]
    pub(crate) check_citations: bool,

    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Answer")]
    pub(crate) output: OutputFormat,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    #[command(flatten)]
    pub(crate) results: ResultArguments,
}
