//! A store in a file: opens it, locks it, and writes it atomically.

use std::{
    error::Error as _,
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow, bail};
use textsearch_core::ErrorKind;
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::names::{filling, rebuilding};
use crate::{errors::usage, files};

/// The file of a store, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoreFile {
    path: PathBuf,
}

impl StoreFile {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `true` if the folder can't be read, because the file may exist.
    pub(super) fn exists(&self) -> bool {
        self.path.try_exists().unwrap_or(true)
    }

    /// Opens the store. Fails if the file doesn't exist, isn't a store, or is incomplete.
    pub(super) fn open(&self) -> Result<InMemoryVectorStore> {
        if !self.exists() {
            let path = self.path.display().to_string();
            bail!(
                "there is no store `{path}`: try {} to make one, or --from PATH to search files without one",
                filling(&path)
            );
        }
        self.check_is_no_folder()?;
        InMemoryVectorStore::open_file(&self.path).map_err(|error| self.unreadable(&error))
    }

    /// Rejects a folder, because the system's error would be vague.
    fn check_is_no_folder(&self) -> Result<()> {
        if !self.path.is_dir() {
            return Ok(());
        }
        let path = self.path.display();
        Err(usage(format!(
            "`{path}` is a folder, and a store is a file: try --store {path}/index, or --from {path} to search the \
             files in it"
        )))
    }

    fn unreadable(&self, error: &textsearch_core::Error) -> anyhow::Error {
        let path = self.path.display().to_string();
        let snapshot = format!("the snapshot `{path}` ");
        let what = error.message().strip_prefix(&snapshot).unwrap_or(error.message());
        if *error.kind() != ErrorKind::Undecodable {
            return anyhow!("the store `{path}` {what}");
        }
        if matches!(InMemoryVectorStore::is_snapshot(&self.path), Ok(false)) {
            return anyhow!(
                "`{path}` isn't a store of `textsearch index`: try another --store, or --from {path} to search it"
            );
        }
        anyhow!("the store `{path}` {what}: try {}, or another --store", rebuilding(&path, ""))
    }

    /// Opens the store that a rebuild replaces. Returns `None` if it is missing or damaged. Fails
    /// if the file isn't a store or can't be read.
    pub(super) fn open_to_replace(&self) -> Result<Option<InMemoryVectorStore>> {
        if !self.exists() {
            return Ok(None);
        }
        self.check_is_no_folder()?;
        let is_snapshot = InMemoryVectorStore::is_snapshot(&self.path);
        if !is_snapshot.map_err(|error| self.unreadable(&error))? {
            let path = self.path.display();
            bail!(
                "`{path}` is not a store, and --rebuild only replaces stores: try another --store FILE"
            );
        }
        match InMemoryVectorStore::open_file(&self.path) {
            Ok(store) => Ok(Some(store)),
            Err(error) if *error.kind() == ErrorKind::Undecodable => Ok(None),
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    /// Locks the store until the returned file is dropped. Fails if another process is writing it.
    pub(super) fn lock(&self) -> Result<File> {
        self.check_is_no_folder()?;
        let path = self.path.display();
        let cannot = || format!("the store `{path}` cannot be written");
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).with_context(cannot)?;
        }
        let lock = files::lock(&self.path).with_context(cannot)?;
        lock.with_context(|| {
            format!("another `textsearch index` is writing `{path}`: try again when it is done")
        })
    }

    /// Replaces the file by `store`. If that fails, the old file stays unchanged.
    pub(super) fn save(&self, store: &InMemoryVectorStore) -> Result<()> {
        store.save_to_file(&self.path).map_err(|error| {
            let path = self.path.display();
            let cause =
                error.source().map_or_else(|| error.message().to_owned(), ToString::to_string);
            // Replacing the file is the last step, so an existing file is the old one.
            let what_is_left = if self.exists() { "; it is what it was before" } else { "" };
            anyhow!("the store `{path}` cannot be written: {cause}{what_is_left}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inaccessible_file_is_not_reported_as_missing() {
        let too_long = StoreFile { path: "x".repeat(5000).into() };
        assert!(too_long.exists());
        assert!(!StoreFile { path: "no/such/file".into() }.exists());
    }

    #[test]
    fn one_writer_keeps_the_others_out_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreFile { path: folder.path().join("deep/index") };
        let lock = store.lock().unwrap();
        let error = store.lock().unwrap_err();
        assert!(error.to_string().starts_with("another `textsearch index` is writing"), "{error}");
        drop(lock);
        store.lock().unwrap();
    }
}
