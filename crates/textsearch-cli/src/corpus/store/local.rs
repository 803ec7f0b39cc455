//! A store in a folder: opens it, locks it, and replaces it.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, Result, anyhow, bail};
use textsearch_core::{ErrorKind, vector::VectorStore};
use textsearch_vector_inmemory::{DiskVectorStore, InMemoryVectorStore};

use super::names::{filling, rebuilding};
use crate::{errors::usage, files};

/// After the path of a store: its next version.
pub(crate) const NEXT: &str = ".textsearch-new";

/// After the path of a store: what is being replaced.
pub(crate) const OLD: &str = ".textsearch-old";

/// In the folder of a store that a rebuild began.
const KEY: &str = "rebuild";

/// The place of a store, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalStore {
    path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Missing,
    Folder,
    /// A file of an earlier version, or something else.
    File,
}

impl LocalStore {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A store that is being written, and will replace this one.
    pub(super) fn next(&self) -> Self {
        Self::new(files::beside(&self.path, NEXT))
    }

    /// The store that was replaced, before it is removed.
    fn old(&self) -> PathBuf {
        files::beside(&self.path, OLD)
    }

    /// Fails if the path is a folder of other files.
    pub(super) fn kind(&self) -> Result<Kind> {
        self.finish_replacement();
        if self.path.is_dir() {
            self.check_folder()?;
            return Ok(Kind::Folder);
        }
        // A file in a folder that can't be read may exist.
        let exists = self.path.try_exists().unwrap_or(true);
        Ok(if exists { Kind::File } else { Kind::Missing })
    }

    /// Opens the store to read. Fails if it doesn't exist, isn't a store, or is damaged.
    pub(super) fn open(&self) -> Result<Arc<dyn VectorStore>> {
        let path = &self.path;
        match self.kind()? {
            Kind::Missing => {
                let path = path.display().to_string();
                bail!(
                    "there is no store `{path}`: try {} to make one, or --from PATH to search files without one",
                    filling(&path)
                );
            }
            Kind::Folder => {
                let store = DiskVectorStore::open_read_only(path);
                Ok(Arc::new(store.map_err(|error| self.unreadable(&error))?))
            }
            Kind::File => Ok(Arc::new(self.open_snapshot()?)),
        }
    }

    /// Opens the folder to write, and creates it if it is missing.
    pub(super) fn open_to_write(&self) -> Result<DiskVectorStore> {
        DiskVectorStore::open(&self.path).map_err(|error| self.unreadable(&error))
    }

    /// Opens the file of an earlier version.
    pub(super) fn open_snapshot(&self) -> Result<InMemoryVectorStore> {
        InMemoryVectorStore::open_file(&self.path).map_err(|error| self.unreadable(&error))
    }

    /// Opens the store that a rebuild replaces. Returns `None` if it is missing or damaged. Fails
    /// if the path leads to something else, or can't be read.
    pub(super) fn open_to_replace(&self) -> Result<Option<Arc<dyn VectorStore>>> {
        if self.kind()? == Kind::File {
            let is_snapshot = InMemoryVectorStore::is_snapshot(&self.path);
            if !is_snapshot.map_err(|error| self.unreadable(&error))? {
                let path = self.path.display();
                bail!(
                    "`{path}` is not a store, and --rebuild only replaces stores: try another --store"
                );
            }
            return match InMemoryVectorStore::open_file(&self.path) {
                Ok(store) => Ok(Some(Arc::new(store))),
                Err(error) if *error.kind() == ErrorKind::Undecodable => Ok(None),
                Err(error) => Err(self.unreadable(&error)),
            };
        }
        if self.kind()? == Kind::Missing { Ok(None) } else { self.open().map(Some) }
    }

    /// Locks the store until the returned file is dropped. Fails if another process is writing it.
    pub(super) fn lock(&self) -> Result<File> {
        self.kind()?;
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

    /// Replaces this store by the [next](Self::next) one, whose files must be closed. A killed
    /// process leaves one of both whole: [`kind`](Self::kind) finishes what it began.
    pub(super) fn replace(&self) -> Result<()> {
        let replaced = || -> io::Result<()> {
            remove(&self.old())?;
            if self.next().path.join(KEY).exists() {
                fs::remove_file(self.next().path.join(KEY))?;
            }
            if self.path.try_exists()? {
                fs::rename(&self.path, self.old())?;
            }
            fs::rename(self.next().path, &self.path).or_else(|error| {
                // A reader may have finished it.
                if self.path.is_dir() { Ok(()) } else { Err(error) }
            })?;
            remove(&self.old())
        };
        replaced()
            .with_context(|| format!("the store `{}` cannot be replaced", self.path.display()))
    }

    /// Returns whether a rebuild with this key began the store.
    pub(super) fn was_begun_by(&self, key: &str) -> bool {
        fs::read_to_string(self.path.join(KEY)).is_ok_and(|begun| begun == key)
    }

    /// Records the key of a rebuild.
    pub(super) fn begin(&self, key: &str) -> Result<()> {
        let written = fs::write(self.path.join(KEY), key);
        written.with_context(|| format!("the store `{}` cannot be written", self.path.display()))
    }

    /// Removes what a killed run left beside the store.
    pub(super) fn remove_next(&self) -> Result<()> {
        let next = self.next().path;
        remove(&next).with_context(|| format!("`{}` cannot be removed", next.display()))
    }

    fn finish_replacement(&self) {
        let is_between = !self.path.exists() && self.old().exists();
        // Another process may finish it at the same time.
        if is_between && let Err(error) = fs::rename(self.next().path, &self.path) {
            tracing::debug!(%error, "a replaced store is not in place");
        }
    }

    /// Files of a store among others would be hard to find again.
    fn check_folder(&self) -> Result<()> {
        let path = self.path.display();
        let mut entries = fs::read_dir(&self.path)
            .with_context(|| format!("the store `{path}` cannot be read"))?;
        // A killed run may leave only its lock.
        if entries.all(|entry| entry.is_ok_and(|entry| is_of_store(&entry.file_name()))) {
            return Ok(());
        }
        Err(usage(format!(
            "`{path}` is a folder of other files: try --store {path}/index, or --from {path} to search the files in it"
        )))
    }

    fn unreadable(&self, error: &textsearch_core::Error) -> anyhow::Error {
        let path = self.path.display().to_string();
        let snapshot = format!("the snapshot `{path}` ");
        let what = error.message().strip_prefix(&snapshot).unwrap_or(error.message());
        if what.starts_with("the store `") {
            return anyhow!("{what}");
        }
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
}

fn is_of_store(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    matches!(&*name, "lock" | KEY) || name.starts_with("collection-")
}

/// Removes a file, or a folder with all its files, if it exists.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inaccessible_file_is_not_reported_as_missing() {
        assert_eq!(LocalStore::new("x".repeat(5000)).kind().unwrap(), Kind::File);
        assert_eq!(LocalStore::new("no/such/file").kind().unwrap(), Kind::Missing);
    }

    #[test]
    fn one_writer_keeps_the_others_out_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::new(folder.path().join("deep/index"));
        let lock = store.lock().unwrap();
        let error = store.lock().unwrap_err();
        assert!(error.to_string().starts_with("another `textsearch index` is writing"), "{error}");
        drop(lock);
        store.lock().unwrap();
    }

    #[test]
    fn an_interrupted_replacement_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::new(folder.path().join("index"));
        fs::create_dir(store.next().path()).unwrap();
        fs::create_dir(store.old()).unwrap();
        assert_eq!(store.kind().unwrap(), Kind::Folder);
        assert!(!store.next().path().exists());
    }
}
