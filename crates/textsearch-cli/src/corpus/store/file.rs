//! A store in a file: where it is, opening it, and writing it whole or not at all.

use std::{
    error::Error as _,
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow, bail};
use textsearch_core::ErrorKind;
use textsearch_vector_inmemory::InMemoryVectorStore;

use super::names::{filling, rebuilding};
use crate::errors::usage;

/// A file that holds a store, or will.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoreFile {
    path: PathBuf,
}

/// The right to write a store; it ends with the value or with the process.
#[derive(Debug)]
pub(super) struct WriteLock {
    _file: File,
}

impl StoreFile {
    /// The file at `path`.
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file exists. Returns `true` if its folder can't be read, because it may exist then.
    pub(super) fn exists(&self) -> bool {
        self.path.try_exists().unwrap_or(true)
    }

    /// The store in the file.
    ///
    /// # Errors
    ///
    /// Where there is none, or the file is not a store, or not a whole one.
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

    /// Refuses a folder, of which the system says only that it cannot be read or written.
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

    /// What `error`, of a store that cannot be opened, is to a user.
    fn unreadable(&self, error: &textsearch_core::Error) -> anyhow::Error {
        let path = self.path.display().to_string();
        let snapshot = format!("the snapshot `{path}` ");
        let what = error.message().strip_prefix(&snapshot).unwrap_or(error.message());
        if *error.kind() != ErrorKind::Undecodable {
            return anyhow!("the store `{path}` {what}");
        }
        if matches!(InMemoryVectorStore::is_snapshot(&self.path), Ok(false)) {
            return anyhow!(
                "`{path}` is no store of `textsearch index`: try another --store, or --from {path} to search it"
            );
        }
        anyhow!("the store `{path}` {what}: try {}, or another --store", rebuilding(&path, ""))
    }

    /// The store that is to be replaced by one that has nothing of it; `None` where there is none, or a damaged one, of
    /// which nobody can say any more whose it was.
    ///
    /// # Errors
    ///
    /// Where the file is something else, or cannot be read.
    pub(super) fn open_to_replace(&self) -> Result<Option<InMemoryVectorStore>> {
        if !self.exists() {
            return Ok(None);
        }
        self.check_is_no_folder()?;
        let is_snapshot = InMemoryVectorStore::is_snapshot(&self.path);
        if !is_snapshot.map_err(|error| self.unreadable(&error))? {
            let path = self.path.display();
            bail!(
                "`{path}` is no store, and --rebuild replaces stores alone: try another --store FILE"
            );
        }
        match InMemoryVectorStore::open_file(&self.path) {
            Ok(store) => Ok(Some(store)),
            Err(error) if *error.kind() == ErrorKind::Undecodable => Ok(None),
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    /// Returns the path of a file beside the store, with `ending` after its name.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    /// Keeps other writers out.
    ///
    /// # Errors
    ///
    /// Where somebody else is writing the store.
    pub(super) fn lock(&self) -> Result<WriteLock> {
        self.check_is_no_folder()?;
        let path = self.path.display();
        let cannot = || format!("the store `{path}` cannot be written");
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).with_context(cannot)?;
        }
        // A file of its own: the store itself is replaced by another file each time that it is written.
        let file = File::create(self.beside(".lock")).with_context(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(WriteLock { _file: file }),
            Err(TryLockError::WouldBlock) => {
                bail!("another `textsearch index` is writing `{path}`: try again when it is done")
            }
            Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
        }
    }

    /// Replaces the file by `store`; until that is done, the file is the old one.
    ///
    /// # Errors
    ///
    /// Where it cannot be written; then it is what it was.
    pub(super) fn save(&self, store: &InMemoryVectorStore) -> Result<()> {
        store.save_to_file(&self.path).map_err(|error| {
            let path = self.path.display();
            let cause =
                error.source().map_or_else(|| error.message().to_owned(), ToString::to_string);
            // The file is replaced as the last step, so one that is there now was there before.
            let what_is_left = if self.exists() { "; it is what it was before" } else { "" };
            anyhow!("the store `{path}` cannot be written: {cause}{what_is_left}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_looked_for_is_not_said_to_be_missing() {
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
