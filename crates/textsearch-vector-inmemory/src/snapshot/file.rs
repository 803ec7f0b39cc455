//! Replaces a file atomically: after a crash, the old or the new file is there.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// A crashed process with the same id may have left a file with the name.
const ATTEMPTS: usize = 100;

/// Keeps the file's permissions, and follows links.
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
        // Don't replace a device with a regular file.
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not a regular file"));
    }
    let (temporary, file) = Temporary::create_beside(path)?;
    if let Some(old) = old {
        // Before writing, so that the content is never readable by more users than before.
        file.set_permissions(old.permissions())?;
    }
    let mut output = BufWriter::with_capacity(1 << 20, file);
    write(&mut output)?;
    output.flush()?;
    output.get_ref().sync_all()?;
    fs::rename(&temporary.path, path)?;
    temporary.keep();
    drop(output);
    sync_folder(folder(path))
}

/// Deleted unless kept.
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
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Err(error) if attempt == ATTEMPTS => return Err(error),
                Err(_) => {}
            }
            attempt += 1;
        }
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_kept {
            // Report the error that led here instead.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn unused_name(mut name: OsString) -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".textsearch-{}-{number}.tmp", process::id()));
    name
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes the new name survive a crash.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems cannot flush a folder, and need not.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
