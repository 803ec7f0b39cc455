//! Finds the files to ingest.

mod path;
mod walk;

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(super) use self::path::Scope;
use self::path::{name_of, without_detours};
pub use self::walk::FileWalker;
use super::skipped::{SkipReason, Skipped};
use crate::{ExternalLoader, Reader};

#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    pub(super) location: PathBuf,
    /// Its name in the store and in links, with `/` between the parts.
    pub(super) path: String,
    pub(super) kind: FileKind,
}

/// How a file is read.
#[derive(Debug, Clone)]
pub(super) enum FileKind {
    /// By the crate's readers.
    Document,
    Reader(Arc<dyn Reader>),
    Loader(Arc<ExternalLoader>),
    JsonLines,
}

/// The files that a [`FileWalker`] found.
#[derive(Debug, Clone, Default)]
pub struct FoundFiles {
    /// In the order of the paths, then of the names; each once.
    pub(super) files: Vec<SourceFile>,
    /// The paths that were walked.
    pub(super) scopes: Vec<Scope>,
    pub(super) skipped: Vec<Skipped>,
}

impl FoundFiles {
    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the paths of the files, as in the documents.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// Returns the files and folders that were left out.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Doesn't report the file at `path` as skipped, nor files whose names add an extension to it.
    /// Use it for a store inside the folder that it indexes.
    #[must_use]
    pub fn without_store(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let path = without_detours(path).unwrap_or_else(|_| path.to_owned());
        let store = env::current_dir().ok().and_then(|folder| name_of(&path, &folder).ok());
        if let Some(store) = store {
            self.skipped.retain(|skipped| {
                let rest = skipped.path.strip_prefix(&store);
                let is_of_store = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
                matches!(skipped.reason, SkipReason::Failed(_)) || !is_of_store
            });
        }
        self
    }
}
