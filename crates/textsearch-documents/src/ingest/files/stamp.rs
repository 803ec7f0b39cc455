//! Whether a file changed, without reading it.

use std::{
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use crate::ingest::error::FileError;

/// The size of a file, and when it was last written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::ingest) struct Stamp {
    pub(in crate::ingest) bytes: u64,
    pub(in crate::ingest) modified: Option<SystemTime>,
}

impl Stamp {
    /// Returns the operating system's error for a missing file.
    pub(in crate::ingest) fn of(location: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(location)?;
        Ok(Self { bytes: metadata.len(), modified: metadata.modified().ok() })
    }

    /// Fails if the file changed since, so what was read of it may be half-written.
    pub(in crate::ingest) fn check(self, location: &Path) -> Result<(), FileError> {
        if Self::of(location)? == self { Ok(()) } else { Err(FileError::Changing) }
    }

    /// Returns whether the file was written within `age` before `time`.
    pub(super) fn is_newer_than(self, age: Duration, time: Option<SystemTime>) -> bool {
        let (Some(modified), Some(time)) = (self.modified, time) else { return false };
        time.duration_since(modified).is_ok_and(|elapsed| elapsed <= age)
    }
}
