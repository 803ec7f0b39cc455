//! Finds the files to ingest.

mod kinds;
mod path;
mod walk;

use std::{
    env, fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(super) use self::path::Scope;
use self::path::{name_of, without_detours};
pub use self::walk::FileWalker;
use super::error::RecordError;
use crate::{DocumentFormat, ExternalLoader, NotText};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceFile {
    pub(super) location: PathBuf,
    /// Its name in the store and in links, with `/` between the parts.
    pub(super) path: String,
    pub(super) kind: FileKind,
    /// Converts it to text, if set.
    pub(super) loader: Option<Arc<ExternalLoader>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Text(DocumentFormat),
    JsonLines,
}

impl FileKind {
    /// Takes lower case. Returns `None` for an unknown extension.
    fn of(extension: &str) -> Option<Self> {
        match extension {
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => DocumentFormat::from_extension(extension).map(Self::Text),
        }
    }

    /// Returns `None` for a file of records.
    pub(super) fn format(self) -> Option<DocumentFormat> {
        match self {
            Self::Text(format) => Some(format),
            Self::JsonLines => None,
        }
    }
}

/// A file or folder that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// Why it was left out.
    pub reason: SkipReason,
}

/// Why a file or folder was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It can't be read or stored. Holds the error in one line.
    Failed(String),
    /// A line of JSON Lines isn't a record.
    Record {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: RecordError,
    },
    /// It holds something other than text.
    NotText(NotText),
    /// Nothing reads files with this extension, which is in lower case without its dot, or empty.
    /// Configure it on a [`FileWalker`].
    UnknownExtension(String),
    /// Files with this extension aren't documents: images, audio, archives, programs.
    NotADocument(String),
    /// It is a symbolic link in a folder. Links aren't followed: they may lead out of the folder.
    Link,
}

impl SkipReason {
    /// Returns whether reading or storing the file failed. Other files were left out unread.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Record { .. } | Self::NotText(_))
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(message) => formatter.write_str(message),
            Self::Record { line, reason } => write!(formatter, "line {line}: {reason}"),
            Self::NotText(reason) => reason.fmt(formatter),
            Self::UnknownExtension(extension) if extension.is_empty() => {
                formatter.write_str("its name has no ending that says how to read it")
            }
            Self::UnknownExtension(extension) => {
                write!(formatter, "files with the ending .{extension} are not read")
            }
            Self::NotADocument(extension) => {
                write!(formatter, "files with the ending .{extension} are not documents")
            }
            Self::Link => formatter.write_str("links in folders are not followed"),
        }
    }
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
