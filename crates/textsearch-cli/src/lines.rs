//! Files of lines, read line by line so that a large file needs no large memory.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
};

use anyhow::{Context as _, Result};

/// The lines of a file that are not blank, with their numbers.
pub(crate) struct Lines<'a> {
    reader: BufReader<File>,
    path: &'a str,
    line: u64,
    buffer: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// Opens the file at `location`; `path` is what errors call it.
    ///
    /// # Errors
    ///
    /// Where it cannot be opened.
    pub(crate) fn open(location: &Path, path: &'a str) -> Result<Self> {
        let file = File::open(location).with_context(|| format!("`{path}` cannot be read"))?;
        Ok(Self { reader: BufReader::new(file), path, line: 0, buffer: Vec::new() })
    }

    /// What `read` makes of the next line, without its end, and of its number; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read, or `read` fails: then the error names the line.
    pub(crate) fn read<T>(
        &mut self,
        read: impl FnOnce(&[u8], u64) -> Result<T>,
    ) -> Result<Option<T>> {
        while self.read_line()? {
            if !self.text().trim_ascii().is_empty() {
                let place = || format!("`{}` line {}", self.path, self.line);
                return read(self.text(), self.line).with_context(place).map(Some);
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
        let line = self.buffer.as_slice();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| self.line == 1).unwrap_or(line)
    }
}
