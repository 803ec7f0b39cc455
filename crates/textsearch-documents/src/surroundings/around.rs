//! How much of a document is shown around a result.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use textsearch_core::{Error, Result};

use crate::CONNECTOR;

const ALLOWED: &str = "none, neighbours, neighbours:NUMBER, section or document";

/// How much of its document is shown around a result. As text: `none`, `neighbours` (of one),
/// `neighbours:2`, `section` or `document`.
///
/// ```
/// use textsearch_documents::Around;
///
/// # fn main() -> textsearch_core::Result<()> {
/// assert_eq!("neighbours:2".parse::<Around>()?, Around::Neighbours(2));
/// assert_eq!(Around::Section.to_string(), "section");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Around {
    /// Nothing.
    #[default]
    None,
    /// As many chunks before and after it.
    Neighbours(usize),
    /// The text below the same headings.
    Section,
    /// All of the document, up to 32 chunks before and after it.
    Document,
}

impl fmt::Display for Around {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("none"),
            Self::Neighbours(1) => formatter.write_str("neighbours"),
            Self::Neighbours(number) => write!(formatter, "neighbours:{number}"),
            Self::Section => formatter.write_str("section"),
            Self::Document => formatter.write_str("document"),
        }
    }
}

impl FromStr for Around {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "none" => Ok(Self::None),
            "neighbours" => Ok(Self::Neighbours(1)),
            "section" => Ok(Self::Section),
            "document" => Ok(Self::Document),
            _ => {
                let number =
                    text.strip_prefix("neighbours:").and_then(|number| number.parse().ok());
                number.map(Self::Neighbours).ok_or_else(|| {
                    Error::invalid_options(CONNECTOR, "around", format_args!("`{text}`"), ALLOWED)
                })
            }
        }
    }
}

impl From<Around> for String {
    fn from(around: Around) -> Self {
        around.to_string()
    }
}

impl TryFrom<String> for Around {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "all", "neighbours:", "neighbours:-1", "Section", "neighbours:x"] {
            let error = text.parse::<Around>().unwrap_err();
            assert!(error.message().ends_with(ALLOWED), "{error}");
        }
    }
}
