//! Readers in a process of their own.

use std::{
    ffi::OsString,
    io::{self, Read as _},
    num::NonZero,
    path::PathBuf,
    process::Command,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
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
/// The process calls [`ReaderProcess::serve`]. It may set limits of the operating system first. As many
/// processes run at once as the machine has cores; other files wait for them.
#[derive(Debug, Clone)]
pub struct ReaderProcess {
    program: PathBuf,
    arguments: Vec<OsString>,
    slots: Arc<Slots>,
}

impl ReaderProcess {
    /// Creates a reader that runs `program` with `arguments` for each file, without a shell and without
    /// environment variables.
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let slots = Slots { free: Mutex::new(cores), freed: Condvar::new() };
        Self { program: program.into(), arguments, slots: Arc::new(slots) }
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
        let _slot = self.slots.take(limits.timeout).ok_or(ReadError::TimedOut(limits.timeout))?;
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

/// Limits how many processes run at once, each with much memory.
#[derive(Debug)]
struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

struct Slot<'a>(&'a Slots);

impl Slots {
    /// Returns `None` if no process ends in time.
    fn take(&self, timeout: Duration) -> Option<Slot<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_timeout_while(free, timeout, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Slot(self))
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn more_files_than_cores_wait_for_each_other() {
        let script = "sleep 0.2; cat > /dev/null; echo '{\"Ok\":{\"id\":\"\",\"format\":\"plain_text\",\"text\":\"words\"}}'";
        let reader = ReaderProcess::new("/bin/sh", ["-c", script]);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let began = Instant::now();
        thread::scope(|scope| {
            for _ in 0..=cores {
                scope.spawn(|| {
                    let mut document = Document::plain_text("a", "");
                    reader.read(b"%PDF".to_vec(), &ReadLimits::default(), &mut document).unwrap();
                    assert_eq!(document.text, "words");
                });
            }
        });
        assert!(began.elapsed() >= Duration::from_millis(400));
    }

    #[test]
    fn file_that_waits_too_long_is_refused() {
        let slots = Slots { free: Mutex::new(1), freed: Condvar::new() };
        let slot = slots.take(Duration::ZERO);
        assert!(slot.is_some() && slots.take(Duration::from_millis(1)).is_none());
        drop(slot);
        assert!(slots.take(Duration::ZERO).is_some());
    }
}
