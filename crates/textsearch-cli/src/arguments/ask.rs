//! The arguments of `textsearch ask`.

use std::num::NonZero;

use clap::Args;

use super::SearchSelector;

const ASK_EXAMPLES: &str = "\
Examples:
  textsearch ask --from docs \"How do I write a connector?\"
  textsearch ask --from docs \"How do I write a connector?\" --tools --show-calls --check-citations
  textsearch ask \"What is new in Rust?\" --source brave --tools --filter 'site = \"rust-lang.org\"' --allow-filter time_range
  textsearch ask \"What changed?\" --store notes --stream --system \"Answer in one sentence.\"

The model is one that speaks OpenAI's API:
  OPENAI_API_KEY   the key; a server of your own may ask for none
  OPENAI_MODEL     the name of the model, always
  OPENAI_BASE_URL  a server of your own, up to /v1: http://localhost:11434/v1 for Ollama [default: OpenAI's]

--rag, the default, searches once with the question and puts what is found before the model, in the prompt that
`textsearch prompt` prints: every model can answer that. With --tools the model searches itself, with words of its own
and several times if it likes; it must be one that can call tools. --top is then the number of results of a call that
does not ask for another number.

--filter and --fixed-filter both hold whatever the model asks for. It may narrow further by the fields that
--allow-filter names, and by none otherwise.

With --output json the answer is one object with `answer` (null where there is none), `text` (what the model said, whole
or not), `refusal`, `finish_reason`, `end`, `model`, `rounds`, `calls`, `sources`, `citations` (null without
--check-citations) and `usage`.

Exit codes: 0 answered, 1 failed, 2 wrong use, 3 no answer (refused, filtered, cut off, or nothing said), 4 answered, but
--check-citations found a citation of something that was not retrieved. The answer goes to standard output; calls,
citations and all else to standard error. Ctrl-C stops the request.";

/// Have a model answer a question from what is found, with citations.
#[derive(Debug, Args)]
#[command(after_help = ASK_EXAMPLES)]
pub(crate) struct AskArguments {
    /// The question.
    #[arg(value_name = "QUESTION")]
    pub(crate) question: String,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,

    /// Search with the question, and ask once with what was found: the default.
    #[arg(long, conflicts_with = "tools", help_heading = "Model")]
    pub(crate) rag: bool,

    /// Let the model search, with words of its own.
    #[arg(long, help_heading = "Model")]
    pub(crate) tools: bool,

    /// A field that the model may filter on, such as site; may be given several times [default: none].
    #[arg(long, value_name = "FIELD", requires = "tools", help_heading = "Model")]
    pub(crate) allow_filter: Vec<String>,

    /// How many times the model may search before it has to answer; one time may be several searches [default: 10].
    #[arg(long, value_name = "NUMBER", requires = "tools", help_heading = "Model")]
    pub(crate) max_rounds: Option<NonZero<usize>>,

    /// What the model is told before the question; empty for nothing [default with --tools: to search and to cite].
    #[arg(long, value_name = "TEXT", help_heading = "Model")]
    pub(crate) system: Option<String>,

    /// Print the answer as it comes, with what the model says before it searches.
    #[arg(long, help_heading = "Answer")]
    pub(crate) stream: bool,

    /// Say on standard error what was searched for, how long it took, and how much was found.
    #[arg(long, help_heading = "Answer")]
    pub(crate) show_calls: bool,

    /// Say on standard error of each citation whether it is among what was retrieved; exit code 4 where one is not.
    #[arg(long, help_heading = "Answer")]
    pub(crate) check_citations: bool,
}
