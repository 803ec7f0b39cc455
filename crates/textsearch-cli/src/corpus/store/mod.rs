//! Where documents are stored. Only this module knows the kinds of stores.

// For addresses with HOST:PORT/NAME.
#[cfg(feature = "stores")]
mod address;
#[cfg(feature = "stores")]
mod azure_search;
#[cfg(feature = "stores")]
mod chroma;
mod folder;
#[cfg(feature = "stores")]
mod host;
#[cfg(feature = "stores")]
mod milvus;
mod names;
#[cfg(feature = "stores")]
mod pgvector;
#[cfg(feature = "stores")]
mod pinecone;
#[cfg(feature = "stores")]
mod qdrant;
mod server;
mod server_location;

use std::{
    fmt,
    fs::File,
    path::{Path, PathBuf},
};

use anyhow::Result;
use textsearch_core::vector::VectorStore;
use textsearch_documents::ingest::DocumentIndex;
use textsearch_vector_inmemory::InMemoryVectorStore;

pub(crate) use self::{
    folder::{NEXT, OLD},
    names::{ANY_PLACE, DOCUMENTS, filling, rebuilding},
};
use self::{
    folder::{PathKind, StoreFolder},
    names::CATALOG,
    server_location::ServerLocation,
};
use crate::{arguments::DEFAULT_STORE, errors::usage, messages};

/// The location of a store, which may not exist yet.
#[derive(Debug)]
pub(crate) enum StoreLocation {
    Folder(StoreFolder),
    Server(Box<dyn ServerLocation>),
}

#[derive(Clone)]
pub(crate) struct OpenStore {
    pub(crate) index: DocumentIndex,
    pub(crate) location: String,
    /// Whether the store is on a server, whose collections may not exist yet.
    pub(crate) on_server: bool,
}

/// A store open for writing, which stores every change at once.
pub(crate) struct StoreWriter {
    open: OpenStore,
    folder: Option<LockedFolder>,
}

/// A store in a folder, locked against other writers until it is dropped.
struct LockedFolder {
    folder: StoreFolder,
    /// Whether the open store replaces the folder at the end.
    is_beside: bool,
    /// Whether a run with the same key began the open store.
    is_continued: bool,
    /// Beside the folder, whose own lock goes away with it when another takes its place.
    _lock: File,
}

impl StoreLocation {
    /// Parses a path, `file:PATH`, `file://PATH`, or the address of a collection on a server. The
    /// scheme is case-insensitive.
    pub(crate) fn from_uri(uri: &str) -> Result<Self> {
        let parts = uri.split_once(':').map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
        let path = match parts.as_ref().map(|(scheme, rest)| (scheme.as_str(), *rest)) {
            Some(("file", path)) => path.strip_prefix("//").unwrap_or(path),
            Some((scheme, rest)) if rest.starts_with("//") || server::is_scheme(scheme) => {
                return server::parse(scheme, rest).map(Self::Server);
            }
            _ => uri,
        };
        if path.is_empty() {
            return Err(usage(format!("`{uri}` names no store: try --store {DEFAULT_STORE}")));
        }
        Ok(Self::Folder(StoreFolder::new(path)))
    }

    /// Returns `None` for a server.
    pub(crate) fn file_path(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder.path()),
            Self::Server(_) => None,
        }
    }

    /// Opens the store to read. Fails if a folder doesn't exist; a collection on a server may be
    /// missing.
    pub(crate) async fn open(&self) -> Result<OpenStore> {
        match self {
            Self::Folder(folder) => Ok(self.open_folder(folder.open()?)),
            Self::Server(location) => open_server(location.as_ref()).await,
        }
    }

    fn open_folder(&self, store: impl VectorStore + 'static) -> OpenStore {
        OpenStore { index: folder_index(store), location: self.to_string(), on_server: false }
    }

    /// Opens the store for writing, or creates it. A file of an earlier version becomes a folder; if
    /// another program wrote it, the error is an `IngestError`.
    pub(crate) async fn open_to_write(&self) -> Result<StoreWriter> {
        let folder = match self {
            Self::Folder(folder) => folder,
            Self::Server(location) => {
                let open = open_server(location.as_ref()).await?;
                return Ok(StoreWriter { open, folder: None });
            }
        };
        let lock = folder.lock()?;
        if folder.kind()? == PathKind::File {
            convert(folder).await?;
        } else if folder.next().path().exists() {
            messages::say(&format!(
                "an interrupted rebuild is kept in `{}`: run its command again for the rest, or delete the folder",
                folder.next().path().display()
            ));
        }
        let open = self.open_folder(folder.open_to_write()?);
        let folder = folder.clone();
        let locked = LockedFolder { folder, is_beside: false, is_continued: false, _lock: lock };
        Ok(StoreWriter { open, folder: Some(locked) })
    }

    /// Returns whether there is no store yet. On a server, that isn't known.
    pub(crate) fn is_missing(&self) -> Result<bool> {
        match self {
            Self::Folder(folder) => Ok(folder.kind()? == PathKind::Missing),
            Self::Server(_) => Ok(false),
        }
    }

    /// Opens the store that a rebuild replaces, if it can be opened. Returns `None` for a server,
    /// which checks that itself.
    pub(crate) fn open_to_replace(&self) -> Result<Option<DocumentIndex>> {
        match self {
            Self::Folder(folder) => Ok(folder.open_to_replace()?.map(folder_index)),
            Self::Server(_) => Ok(None),
        }
    }

    /// Opens a new store that replaces this one when it is [finished](StoreWriter::finish), or the one
    /// that an interrupted run with the same `key` began. Nothing changes on a server yet.
    pub(crate) async fn open_to_rebuild(&self, key: &str) -> Result<StoreWriter> {
        let Self::Folder(folder) = self else { return self.open_to_write().await };
        let lock = folder.lock()?;
        let next = folder.next();
        let is_continued = next.was_begun_by(key);
        if !is_continued {
            folder.remove_next()?;
        }
        let open = self.open_folder(folder.open_next()?);
        next.begin(key)?;
        let folder = folder.clone();
        let locked = LockedFolder { folder, is_beside: true, is_continued, _lock: lock };
        Ok(StoreWriter { open, folder: Some(locked) })
    }
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.path().display().fmt(formatter),
            Self::Server(location) => location.fmt(formatter),
        }
    }
}

