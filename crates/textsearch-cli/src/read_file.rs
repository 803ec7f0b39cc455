//! Reads each PDF in a child process, `textsearch read-file`, which takes the file on standard input.

use std::{env, io, process::ExitCode, sync::Arc};

use anyhow::Result;
use textsearch_documents::{ReadLimits, ReaderProcess};

const COMMAND: &str = "read-file";

/// Of the process that reads a file.
#[cfg(unix)]
const MAX_MEMORY_BYTES: u64 = 2 << 30;

#[cfg(unix)]
const MAX_SECONDS: u64 = 90;

/// `name` tells the format of a file whose content doesn't.
pub(crate) fn run(name: &str) -> Result<ExitCode> {
    limit_resources()?;
    ReaderProcess::serve(name, &ReadLimits::default())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the default limits, but each PDF is read by a child process of this program.
pub(crate) fn limits() -> io::Result<ReadLimits> {
    let reader = ReaderProcess::new(env::current_exe()?, [COMMAND]);
    Ok(ReadLimits { pdf_reader: Some(Arc::new(reader)), ..ReadLimits::default() })
}

#[cfg(unix)]
fn limit_resources() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let limit = |value| Rlimit { current: Some(value), maximum: Some(value) };
    setrlimit(Resource::As, limit(MAX_MEMORY_BYTES))?;
    // This also ends the child of a killed parent.
    Ok(setrlimit(Resource::Cpu, limit(MAX_SECONDS))?)
}

#[cfg(not(unix))]
fn limit_resources() -> io::Result<()> {
    Ok(())
}
