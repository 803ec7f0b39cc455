//! Reads files line by line, so that large files need little memory.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::Path,
};

use crate::ingest::{
    error::{IngestError, Result},
    record_error::RecordError,
};

#[derive(Debug)]
pub(super) struct Lines<'a> {
    reader: BufReader<File>,
    path: &'a str,
    line: u64,
    pub(super) bytes_read: u64,
    buffer: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn open(location: &Path, path: &'a str) -> Result<Self> {
        let file = File::open(location).map_err(|error| unreadable(path, error))?;
        Ok(Self { reader: BufReader::new(file), path, line: 0, bytes_read: 0, buffer: Vec::new() })
    }

    /// Passes the next line that isn't blank, and its number, to `read`. Returns `None` at the end.
    pub(super) fn read<T>(
        &mut self,
        read: impl FnOnce(&[u8], u64) -> Result<T, RecordError>,
    ) -> Result<Option<T>> {
        while self.read_line()? {
            if !self.text().trim_ascii().is_empty() {
                let path = self.path;
                let line = self.line;
                let named = |reason| IngestError::Record { path: path.to_owned(), line, reason };
                return read(self.text(), line).map_err(named).map(Some);
            }
        }
        Ok(None)
    }

    fn read_line(&mut self) -> Result<bool> {
        self.buffer.clear();
        let read = self.reader.read_until(b'\n', &mut self.buffer);
        self.line += 1;
        let read = read.map_err(|error| unreadable(self.path, error))?;
        self.bytes_read += read as u64;
        Ok(read > 0)
    }

    fn text(&self) -> &[u8] {
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| self.line == 1).unwrap_or(line)
    }
}

pub(super) fn unreadable(path: &str, source: io::Error) -> IngestError {
    IngestError::Unreadable { path: path.to_owned(), source }
}
