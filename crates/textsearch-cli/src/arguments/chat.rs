//! The arguments of `textsearch chat`.

use clap::Args;
use textsearch_kernel::transform::Rewrite;

use super::SearchSelector;

/// The commands of a chat; any other line is a question.
pub(crate) const CHAT_COMMANDS: &str = "\
/sources           show the sources of the last answer with their texts
/filter            show the filter
/filter CONDITION  search only what matches, such as /filter path starts_with \"docs/\"
/filter none       remove the filter
/clear             forget the conversation
/help              list the commands
/quit, or Ctrl-D   end the chat";

const EXAMPLES: &str = "\
Examples:
  textsearch chat
  textsearch chat --from docs
  textsearch chat --store notes.index --filter 'tags contains \"release\"'
  textsearch chat --source searxng --endpoint http://127.0.0.1:8080

Each question is searched for, and the model answers from the results. It also gets the last 20 messages
of the conversation, in 40,000 characters. The sources follow each answer. A citation of anything else is
reported.

The model first rewrites a follow-up, such as \"and in winter?\", so that it stands alone, and the search
finds that. The rewritten question is printed. It can't widen a filter.";

const NOTES: &str = "\
Start a question that begins with / with a space. Ctrl-C stops an answer; the chat then forgets its
question.

--filter is the filter that /filter changes. --fixed-filter always applies.

The model is that of `textsearch ask`: set OPENAI_MODEL, and OPENAI_API_KEY or
OPENAI_BASE_URL; or ANTHROPIC_MODEL and ANTHROPIC_API_KEY.

On a terminal, questions are kept for the arrow keys in ~/.local/state/textsearch/questions, which only
you can read. Without a terminal, each line of standard input is a question or a command: nothing is
kept, and the first failure ends the chat.

Exit codes: 0 ended; 1 failed; 2 wrong usage. Answers and sources go to standard output, everything else
to standard error.";

fn long_help() -> String {
    let commands = CHAT_COMMANDS.replace('\n', "\n  ");
    format!("{EXAMPLES}\n\nCommands:\n  {commands}\n{NOTES}")
}

/// Ask a model one question after another, with answers from search results.
#[derive(Debug, Args)]
#[command(after_long_help = long_help())]
pub(crate) struct ChatArguments {
    /// What to search for: standalone, none, variants, hypothetical-answer or sub-questions.
    ///
    /// `standalone` rewrites each follow-up so that it stands alone. `none` searches for the last two
    /// questions, without a request to the model. The others are as in `textsearch ask`.
    #[arg(long, value_name = "KIND", default_value_t = Rewrite::Standalone, help_heading = "Model")]
    pub(crate) rewrite: Rewrite,

    /// System message, or '' for none [default: answer from the results].
    #[arg(long, value_name = "TEXT", help_heading = "Model")]
    pub(crate) system: Option<String>,

    #[command(flatten)]
    pub(crate) selector: SearchSelector,
}
