//! JSON Lines: one record a line, read line by line so that a large file needs no large memory.

mod kinds;
mod record;

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

pub(crate) use self::{
    kinds::FieldKinds,
    record::{FieldNames, JsonRecord},
};

/// The records of a file, in its order.
pub(crate) struct JsonLines<'a> {
    reader: BufReader<File>,
    path: &'a str,
    names: &'a FieldNames,
    line: u64,
    buffer: Vec<u8>,
}

impl<'a> JsonLines<'a> {
    /// Opens the file at `location`; `path` is what errors and links call it.
    ///
    /// # Errors
    ///
    /// Where it cannot be opened.
    pub(crate) fn open(location: &Path, path: &'a str, names: &'a FieldNames) -> Result<Self> {
        let file = File::open(location).with_context(|| format!("`{path}` cannot be read"))?;
        Ok(Self { reader: BufReader::new(file), path, names, line: 0, buffer: Vec::new() })
    }

    fn read_record(&mut self) -> Result<Option<JsonRecord>> {
        while self.read_line()? {
            if !self.text().trim_ascii().is_empty() {
                let place = || format!("`{}` line {}", self.path, self.line);
                let object = self.object().with_context(place)?;
                return self.names.read(object, self.line).with_context(place).map(Some);
            }
        }
        Ok(None)
    }

    fn read_line(&mut self) -> Result<bool> {
        self.buffer.clear();
        let read = self.reader.read_until(b'\n', &mut self.buffer);
        self.line += 1;
        Ok(read.with_context(|| format!("`{}` cannot be read", self.path))? > 0)
    }

    /// The line; some editors put a mark before the first one.
    fn text(&self) -> &[u8] {
        self.buffer.strip_prefix(b"\xEF\xBB\xBF").filter(|_| self.line == 1).unwrap_or(&self.buffer)
    }

    fn object(&self) -> Result<Map<String, Value>> {
        match serde_json::from_slice(self.text()) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => bail!("a line must hold one JSON object, such as {{\"text\": \"…\"}}"),
            Err(error) if error.is_eof() => bail!(
                "the JSON does not end on its line: try one object a line, as `jq -c .` writes them"
            ),
            Err(error) => bail!("this is no JSON: {}", without_line(&error)),
        }
    }
}

impl Iterator for JsonLines<'_> {
    type Item = Result<JsonRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_record().transpose()
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
