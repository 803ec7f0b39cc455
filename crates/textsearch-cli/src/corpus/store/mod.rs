//! Where documents are stored. Only this module knows the kinds of stores.

// For addresses with HOST:PORT/NAME.
#[cfg(feature = "stores")]
mod address;
#[cfg(feature = "stores")]
mod azure_search;
#[cfg(feature = "stores")]
mod chroma;
mod file;
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
use textsearch_documents::{EmbeddingCache, ingest::DocumentIndex};
use textsearch_vector_inmemory::InMemoryVectorStore;

pub(crate) use self::names::{ANY_PLACE, DOCUMENTS, filling, rebuilding};
use self::{file::StoreFile, names::CATALOG, server_location::ServerLocation};
use crate::{arguments::DEFAULT_STORE, errors::usage, files};

/// The location of a store, which may not exist yet.
#[derive(Debug)]
pub(crate) enum StoreLocation {
    File(StoreFile),
    Server(Box<dyn ServerLocation>),
}

#[derive(Clone)]
pub(crate) struct OpenStore {
    pub(crate) index: DocumentIndex,
    pub(crate) location: String,
    /// Whether the store is on a server, whose collections may not exist yet.
    pub(crate) on_server: bool,
}

/// A store open for writing. Only a file is locked against other writers.
pub(crate) struct Writing {
    open: OpenStore,
    replaced: Option<DocumentIndex>,
    file: Option<LockedFile>,
}

/// A store in memory and its file, locked against other writers until it is dropped.
pub(crate) struct LockedFile {
    file: StoreFile,
    store: InMemoryVectorStore,
    is_new: bool,
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
            return Err(usage(format!("`{uri}` names no file: try --store {DEFAULT_STORE}")));
        }
        Ok(Self::File(StoreFile::new(path)))
    }

    /// Returns `None` for a server.
    pub(crate) fn file_path(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file.path()),
            Self::Server(_) => None,
        }
    }

    /// Opens the store. Fails if a file doesn't exist; a collection on a server may be missing.
    pub(crate) async fn open(&self) -> Result<OpenStore> {
        match self {
            Self::File(file) => Ok(self.open_file(file.open()?)),
            Self::Server(location) => open_server(location.as_ref()).await,
        }
    }

    fn open_file(&self, store: InMemoryVectorStore) -> OpenStore {
        let index = index_in_file(store);
        OpenStore { index, location: self.to_string(), on_server: false }
    }

    /// Opens the store for writing, or creates it. If `rebuilt`, a file gets a new store, and the
    /// old one stays until [`Writing::save`]. Nothing changes on a server yet.
    pub(crate) async fn open_to_write(&self, rebuilt: bool) -> Result<Writing> {
        match self {
            Self::File(file) => {
                let lock = file.lock()?;
                let replaced = if rebuilt { file.open_to_replace()? } else { None };
                let replaced = replaced.map(index_in_file);
                let is_new = rebuilt || !file.exists();
                let store = if is_new { InMemoryVectorStore::new() } else { file.open()? };
                let open = self.open_file(store.clone());
                let file = LockedFile { file: file.clone(), store, is_new, _lock: lock };
                Ok(Writing { open, replaced, file: Some(file) })
            }
            Self::Server(location) => {
                let open = open_server(location.as_ref()).await?;
                Ok(Writing { open, replaced: None, file: None })
            }
        }
    }
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => file.path().display().fmt(formatter),
            Self::Server(location) => location.fmt(formatter),
        }
    }
}

async fn open_server(location: &dyn ServerLocation) -> Result<OpenStore> {
    let index = location.open().await?;
    Ok(OpenStore { index, location: location.to_string(), on_server: true })
}

fn index_in_file(store: InMemoryVectorStore) -> DocumentIndex {
    DocumentIndex::new(store, DOCUMENTS).with_catalog_name(CATALOG).with_exclusive_store(true)
}

impl Writing {
    pub(crate) fn store(&self) -> &OpenStore {
        &self.open
    }

    /// Takes the store that a rebuild replaces, if its file can be opened.
    pub(crate) fn take_replaced(&mut self) -> Option<DocumentIndex> {
        self.replaced.take()
    }

    /// Writes the file if it is new or `is_changed`; a server has stored every change already. If
    /// writing fails, the old file stays unchanged.
    pub(crate) fn save(&mut self, is_changed: bool) -> Result<()> {
        if let Some(LockedFile { file, store, is_new, .. }) = &mut self.file
            && (*is_new || is_changed)
        {
            file.save(store)?;
            *is_new = false;
        }
        // The store has them now. If removal fails, the next run removes them.
        if let Some(path) = self.embeddings_path()
            && let Err(error) = EmbeddingCache::remove(&path)
        {
            tracing::debug!(%error, "embeddings are kept that the store has");
        }
        Ok(())
    }

    /// Returns the file to save after each write; `None` for a server, which stores every write.
    pub(crate) fn into_file(self) -> Option<LockedFile> {
        self.file
    }

    /// Returns where embeddings are kept until the store is written; `None` for a server, which
    /// stores them at once.
    pub(crate) fn embeddings_path(&self) -> Option<PathBuf> {
        self.file.as_ref().map(|file| files::beside(file.file.path(), ".embeddings"))
    }

    /// Returns the file with the embeddings of a failed run, if any.
    pub(crate) fn embedding_cache(&self) -> Option<PathBuf> {
        self.embeddings_path().filter(|path| EmbeddingCache::exists(path))
    }
}

impl LockedFile {
    /// Replaces the file by the store as it is now.
    pub(crate) async fn save(&self) -> textsearch_core::Result<()> {
        let path = self.file.path().to_owned();
        let store = self.store.clone();
        let saved = tokio::task::spawn_blocking(move || store.save_to_file(path)).await;
        saved.unwrap_or_else(|error| {
            let kind = textsearch_core::ErrorKind::Backend;
            let message = "the store could not be saved";
            Err(textsearch_core::Error::new(kind, "inmemory", message).with_source(error))
        })
    }
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
