//! Files that are read at positions, each part with its checksum.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use serde::{Deserialize, Serialize};
use textsearch_core::{Error, ErrorKind, Result};

use crate::error::CONNECTOR;

/// Bytes of a checksum.
pub(super) const CHECKSUM: usize = 4;

/// A part of a file: so many bytes from a position, and their checksum behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Block {
    pub(super) at: u64,
    pub(super) length: u64,
}

/// An immutable file. Nothing that it holds is trusted before its checksum was compared.
#[derive(Debug)]
pub(super) struct DataFile {
    file: File,
    path: PathBuf,
    length: u64,
}

impl DataFile {
    /// # Errors
    ///
    /// Returns `Backend` if the file cannot be opened, `Undecodable` if it isn't a regular file.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = open_regular(path)?;
        let length = file.metadata().map_err(|error| unreadable(path, error))?.len();
        Ok(Self { file, path: path.to_owned(), length })
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the bytes of `block` once their checksum matches.
    pub(super) fn block(&self, block: Block) -> Result<Vec<u8>> {
        let length = block.length.saturating_add(CHECKSUM as u64);
        let mut bytes = self.bytes(block.at, length)?;
        let Some((_, checksum)) = bytes.split_last_chunk::<CHECKSUM>() else {
            return Err(self.damaged(block.at, "it is too short"));
        };
        let checksum = *checksum;
        bytes.truncate(bytes.len() - CHECKSUM);
        if is_sound(&bytes, &checksum) {
            Ok(bytes)
        } else {
            Err(self.damaged(block.at, "a checksum does not match"))
        }
    }

    /// Returns bytes whose checksums are still to be compared.
    pub(super) fn bytes(&self, at: u64, length: u64) -> Result<Vec<u8>> {
        // A forged length must not allocate memory.
        let fits = at.checked_add(length).is_some_and(|end| end <= self.length);
        let length = usize::try_from(length).ok().filter(|_| fits);
        let length = length.ok_or_else(|| self.damaged(at, "a part ends after the file"))?;
        let mut bytes = vec![0; length];
        read_exact_at(&self.file, &mut bytes, at).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged(at, "the file was truncated"),
            _ => unreadable(&self.path, error),
        })?;
        Ok(bytes)
    }

    pub(super) fn damaged(&self, at: u64, fault: &str) -> Error {
        damaged(&self.path, at, fault)
    }
}

/// Returns whether the checksum is that of the bytes.
pub(super) fn is_sound(bytes: &[u8], checksum: &[u8]) -> bool {
    #[cfg(test)]
    if IS_FORGED.get() {
        return true;
    }
    crc32fast::hash(bytes).to_le_bytes() == *checksum
}

#[cfg(test)]
thread_local! {
    /// Takes every checksum for right, as if someone had forged it.
    pub(super) static IS_FORGED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Doesn't follow a link at the end of the path, and doesn't wait for a pipe.
pub(super) fn open_regular(path: &Path) -> Result<File> {
    let metadata = fs::symlink_metadata(path).map_err(|error| unreadable(path, error))?;
    if !metadata.is_file() {
        return Err(damaged(path, 0, "it is not a regular file"));
    }
    File::open(path).map_err(|error| unreadable(path, error))
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = std::mem::take(&mut bytes).get_mut(read..).unwrap_or_default();
                at += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn damaged(path: &Path, at: u64, fault: &str) -> Error {
    let message = format!("the file `{}` is damaged at byte {at}: {fault}", path.display());
    Error::new(ErrorKind::Undecodable, CONNECTOR, message)
}

pub(super) fn unreadable(path: &Path, error: io::Error) -> Error {
    let message = format!("the file `{}` cannot be read: {error}", path.display());
    Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
}

pub(super) fn unwritable(path: &Path, error: io::Error) -> Error {
    let message = format!("the file `{}` cannot be written: {error}", path.display());
    Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
}

/// Reads a part the first time that it is used. Two threads may read it at once.
pub(super) fn once<T>(cell: &OnceLock<T>, read: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = read()?;
    Ok(cell.get_or_init(|| value))
}
