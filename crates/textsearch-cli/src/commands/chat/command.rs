//! What a line of a chat asks for.

use anyhow::Result;
use textsearch_core::Filter;

use crate::errors::usage;

/// A line of a chat.
#[derive(Debug, PartialEq)]
pub(super) enum Command {
    Question(String),
    Sources,
    ShowFilter,
    SetFilter(Option<Filter>),
    Clear,
    Help,
    Quit,
    Nothing,
}

impl Command {
    /// Parses a line. Returns a usage error for an unknown command or an invalid filter.
    pub(super) fn parse(line: &str) -> Result<Self> {
        let text = line.trim();
        if !line.starts_with('/') {
            return Ok(if text.is_empty() {
                Self::Nothing
            } else {
                Self::Question(text.to_owned())
            });
        }
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match (name, rest.trim()) {
            ("/filter", "") => Ok(Self::ShowFilter),
            ("/filter", "none") => Ok(Self::SetFilter(None)),
            ("/filter", condition) => match condition.parse() {
                Ok(filter) => Ok(Self::SetFilter(Some(filter))),
                Err(error) => Err(usage(format!("/filter: {error}"))),
            },
            ("/sources", "") => Ok(Self::Sources),
            ("/clear", "") => Ok(Self::Clear),
            ("/help", "") => Ok(Self::Help),
            ("/quit", "") => Ok(Self::Quit),
            _ => Err(usage(format!(
                "unknown command `{text}`: try /help, or start the line with a space to ask it"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_questions_or_commands() {
        let parsed = |line| Command::parse(line).unwrap();
        assert_eq!(parsed(" what is /v1? "), Command::Question("what is /v1?".to_owned()));
        assert_eq!(parsed(" /v1 is what?"), Command::Question("/v1 is what?".to_owned()));
        assert_eq!(parsed("  "), Command::Nothing);
        assert_eq!(parsed("/quit "), Command::Quit);
        assert_eq!(parsed("/filter"), Command::ShowFilter);
        assert_eq!(parsed("/filter none"), Command::SetFilter(None));
        assert_eq!(parsed("/filter  a = 1"), Command::SetFilter(Some(Filter::eq("a", 1))));
    }

    #[test]
    fn unknown_commands_and_wrong_filters_are_named() {
        let failure = |line| Command::parse(line).unwrap_err().to_string();
        assert!(failure("/v1 is what?").starts_with("unknown command `/v1 is what?`: try /help"));
        assert!(failure("/clear all").starts_with("unknown command `/clear all`"));
        assert!(
            failure("/filter a =").starts_with("/filter: column"),
            "{}",
            failure("/filter a =")
        );
    }
}
