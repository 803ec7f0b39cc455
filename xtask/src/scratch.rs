//! A folder for files that nobody needs afterwards.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// A new folder below the system's for temporary files, which goes when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder; `name` says what it is for.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)
            .with_context(|| format!("cannot make the folder {}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
