//! Readers in a process of their own.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::PathBuf,
    process::Command,
};

use super::{
    ReadError, ReadLimits, Reader,
    program::{self, ProgramError},
};
use crate::{Document, Section};

/// JSON is larger than its text.
const WRITTEN: usize = 2;

/// The exit code of a process that says why it can't read the file.
const UNREADABLE: i32 = 3;

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
    /// Creates a reader that runs `program` with `arguments` for each file, without a shell.
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments }
    }

    /// Reads the file on standard input, and writes the document to standard output. Returns the exit
    /// code of the process.
    ///
    /// # Errors
    ///
    /// Returns the operating system's error if the pipes are closed.
    pub fn serve(limits: &ReadLimits) -> io::Result<i32> {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        match Document::from_file("", "", bytes, limits) {
            Ok(document) => {
                serde_json::to_writer(io::stdout().lock(), &document)?;
                Ok(0)
            }
            Err(error) => {
                write!(io::stderr(), "{error}")?;
                Ok(UNREADABLE)
            }
        }
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
        command.args(&self.arguments);
        let max_bytes = limits.max_text_bytes.saturating_mul(WRITTEN)
            + limits.max_pages.saturating_mul(size_of::<Section>());
        let output = program::run(command, bytes, limits.timeout, max_bytes);
        let json = output.map_err(|error| match error {
            ProgramError::TimedOut(limit) => ReadError::TimedOut(limit),
            ProgramError::Failed(status, message) if status.code() == Some(UNREADABLE) => {
                ReadError::Refused(message)
            }
            error => ReadError::Damaged(format!("its reader {error}")),
        })?;
        let read: Document = serde_json::from_slice(&json).map_err(ReadError::damaged)?;
        document.name = document.name.take().or(read.name);
        document.format = read.format;
        document.text = read.text;
        document.sections = read.sections;
        Ok(())
    }
}
