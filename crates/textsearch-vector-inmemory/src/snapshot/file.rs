//! Replacing a file so that a crash leaves the old one or the new one.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// How many names are tried: one that is taken was left behind by a process of the same number that crashed.
const ATTEMPTS: usize = 100;

/// Replaces the file at `path` by what `write` writes. What was there keeps its permissions, and a link stays a link.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let path = &match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        resolved => resolved?,
    };
    let (temporary, file) = Temporary::create_beside(path)?;
    if let Ok(old) = fs::metadata(path) {
        // Before the first byte is written, so that nobody reads what the old file kept from them.
        file.set_permissions(old.permissions())?;
    }
    let mut output = BufWriter::with_capacity(1 << 20, file);
    write(&mut output)?;
    output.flush()?;
    output.get_ref().sync_all()?;
    fs::rename(&temporary.path, path)?;
    // The file has its place: there is nothing to clean up any more.
    temporary.keep();
    sync_folder(folder(path))
}

/// A file that is deleted unless it is kept.
struct Temporary {
    path: PathBuf,
    is_kept: bool,
}

impl Temporary {
    fn create_beside(path: &Path) -> io::Result<(Self, File)> {
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
        };
        let mut attempt = 0;
        loop {
            let path = folder(path).join(unused_name(name.to_owned()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Self { path, is_kept: false }, file)),
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS =>
                {
                    attempt += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_kept {
            // The error that brought us here is the one to report.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn unused_name(mut name: OsString) -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    name.push(format!(".{}-{}.tmp", process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    name
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes sure that the new name outlives a crash.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Makes sure that the new name outlives a crash: elsewhere a folder cannot be flushed, and need not be.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
