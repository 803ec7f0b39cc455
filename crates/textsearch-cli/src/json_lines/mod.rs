//! JSON Lines: one record a line, read line by line so that a large file needs no large memory.

mod kinds;
mod record;

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Map, Value};

pub(crate) use self::{
    kinds::FieldKinds,
    record::{FieldNames, JsonRecord},
};
use crate::lines::Lines;

/// The records of a file, in its order.
pub(crate) struct JsonLines<'a> {
    objects: JsonObjects<'a>,
    names: &'a FieldNames,
}

impl<'a> JsonLines<'a> {
    /// Opens the file at `location`; `path` is what errors and links call it.
    ///
    /// # Errors
    ///
    /// Where it cannot be opened.
    pub(crate) fn open(location: &Path, path: &'a str, names: &'a FieldNames) -> Result<Self> {
        Ok(Self { objects: JsonObjects::open(location, path)?, names })
    }
}

impl Iterator for JsonLines<'_> {
    type Item = Result<JsonRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let names = self.names;
        self.objects.read(|object, line| names.read(object, line)).transpose()
    }
}

/// The objects of a file, one a line, for whatever they stand.
pub(crate) struct JsonObjects<'a> {
    lines: Lines<'a>,
}

impl<'a> JsonObjects<'a> {
    /// Opens the file at `location`; `path` is what errors call it.
    ///
    /// # Errors
    ///
    /// Where it cannot be opened.
    pub(crate) fn open(location: &Path, path: &'a str) -> Result<Self> {
        Ok(Self { lines: Lines::open(location, path)? })
    }

    /// What `read` makes of the next object and the number of its line; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Where the line cannot be read, is no object, or `read` fails; all but the first name the line.
    pub(crate) fn read<T>(
        &mut self,
        read: impl FnOnce(Map<String, Value>, u64) -> Result<T>,
    ) -> Result<Option<T>> {
        self.lines.read(|text, line| read(object(text)?, line))
    }
}

fn object(text: &[u8]) -> Result<Map<String, Value>> {
    match serde_json::from_slice(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => bail!("a line must hold one JSON object, such as {{\"text\": \"…\"}}"),
        Err(error) if error.is_eof() => bail!(
            "the JSON does not end on its line: try one object a line, as `jq -c .` writes them"
        ),
        Err(error) => bail!("this is no JSON: {}", without_line(&error)),
    }
}

/// The message of a parser that saw one line alone: which line it was, it cannot know.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    format!("{reason} at column {}", error.column())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(text: &[u8]) -> Vec<Result<JsonRecord>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let names = FieldNames::default();
        JsonLines::open(file.path(), "papers.jsonl", &names).unwrap().collect()
    }

    fn failure(text: &[u8]) -> String {
        format!("{:#}", read(text).into_iter().find_map(Result::err).unwrap())
    }

    #[test]
    fn blank_lines_a_mark_at_the_start_and_a_missing_end_of_line_are_fine() {
        let text = b"\xEF\xBB\xBF{\"id\":\"a\",\"text\":\"x\"}\r\n\n   \n{\"id\":7,\"text\":\"y\"}";
        let ids: Vec<String> = read(text).into_iter().map(|record| record.unwrap().id).collect();
        assert_eq!(ids, ["a", "7"]);
    }

    #[test]
    fn a_line_that_is_no_object_is_named_by_file_and_number() {
        assert_eq!(
            failure(b"{\"text\":\"x\"}\n\n{\"text\": oops}\n"),
            "`papers.jsonl` line 3: this is no JSON: expected value at column 10"
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
            failure(b"{\"text\":\"\xFF\"}").starts_with("`papers.jsonl` line 1: this is no JSON")
        );
    }
}
