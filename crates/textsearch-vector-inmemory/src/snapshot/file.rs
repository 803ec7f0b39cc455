//! Replacing a file so that a crash leaves the old one or the new one.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::abandoned;

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
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A device would be gone, and everybody who uses it would meet a file in its place.
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "what is there is no file"));
    }
    // First of all, because these may be what fills the disk.
    abandoned::remove_beside(path);
    let (temporary, file) = Temporary::create_beside(path)?;
    if let Some(old) = old {
        // Before the first byte is written, so that nobody reads what the old file kept from them.
        file.set_permissions(old.permissions())?;
    }
    let mut output = BufWriter::with_capacity(1 << 20, file);
    write(&mut output)?;
    output.flush()?;
    output.get_ref().sync_all()?;
    fs::rename(&temporary.path, path)?;
    // The file has its place: there is nothing to clean up any more, and nobody to be kept out.
    temporary.keep();
    drop(output);
    sync_folder(folder(path))
}

/// A file that is deleted unless it is kept. While it is written it is locked, which tells it from one that a process
/// left behind.
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
                Ok(file) => {
                    let temporary = Self { path, is_kept: false };
                    if temporary.is_claimed_by(&file) {
                        return Ok((temporary, file));
                    }
                }
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Err(error) if attempt == ATTEMPTS => return Err(error),
                Err(_) => {}
            }
            attempt += 1;
        }
    }

    /// Locks the new file; says no where another process took it for one that was left behind, in the moment before.
    fn is_claimed_by(&self, file: &File) -> bool {
        match file.try_lock() {
            Ok(()) => self.path.exists(),
            Err(TryLockError::WouldBlock) => false,
            // Where files cannot be locked, none is taken for one that was left behind.
            Err(TryLockError::Error(_)) => true,
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

fn unused_name(name: OsString) -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    abandoned::temporary_name(name, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The folder that a file is in.
pub(super) fn folder(path: &Path) -> &Path {
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
