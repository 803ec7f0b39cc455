//! Records: JSON Lines, one a line, and rows of CSV.

mod inference;
mod lines;
mod record;
#[cfg(feature = "csv")]
mod rows;

use std::path::Path;

use serde_json::{Map, Value};

use self::lines::Lines;
#[cfg(feature = "csv")]
use self::rows::Rows;
pub use self::{
    inference::SchemaInference,
    record::{JsonLinesConfig, JsonRecord},
};
#[cfg(feature = "csv")]
use super::files::FileKind;
use super::{error::Result, files::SourceFile, record_error::RecordError};

/// The records of a file of JSON Lines, in its order.
///
/// ```
/// use textsearch_documents::ingest::{JsonLines, JsonLinesConfig};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("papers.jsonl");
/// std::fs::write(&file, "{\"id\": 7, \"title\": \"Dense\", \"text\": \"Vectors.\", \"year\": 2020}\n")?;
/// let config = JsonLinesConfig::default();
/// let mut records = JsonLines::open(&file, "papers.jsonl", &config)?;
/// let record = records.next().expect("there is a line")?;
/// assert_eq!((record.id.as_str(), record.text.as_str()), ("7", "Vectors."));
/// assert_eq!(record.fields["year"], 2020);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonLines<'a> {
    lines: Lines<'a>,
    config: &'a JsonLinesConfig,
}

impl<'a> JsonLines<'a> {
    /// Opens the file at `location`. Errors call it `path`.
    ///
    /// # Errors
    ///
    /// Returns [`Unreadable`](super::IngestError::Unreadable) if the file can't be opened.
    pub fn open(location: &Path, path: &'a str, config: &'a JsonLinesConfig) -> Result<Self> {
        Ok(Self { lines: Lines::open(location, path)?, config })
    }
}

impl Iterator for JsonLines<'_> {
    type Item = Result<JsonRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let config = self.config;
        self.lines.read(|text, line| config.read(object(text)?, line)).transpose()
    }
}

/// The records of a file in one of these formats, in its order.
pub(super) enum Records<'a> {
    JsonLines(JsonLines<'a>),
    #[cfg(feature = "csv")]
    Rows(Rows<'a>, &'a JsonLinesConfig),
}

impl<'a> Records<'a> {
    pub(super) fn open(file: &'a SourceFile, config: &'a JsonLinesConfig) -> Result<Self> {
        #[cfg(feature = "csv")]
        if let FileKind::Rows(delimiter) = file.kind {
            let rows = Rows::open(&file.location, &file.path, delimiter)?;
            return Ok(Self::Rows(rows, config));
        }
        JsonLines::open(&file.location, &file.path, config).map(Self::JsonLines)
    }

    /// Returns the number of bytes up to the end of the last record.
    pub(super) fn bytes_read(&self) -> u64 {
        match self {
            Self::JsonLines(lines) => lines.lines.bytes_read,
            #[cfg(feature = "csv")]
            Self::Rows(rows, _) => rows.bytes_read(),
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<JsonRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::JsonLines(lines) => lines.next(),
            #[cfg(feature = "csv")]
            Self::Rows(rows, config) => {
                rows.read(|fields, line| config.read(fields, line)).transpose()
            }
        }
    }
}

fn object(text: &[u8]) -> Result<Map<String, Value>, RecordError> {
    match serde_json::from_slice(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(RecordError::NotAnObject),
        Err(error) if error.is_eof() => Err(RecordError::Unfinished),
        Err(error) => Err(RecordError::NotJson(without_line(&error))),
    }
}

/// The parser saw one line, so its line number is useless.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    format!("{reason} at column {}", error.column())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::ingest::error::single_line;

    fn read(text: &[u8]) -> Vec<Result<JsonRecord>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let names = JsonLinesConfig::default();
        JsonLines::open(file.path(), "papers.jsonl", &names).unwrap().collect()
    }

    fn failure(text: &[u8]) -> String {
        single_line(&read(text).into_iter().find_map(Result::err).unwrap())
    }

    #[test]
    fn accepts_blank_lines_byte_order_mark_and_missing_final_newline() {
        let text = b"\xEF\xBB\xBF{\"id\":\"a\",\"text\":\"x\"}\r\n\n   \n{\"id\":7,\"text\":\"y\"}";
        let ids: Vec<String> = read(text).into_iter().map(|record| record.unwrap().id).collect();
        assert_eq!(ids, ["a", "7"]);
    }

    #[test]
    fn invalid_line_is_named_by_file_and_number() {
        assert_eq!(
            failure(b"{\"text\":\"x\"}\n\n{\"text\": oops}\n"),
            "`papers.jsonl` line 3: this isn't JSON: expected value at column 10"
        );
        assert_eq!(
            failure(b"[1]\n"),
            "`papers.jsonl` line 1: a line must hold one JSON object, such as {\"text\": \"…\"}"
        );
        assert_eq!(
            failure(b"{\n  \"text\": \"x\"\n}\n"),
            "`papers.jsonl` line 1: the JSON does not end on its line: try one object a line, as `jq -c .` writes them"
        );
        assert!(
            failure(b"{\"text\":\"\xFF\"}").starts_with("`papers.jsonl` line 1: this isn't JSON")
        );
    }
}
