//! Readers in a process of their own.

use std::{
    ffi::OsString,
    io::{self, Read as _},
    path::PathBuf,
    process::Command,
};

use super::{
    ReadError, ReadLimits, Reader,
    program::{self, ProgramError},
};
use crate::{Document, Section};

/// How many bytes JSON has for each of its text.
const JSON_FACTOR: usize = 2;

/// A reader in a process of its own: what ends the parser, such as an exhausted stack or memory, costs
/// one file.
///
/// The process calls [`ReaderProcess::serve`]. It may set limits of the operating system first.
#[derive(Debug, Clone)]
pub struct ReaderProcess {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl ReaderProcess {
    /// Creates a reader that runs `program` with `arguments` for each file, without a shell and without
    /// environment variables.
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments }
    }

    /// Reads the file called `name` on standard input, and writes the document or the error to standard
    /// output. An empty name leaves the format to the content.
    ///
    /// # Errors
    ///
    /// Returns the operating system's error if the pipes are closed.
    pub fn serve(name: &str, limits: &ReadLimits) -> io::Result<()> {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        let result = Document::from_file("", name, bytes, limits);
        Ok(serde_json::to_writer(io::stdout().lock(), &result)?)
    }
}

impl Reader for ReaderProcess {
    fn read(
        &self,
        bytes: Vec<u8>,
        limits: &ReadLimits,
        document: &mut Document,
    ) -> Result<(), ReadError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear();
        let max_bytes = limits.max_text_bytes.saturating_mul(JSON_FACTOR)
            + limits.max_pages.saturating_mul(size_of::<Section>());
        let output = program::run(command, bytes, limits.timeout, max_bytes);
        let json = output.map_err(|error| match error {
            ProgramError::TimedOut(limit) => ReadError::TimedOut(limit),
            error => ReadError::Damaged(format!("its reader {error}")),
        })?;
        let result: Result<Document, ReadError> =
            serde_json::from_slice(&json).map_err(ReadError::damaged)?;
        let read = result?;
        document.name = document.name.take().or(read.name);
        document.format = read.format;
        document.text = read.text;
        document.sections = read.sections;
        let modified = document.facts.modified;
        document.facts = read.facts;
        document.facts.modified = modified;
        Ok(())
    }
}