/// Copies a file of an earlier version into a folder, which replaces it.
async fn convert(folder: &StoreFolder) -> Result<()> {
    let old = folder_index(folder.open_snapshot()?);
    old.catalog().await?;
    folder.remove_next()?;
    let new = folder_index(folder.open_next()?);
    folder.next().begin("")?;
    if let Err(error) = new.copy_from(&old).await {
        // It would take as much space as the file.
        drop(new);
        let _ignored = folder.remove_next();
        return Err(error.into());
    }
    // Closes the files.
    drop(new);
    folder.replace()
}

async fn open_server(location: &dyn ServerLocation) -> Result<OpenStore> {
    let index = location.open().await?;
    Ok(OpenStore { index, location: location.to_string(), on_server: true })
}

fn folder_index(store: impl VectorStore + 'static) -> DocumentIndex {
    DocumentIndex::new(store, DOCUMENTS).with_catalog_name(CATALOG).with_exclusive_store(true)
}

impl StoreWriter {
    pub(crate) fn store(&self) -> &OpenStore {
        &self.open
    }

    /// Returns whether the store will replace another one.
    pub(crate) fn is_beside(&self) -> bool {
        self.next().is_some()
    }

    /// Returns the store's folder if it will replace another store.
    pub(crate) fn next(&self) -> Option<PathBuf> {
        let locked = self.folder.as_ref().filter(|locked| locked.is_beside)?;
        Some(locked.folder.next().path().to_owned())
    }

    /// Returns whether an interrupted run of the same rebuild began the store.
    pub(crate) fn is_continued(&self) -> bool {
        self.folder.as_ref().is_some_and(|locked| locked.is_beside && locked.is_continued)
    }

    /// Puts a rebuilt store in its place. Clones of its index can't be used any more.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let Some(locked) = self.folder.as_mut().filter(|locked| locked.is_beside) else {
            return Ok(());
        };
        close(&mut self.open);
        locked.folder.replace()?;
        self.open.index = folder_index(locked.folder.open_to_write()?);
        locked.is_beside = false;
        Ok(())
    }

    /// Removes a store that would have replaced another. Clones of its index can't be used any more.
    pub(crate) fn discard(&mut self) -> Result<()> {
        let Some(locked) = self.folder.as_ref().filter(|locked| locked.is_beside) else {
            return Ok(());
        };
        close(&mut self.open);
        locked.folder.remove_next()
    }
}

/// Closes the files of a store.
fn close(open: &mut OpenStore) {
    open.index = folder_index(InMemoryVectorStore::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_path_or_a_file_uri() {
        let location = |uri| StoreLocation::from_uri(uri).unwrap().to_string();
        for uri in ["a/b", "file:a/b", "file://a/b", "FILE:a/b"] {
            assert_eq!(location(uri), "a/b", "{uri}");
        }
        assert_eq!(location("file:///a/b"), "/a/b");
        assert_eq!(location("C:\\a"), "C:\\a");
    }

    #[test]
    fn only_known_schemes_need_no_slashes() {
        assert!(StoreLocation::from_uri("redis://localhost:6379").is_err());
        assert!(StoreLocation::from_uri("file:").is_err());
        for uri in ["qdrant:key@host/docs", "Qdrant:key@host/docs"] {
            let error = StoreLocation::from_uri(uri).unwrap_err().to_string();
            assert!(error.starts_with("after `qdrant:` two slashes are missing"), "{error}");
        }
        for file in ["file:qdrant:docs", "file://qdrant:docs"] {
            assert_eq!(StoreLocation::from_uri(file).unwrap().to_string(), "qdrant:docs");
        }
        assert_eq!(StoreLocation::from_uri("redis:docs").unwrap().to_string(), "redis:docs");
    }

    #[cfg(feature = "stores")]
    #[test]
    fn schemes_are_case_insensitive() {
        let location = StoreLocation::from_uri("QDRANTS://q.example/Docs").unwrap();
        assert_eq!(location.to_string(), "qdrants://q.example/Docs");
    }
}
