//! Finds the files to ingest.

mod path;
mod stamp;
mod walk;

use std::{
    collections::{HashMap, HashSet},
    env,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

pub(super) use self::path::Scope;
use self::path::{name_of, without_detours};
pub(super) use self::stamp::Stamp;
pub use self::walk::FileWalker;
use super::{
    report::IngestReport,
    skipped::{SkipReason, Skipped},
};
use crate::{ExternalLoader, Reader};

/// Changed and deleted files up to which an update reads only these.
const MAX_CHANGED_FILES: usize = 256;

/// A file that was written so recently may be half-written.
const SETTLED: Duration = Duration::from_millis(500);

/// File systems round the time of a write, by up to two seconds.
const TIME_RESOLUTION: Duration = Duration::from_secs(2);

#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    pub(super) location: PathBuf,
    /// Its name in the store and in links, with `/` between the parts.
    pub(super) path: String,
    pub(super) kind: FileKind,
    /// At the time of the walk.
    pub(super) stamp: Stamp,
}

/// How a file is read.
#[derive(Debug, Clone)]
pub(super) enum FileKind {
    /// By the crate's readers.
    Document,
    Reader(Arc<dyn Reader>),
    Loader(Arc<ExternalLoader>),
    #[cfg(feature = "http")]
    HttpLoader(Arc<crate::HttpLoader>),
    JsonLines,
    /// Rows with this delimiter, each a record.
    #[cfg(feature = "csv")]
    Rows(u8),
}

impl FileKind {
    /// Returns whether the file holds records.
    pub(super) fn is_records(&self) -> bool {
        match self {
            #[cfg(feature = "csv")]
            Self::Rows(_) => true,
            Self::JsonLines => true,
            _ => false,
        }
    }
}

/// The files that a [`FileWalker`] found, or the pages of a site.
#[derive(Debug, Clone, Default)]
pub struct SourceFiles {
    /// In the order of the paths, then of the names; each once.
    pub(super) files: Vec<SourceFile>,
    /// The paths that were walked.
    pub(super) scopes: Vec<Scope>,
    pub(super) skipped: Vec<Skipped>,
    /// When the walk began.
    pub(super) time: Option<SystemTime>,
}

impl SourceFiles {
    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the size of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.stamp.bytes).sum()
    }

    /// Returns the paths of the files, as in the documents.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// Adds what another walk found.
    #[must_use]
    pub fn merged_with(mut self, other: Self) -> Self {
        self.files.extend(other.files);
        self.scopes.extend(other.scopes);
        self.skipped.extend(other.skipped);
        let mut seen = HashSet::new();
        self.files.retain(|file| seen.insert(file.path.clone()));
        // The earlier one, so that no change is missed.
        self.time = self.time.into_iter().chain(other.time).min();
        self
    }

    /// Returns only what changed since `earlier`, a walk of the same paths: new and deleted files, and files
    /// whose size or time differs. This walk may leave out a path that was deleted. An update then reads these
    /// files alone. Returns `None` if nothing changed.
    ///
    /// `report` is of the last update: files that failed are read again, because the cause may be a
    /// server. Files written within the last half second may be half-written, so they are left to the next
    /// call. After many changes, returns all files.
    ///
    /// ```
    /// use textsearch_documents::ingest::{FileWalker, IngestReport};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("a.md");
    /// # std::fs::write(&path, "Apples")?;
    /// # std::fs::File::options().write(true).open(&path)?.set_modified(std::time::UNIX_EPOCH)?;
    /// let before = FileWalker::new().walk(&[&folder])?;
    /// let after = FileWalker::new().walk(&[&folder])?;
    /// assert_eq!(after.len(), 1);
    /// assert!(after.changed_since(&before, &IngestReport::default()).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn changed_since(&self, earlier: &Self, report: &IngestReport) -> Option<Self> {
        let failed = report.skipped.iter().filter(|skipped| skipped.reason.may_pass());
        let failed: HashSet<&str> = failed.map(|skipped| skipped.path.as_str()).collect();
        let stamps = earlier.files.iter().map(|file| (file.path.as_str(), file.stamp));
        let mut stamps: HashMap<&str, Stamp> = stamps.collect();
        let mut changed = Vec::new();
        for file in &self.files {
            let before = stamps.remove(file.path.as_str());
            // A write right after the earlier walk may have left the same time and size.
            let is_same = before == Some(file.stamp)
                && !file.stamp.is_newer_than(TIME_RESOLUTION, earlier.time)
                && !failed.contains(file.path.as_str());
            if !is_same && !file.stamp.is_newer_than(SETTLED, self.time) {
                changed.push(file.clone());
            }
        }
        if changed.len() + stamps.len() > MAX_CHANGED_FILES {
            let mut all = self.clone();
            // A path that was deleted since has no scope in this walk.
            all.scopes.extend(earlier.scopes.iter().cloned());
            return Some(all);
        }
        let changed_paths = changed.iter().map(|file| file.path.as_str());
        let scopes = changed_paths.chain(stamps.into_keys());
        let scopes: Vec<Scope> = scopes.map(|path| Scope::File(path.to_owned())).collect();
        let skipped = self.skipped.clone();
        let changed = Self { files: changed, scopes, skipped, time: self.time };
        Some(changed).filter(|changed| !changed.scopes.is_empty())
    }

    /// Returns the files and folders that were left out.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Leaves out the store at `path`, a file or a folder, and the files beside it whose names add an
    /// extension and that are no documents. Use it for a store inside the folder that it indexes. A
    /// store in a folder has a `.gitignore` file, by which every walk leaves it out. Leaves out empty
    /// files `*.lock`, too.
    #[must_use]
    pub fn without_store(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let store = env::current_dir().ok().and_then(|folder| {
            let path = without_detours(path, &folder).unwrap_or_else(|_| path.to_owned());
            name_of(&path, &folder).ok()
        });
        if let Some(store) = store {
            self.skipped.retain(|skipped| {
                let rest = skipped.path.strip_prefix(&store);
                let is_of_store = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
                matches!(skipped.reason, SkipReason::Failed(_)) || !is_of_store
            });
            // Another program may write a lock, such as `Cargo.lock`.
            let is_lock = |file: &SourceFile| file.path.ends_with(".lock") && file.stamp.bytes == 0;
            self.files.retain(|file| !is_lock(file));
        }
        self
    }
}
