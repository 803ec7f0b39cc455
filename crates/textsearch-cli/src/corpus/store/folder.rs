//! A store in a folder: opens it, locks it, and replaces it.

use std::{
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

/// In the folder of a store that a rebuild began, or that is being converted: what identifies it.
const KEY: &str = "rebuild";

/// The name of [`KEY`] once the store is complete.
const COMPLETE: &str = "rebuilt";

/// The path of a store, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoreFolder {
    path: PathBuf,
}

/// The kind of file at the path of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathKind {
    Missing,
    Folder,
    /// A file of an earlier version, or something else.
    File,
}

impl StoreFolder {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        // After a slash at the end, the files beside the store would be in it.
        let path: PathBuf = path.into().components().collect();
        // A rebuild replaces the store, not a link to it.
        let target = if path.is_symlink() { path.canonicalize().ok() } else { None };
        Self { path: target.unwrap_or(path) }
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
    pub(super) fn kind(&self) -> Result<PathKind> {
        self.finish_replacement();
        if self.path.is_dir() {
            self.check_folder()?;
            return Ok(PathKind::Folder);
        }
        // A file in a folder that can't be read may exist.
        let exists = self.path.try_exists().unwrap_or(true);
        Ok(if exists { PathKind::File } else { PathKind::Missing })
    }

    /// Opens the store to read. Fails if it doesn't exist, isn't a store, or is damaged.
    pub(super) fn open(&self) -> Result<Arc<dyn VectorStore>> {
        let path = &self.path;
        match self.kind()? {
            PathKind::Missing => {
                let path = path.display().to_string();
                bail!(
                    "there is no store `{path}`: try {} to make one, or --from PATH to search files without one",
                    filling(&path)
                );
            }
            PathKind::Folder => {
                let store = DiskVectorStore::open_read_only(path);
                Ok(Arc::new(store.map_err(|error| self.unreadable(&error))?))
            }
            PathKind::File => Ok(Arc::new(self.open_snapshot()?)),
        }
    }

    /// Opens the [next](Self::next) store to write. It has the permissions of this one.
    pub(super) fn open_next(&self) -> Result<DiskVectorStore> {
        let next = self.next();
        let store = next.open_to_write()?;
        if let Ok(metadata) = fs::metadata(&self.path) {
            let kept = fs::set_permissions(&next.path, folder_permissions(&metadata));
            kept.with_context(|| format!("the store `{}` cannot be written", next.path.display()))?;
        }
        Ok(store)
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
        match self.kind()? {
            PathKind::Missing => Ok(None),
            PathKind::Folder => self.open().map(Some),
            PathKind::File => {
                let is_snapshot = InMemoryVectorStore::is_snapshot(&self.path);
                if !is_snapshot.map_err(|error| self.unreadable(&error))? {
                    let path = self.path.display();
                    bail!(
                        "`{path}` is not a store, and --rebuild only replaces stores: try another --store"
                    );
                }
                match InMemoryVectorStore::open_file(&self.path) {
                    Ok(store) => Ok(Some(Arc::new(store))),
                    Err(error) if *error.kind() == ErrorKind::Undecodable => Ok(None),
                    Err(error) => Err(self.unreadable(&error)),
                }
            }
        }
    }

