//! Places in a document.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::{Deserialize, Serialize};

/// A place in a document's text where a heading, or a place of the file, begins.
#[expect(clippy::exhaustive_structs, reason = "readers make them")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The start in the text, in bytes.
    pub start: usize,
    /// The heading that begins here. Without one, the headings before go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<SectionHeading>,
    /// The place in the file. Without one, the place before goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
}

/// A heading, without markup.
#[expect(clippy::exhaustive_structs, reason = "readers make them")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionHeading {
    /// 1 for the highest.
    pub level: usize,
    /// The text. An empty one ends the headings above.
    pub text: String,
}

/// A place in a file: the fragment of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Locator {
    /// A fragment for the whole section, such as `page=3` or `slide=4`, not encoded.
    Fragment(String),
    /// The lines of a chunk: `L10-L42`, as on GitHub.
    Lines {
        /// The number of the section's first line.
        first: usize,
    },
    /// The cells of a chunk, whose lines are rows: `Sheet1!A2:F40`.
    Rows {
        /// The name of the sheet, if the file has sheets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
        /// The number of the section's first row.
        first: usize,
        /// The number of columns.
        columns: usize,
        /// Whether the first row names the columns. Each chunk of the table then begins with it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        header: bool,
    },
}

/// What a [fragment](https://url.spec.whatwg.org/#fragment-percent-encode-set) can't hold, and what
/// Markdown would read as the end of a link.
pub(crate) const FRAGMENT: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'(').add(b')').add(b'#');

impl Locator {
    /// Returns the fragment of the lines `from` to `to`, counted from the section's start, from 0.
    pub(crate) fn fragment(&self, from: usize, to: usize) -> String {
        match self {
            Self::Fragment(fragment) => utf8_percent_encode(fragment, FRAGMENT).to_string(),
            Self::Lines { first } if from == to => format!("L{}", first + from),
            Self::Lines { first } => format!("L{}-L{}", first + from, first + to),
            Self::Rows { sheet, first, columns, .. } => {
                let mut fragment = String::new();
                if let Some(sheet) = sheet {
                    let sheet = utf8_percent_encode(sheet, FRAGMENT);
                    // Writing to a string never fails.
                    let _written = write!(fragment, "{sheet}!");
                }
                fragment + &format!("A{}:{}{}", first + from, column(*columns), first + to)
            }
        }
    }
}

/// A for the first, AA for the 27th.
fn column(mut number: usize) -> String {
    let mut name = Vec::new();
    loop {
        number = number.saturating_sub(1);
        name.insert(0, b'A' + (number % 26) as u8);
        number /= 26;
        if number == 0 {
            return name.into_iter().map(char::from).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_name_lines_and_cells() {
        assert_eq!(Locator::Lines { first: 10 }.fragment(0, 32), "L10-L42");
        assert_eq!(Locator::Lines { first: 1 }.fragment(4, 4), "L5");
        let rows = |sheet: &str, columns| {
            let sheet = Some(sheet.to_owned());
            Locator::Rows { sheet, first: 2, columns, header: false }.fragment(0, 38)
        };
        assert_eq!(rows("Sheet1", 6), "Sheet1!A2:F40");
        assert_eq!(rows("Q1 (old)", 28), "Q1%20%28old%29!A2:AB40");
    }
}
