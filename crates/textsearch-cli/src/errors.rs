//! Errors as one line, and their exit codes.

use std::{error::Error, path::Path, process::ExitCode};

use clap::error::{ContextKind, ContextValue, ErrorKind as ClapErrorKind};
use textsearch_core::ErrorKind;

/// Libraries that users didn't choose.
pub(crate) const OWN_LIBRARIES: [&str; 3] = ["inmemory", "documents", "mlindex"];

/// Commands with a query, question or goal.
const TAKE_ONE_TEXT: [&str; 4] = ["search", "prompt", "ask", "plan"];

/// Exit code of `textsearch index` if some files failed. The others are indexed.
pub(crate) const SOME_FILES_FAILED: u8 = 5;

/// Exit code after a signal, as in shells.
pub(crate) const INTERRUPTED: u8 = 130;

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

/// The reader closed the output, as in `textsearch search x | head -1`. The exit code is 0.
#[derive(Debug, thiserror::Error)]
#[error("the reader of the output is gone")]
pub(crate) struct OutputClosed;

/// A signal stopped the command. The exit code is [`INTERRUPTED`].
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted;

/// Returns an error with exit code 2; `message` says what to do.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

pub(crate) fn is_output_closed(error: &anyhow::Error) -> bool {
    error.is::<OutputClosed>()
}

pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<Interrupted>() {
        return ExitCode::from(INTERRUPTED);
    }
    let code = if error.chain().any(is_wrong_use) { 2 } else { 1 };
    ExitCode::from(code)
}

fn is_wrong_use(error: &(dyn Error + 'static)) -> bool {
    let is_option = |error: &textsearch_core::Error| {
        matches!(
            error.kind(),
            ErrorKind::InvalidOptions { .. } | ErrorKind::UnsupportedFilter { .. }
        )
    };
    error.is::<UsageError>() || error.downcast_ref().is_some_and(is_option)
}

/// Returns the message and its causes. Names the file that all are about once.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain() {
        let mut text = in_one_line(&message_of(cause));
        if let Some(rest) = parts.first().and_then(|first| about_same_file(first, &text)) {
            text = format!("it {rest}");
        }
        // Some messages repeat their cause.
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

/// Returns `text` without the name in backticks at its start if `first` starts with the same.
fn about_same_file<'a>(first: &str, text: &'a str) -> Option<&'a str> {
    let end = text.strip_prefix('`')?.find("` ")? + "`` ".len();
    text.get(..end).filter(|name| first.starts_with(name)).and(text.get(end..))
}

/// Omits the names of our own libraries.
fn message_of(error: &(dyn Error + 'static)) -> String {
    match error.downcast_ref::<textsearch_core::Error>() {
        Some(error) if OWN_LIBRARIES.contains(&error.connector()) => error.message().to_owned(),
        _ => error.to_string(),
    }
}

/// Returns clap's message for a wrong command line, in one line. Names the help of `subcommand` if
/// clap doesn't tell which command is wrong, as for values.
pub(crate) fn usage_line(error: &clap::Error, subcommand: Option<&str>) -> String {
    let rendered = error.to_string();
    let is_message = |paragraph: &&str| {
        !["Usage:", "For more information"].iter().any(|start| paragraph.starts_with(start))
    };
    let paragraphs = rendered.split("\n\n").map(str::trim).filter(is_message).map(in_one_line);
    let message = paragraphs.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
    let command = command_of(error).or_else(|| subcommand.map(|name| format!("textsearch {name}")));
    let command = command.unwrap_or_else(|| "textsearch".to_owned());
    let message = message.trim_start_matches("error: ");
    match extra_word(error) {
        Some(word) if TAKE_ONE_TEXT.iter().any(|name| command.ends_with(name)) => {
            let from = format!(", or `--from {word}` to search a file or folder");
            let from = if Path::new(word).exists() { from } else { String::new() };
            format!("{message}: try quotes around a text of several words{from}")
        }
        _ => format!("{message}: try `{command} --help`"),
    }
}

/// Returns the first superfluous word of the command line.
fn extra_word(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ClapErrorKind::UnknownArgument => {
            Some(word.as_str()).filter(|word| !word.starts_with('-'))
        }
        _ => None,
    }
}

/// Returns the command whose help lists the wrong argument: the first words of the usage.
fn command_of(error: &clap::Error) -> Option<String> {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let words = usage.trim_start_matches("Usage:").split_whitespace();
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let command: Vec<&str> =
        words.take_while(is_name).take_while(|word| !word.starts_with('-')).collect();
    (!command.is_empty()).then(|| command.join(" "))
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn causes_follow_the_message_once_each() {
        let cause = anyhow::anyhow!("no space left on device\nat all");
        let error = Err::<(), _>(cause).context("the store `x` cannot be written").unwrap_err();
        let expected = "the store `x` cannot be written: no space left on device at all";
        assert_eq!(one_line(&error), expected);
        let repeated = error.context("gave up: no space left on device at all");
        assert_eq!(
            one_line(&repeated),
            "gave up: no space left on device at all: the store `x` cannot be written"
        );
    }

    #[test]
    fn a_cause_about_the_same_file_omits_its_name() {
        let message = |cause: &'static str| {
            let error = Err::<(), _>(anyhow::anyhow!(cause)).context("`a b` cannot be indexed");
            one_line(&error.unwrap_err())
        };
        assert_eq!(message("`a b` is empty"), "`a b` cannot be indexed: it is empty");
        assert_eq!(message("`a c` is empty"), "`a b` cannot be indexed: `a c` is empty");
    }

    #[test]
    fn errors_omit_the_names_of_own_libraries() {
        let error_of =
            |connector| textsearch_core::Error::new(ErrorKind::Timeout, connector, "no answer");
        assert_eq!(one_line(&error_of("inmemory").into()), "no answer");
        assert_eq!(one_line(&error_of("documents").into()), "no answer");
        assert_eq!(one_line(&error_of("qdrant").into()), "qdrant: no answer");
    }

    #[test]
    fn unsupported_options_and_filters_are_usage_errors() {
        let option = textsearch_core::Error::invalid_options("brave", "top", 500, "at most 200");
        assert_eq!(exit_code(&option.into()), ExitCode::from(2));
        assert_eq!(exit_code(&usage("no")), ExitCode::from(2));
        let failed = textsearch_core::Error::new(ErrorKind::Timeout, "brave", "no answer");
        assert_eq!(exit_code(&failed.into()), ExitCode::from(1));
    }
}