    /// Locks the store until the returned file is dropped, and removes what a replacement left. Fails
    /// if another process is writing it.
    pub(super) fn lock(&self) -> Result<File> {
        self.kind()?;
        let path = self.path.display();
        let cannot = || format!("the store `{path}` cannot be written");
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).with_context(cannot)?;
        }
        let lock = files::lock(&self.path).with_context(cannot)?;
        let lock = lock.with_context(|| {
            format!(
                "another process, `textsearch index` or `serve --writable`, is writing `{path}`: try again when it has ended"
            )
        })?;
        if self.path.exists() {
            remove(&self.old()).with_context(cannot)?;
        }
        Ok(lock)
    }

    /// Replaces this store by the [next](Self::next) one, whose files must be closed. A killed
    /// process leaves a complete store, and [`kind`](Self::kind) finishes the replacement.
    pub(super) fn replace(&self) -> Result<()> {
        let replaced = || -> io::Result<()> {
            remove(&self.old())?;
            if self.next().path.join(KEY).exists() {
                fs::rename(self.next().path.join(KEY), self.next().path.join(COMPLETE))?;
            }
            if self.path.try_exists()? {
                fs::rename(&self.path, self.old())?;
            }
            fs::rename(self.next().path, &self.path).or_else(|error| {
                // A reader may have finished it.
                if self.path.is_dir() { Ok(()) } else { Err(error) }
            })?;
            remove(&self.path.join(COMPLETE))?;
            remove(&self.old())
        };
        replaced()
            .with_context(|| format!("the store `{}` cannot be replaced", self.path.display()))
    }

    /// Returns whether a rebuild with this key began the store.
    pub(super) fn was_begun_by(&self, key: &str) -> bool {
        [KEY, COMPLETE]
            .iter()
            .find_map(|name| fs::read_to_string(self.path.join(name)).ok())
            .is_some_and(|begun| begun == key)
    }

    /// Records the key of a rebuild.
    pub(super) fn begin(&self, key: &str) -> Result<()> {
        let written = fs::write(self.path.join(KEY), key);
        written.with_context(|| format!("the store `{}` cannot be written", self.path.display()))
    }

    /// Removes the next store, which a killed run may have left.
    pub(super) fn remove_next(&self) -> Result<()> {
        let next = self.next().path;
        remove(&next).with_context(|| format!("`{}` cannot be removed", next.display()))
    }

    fn finish_replacement(&self) {
        let next = self.next().path;
        let is_between = !self.path.exists() && self.old().exists() && !next.join(KEY).exists();
        // Another process may finish it at the same time.
        if is_between && let Err(error) = fs::rename(next, &self.path) {
            tracing::debug!(%error, "a replaced store is not in place");
        }
    }

    /// Files of a store among others would be hard to find again.
    fn check_folder(&self) -> Result<()> {
        let path = self.path.display();
        let mut entries = fs::read_dir(&self.path)
            .with_context(|| format!("the store `{path}` cannot be read"))?;
        // Other programs leave files in any folder.
        if entries.next().is_none() || DiskVectorStore::is_store(&self.path)? {
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

/// Returns the permissions of a folder that replaces a file or a folder. Who may read the one may
/// read the other.
fn folder_permissions(metadata: &fs::Metadata) -> fs::Permissions {
    let permissions = metadata.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = permissions.mode();
        fs::Permissions::from_mode(mode | (mode & 0o444) >> 2 | 0o700)
    }
    #[cfg(not(unix))]
    permissions
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
        assert_eq!(StoreFolder::new("x".repeat(5000)).kind().unwrap(), PathKind::File);
        assert_eq!(StoreFolder::new("no/such/file").kind().unwrap(), PathKind::Missing);
    }

    #[test]
    fn an_interrupted_replacement_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreFolder::new(folder.path().join("index"));
        fs::create_dir(store.next().path()).unwrap();
        fs::create_dir(store.old()).unwrap();
        assert_eq!(store.kind().unwrap(), PathKind::Folder);
        assert!(!store.next().path().exists());
    }

    #[test]
    fn an_incomplete_store_is_not_put_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreFolder::new(folder.path().join("index"));
        drop(store.open_next().unwrap());
        store.next().begin("key").unwrap();
        fs::create_dir(store.old()).unwrap();
        assert_eq!(store.kind().unwrap(), PathKind::Missing);
    }

    #[test]
    fn a_replacement_that_failed_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreFolder::new(folder.path().join("index"));
        drop(store.open_next().unwrap());
        store.next().begin("key").unwrap();
        fs::rename(store.next().path.join(KEY), store.next().path.join(COMPLETE)).unwrap();
        assert!(store.next().was_begun_by("key"));
        store.replace().unwrap();
        assert!(!store.path.join(COMPLETE).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_kept_and_its_store_replaced() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let real = StoreFolder::new(folder.path().join("real"));
        drop(real.open_to_write().unwrap());
        fs::set_permissions(&real.path, fs::Permissions::from_mode(0o700)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&real.path, &link).unwrap();
        let store = StoreFolder::new(&link);
        drop(store.open_next().unwrap());
        fs::write(store.next().path.join("new"), "").unwrap();
        store.replace().unwrap();
        assert!(link.is_symlink() && real.path.join("new").exists());
        assert_eq!(fs::metadata(&real.path).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
