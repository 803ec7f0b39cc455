//! Waits for changes of files and folders, and reads what changed.

use std::{
    path::{self, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, Result};
use notify::{
    Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
};
use textsearch_documents::ingest::{IngestReport, SkipReason, Skipped, SourceFiles};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use crate::{
    corpus::{
        store::{NEXT, OLD},
        warn_of,
    },
    errors::{self, Interrupted},
    files, messages,
};

/// After the last change: programs write a file in several steps.
const QUIET: Duration = Duration::from_secs(1);

/// While changes go on.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// After a round that failed, perhaps because a server is away.
const RETRY_PAUSE: Duration = Duration::from_secs(30);

/// Files that are read again after each change.
pub(crate) struct Rounds {
    changes: Changes,
    files: SourceFiles,
    report: IngestReport,
    /// Of the last round.
    failure: Option<String>,
}

impl Rounds {
    /// `files` and `report` are of the first round.
    pub(crate) fn new(changes: Changes, files: SourceFiles, report: IngestReport) -> Self {
        Self { changes, files, report, failure: None }
    }

    /// Waits for a change; after a round that failed, at most 30 s.
    pub(crate) async fn settled(&mut self) -> Result<()> {
        let pause = if self.failure.is_some() { RETRY_PAUSE } else { Duration::MAX };
        timeout(pause, self.changes.settled()).await.unwrap_or(Ok(()))
    }

    /// Reads the files that changed with `ingest`, and returns its report if it has news. A failure is a message.
    /// Fails only after an interruption.
    pub(crate) async fn update<F>(
        &mut self,
        walked: Result<SourceFiles>,
        ingest: impl FnOnce(SourceFiles) -> F,
    ) -> Result<Option<IngestReport>>
    where
        F: Future<Output = Result<IngestReport>>,
    {
        match self.try_update(walked, ingest).await {
            Ok(report) => {
                self.failure = None;
                Ok(report)
            }
            Err(error) if error.is::<Interrupted>() => Err(error),
            Err(error) => {
                let message = errors::one_line(&error);
                if self.failure.as_ref() != Some(&message) {
                    messages::say(&format!(
                        "{message}: the next try is after a change, or in 30 s"
                    ));
                }
                self.failure = Some(message);
                Ok(None)
            }
        }
    }

    async fn try_update<F>(
        &mut self,
        walked: Result<SourceFiles>,
        ingest: impl FnOnce(SourceFiles) -> F,
    ) -> Result<Option<IngestReport>>
    where
        F: Future<Output = Result<IngestReport>>,
    {
        let walked = walked?;
        let Some(changed) = walked.changed_since(&self.files, &self.report) else {
            return Ok(None);
        };
        let report = ingest(changed).await?;
        let failed = report.failed().filter(|failed| is_news(failed, &self.report));
        let failed: Vec<Skipped> = failed.cloned().collect();
        warn_of(&failed);
        self.files = walked;
        self.report = report.clone();
        Ok(Some(report).filter(|report| report.is_changed() || !failed.is_empty()))
    }
}

/// The next round reads a changing file without a word.
fn is_news(failed: &Skipped, before: &IngestReport) -> bool {
    failed.reason != SkipReason::Changing && !before.skipped.contains(failed)
}

/// Changes at and below some paths, from the start on. It says that something changed; a walk of the paths
/// finds out what.
pub(crate) struct Changes {
    watcher: RecommendedWatcher,
    paths: Vec<PathBuf>,
    store: Option<PathBuf>,
    watched: Arc<Mutex<Watched>>,
    changed: Arc<Notify>,
}

#[derive(Default)]
struct Watched {
    /// The paths, and the targets of links among them.
    roots: Vec<PathBuf>,
    /// The folder of the store, and its target if it is a link. Each round may write into it.
    store: Vec<PathBuf>,
}

impl Changes {
    /// Starts to watch, without the store's files. Fails if the system can't watch so many folders.
    pub(crate) fn below(paths: &[PathBuf], store: Option<&Path>) -> Result<Self> {
        const UNKNOWN_FOLDER: &str = "the working folder cannot be read";

        let absolute = paths.iter().map(path::absolute).collect::<Result<Vec<_>, _>>();
        let paths = absolute.context(UNKNOWN_FOLDER)?;
        let store = store.map(path::absolute).transpose().context(UNKNOWN_FOLDER)?;
        let watched = Arc::default();
        let changed = Arc::new(Notify::new());
        let handler = handler(Arc::clone(&watched), Arc::clone(&changed));
        // Links in folders aren't followed when files are read either.
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(handler, config).map_err(|error| explain(&error))?;
        let mut changes = Self { watcher, paths, store, watched, changed };
        changes.watch()?;
        Ok(changes)
    }

    /// Waits for a change and a second of quiet after it, but at most ten seconds.
    pub(crate) async fn settled(&mut self) -> Result<()> {
        self.changed.notified().await;
        let start = Instant::now();
        while timeout(QUIET, self.changed.notified()).await.is_ok() {
            if start.elapsed() > MAX_DELAY {
                // The last file may be half-written: read it in the next round.
                self.changed.notify_one();
                break;
            }
        }
        // A path may lead to another folder now.
        self.watch()
    }

    fn watch(&mut self) -> Result<()> {
        let real: Vec<_> = self.paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let roots = self.paths.iter().chain(&real).cloned().collect();
        let store = self.store.iter().flat_map(|store| [Some(store.clone()), real_file(store)]);
        let watched = Watched { roots, store: store.flatten().collect() };
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = watched;
        let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            real.iter().partition(|path| path.is_dir());
        // The parent of a file reports when the file is replaced. Folders come last: watching a folder
        // again as a parent would stop watching the folders in it.
        let parents = self.paths.iter().chain(files).filter_map(|path| path.parent());
        let parents = parents.map(|parent| (parent, RecursiveMode::NonRecursive));
        let folders =
            folders.into_iter().map(|folder| (folder.as_path(), RecursiveMode::Recursive));
        for (path, mode) in parents.chain(folders) {
            match self.watcher.watch(path, mode) {
                // The walk of the paths reports it.
                Err(error) if !matches!(error.kind, ErrorKind::MaxFilesWatch) => {
                    tracing::debug!(%error, "a folder cannot be watched");
                }
                result => result.map_err(|error| explain(&error))?,
            }
        }
        Ok(())
    }
}

/// Resolves the links in the path of a file, even if its folder has no such file yet.
fn real_file(path: &Path) -> Option<PathBuf> {
    path.canonicalize()
        .ok()
        .or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
}

/// Notifies of changes that count.
fn handler(
    watched: Arc<Mutex<Watched>>,
    changed: Arc<Notify>,
) -> impl Fn(notify::Result<Event>) + Send + 'static {
    move |event| {
        let is_change = event.is_ok_and(|event| {
            let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
            let counts = event.need_rescan() || event.paths.iter().any(|path| watched.counts(path));
            // Reading a file is an event, too.
            counts && !matches!(event.kind, EventKind::Access(_))
        });
        if is_change {
            changed.notify_one();
        }
    }
}

impl Watched {
    /// The parents of the roots hold other files, too.
    fn counts(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root)) && !self.is_of_store(path)
    }

    /// Returns whether the path is in the store's folder, its lock, or a folder of a replacement.
    fn is_of_store(&self, path: &Path) -> bool {
        let endings = ["", ".lock", NEXT, OLD];
        let is_of = |store: &PathBuf| {
            endings.iter().any(|ending| path.starts_with(files::beside(store, ending)))
        };
        self.store.iter().any(is_of)
    }
}

fn explain(error: &notify::Error) -> anyhow::Error {
    let advice = match error.kind {
        ErrorKind::MaxFilesWatch => ": try a larger fs.inotify.max_user_watches, or fewer folders",
        _ => "",
    };
    anyhow::anyhow!("the paths cannot be watched: {error}{advice}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn files_of_the_store_are_no_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let store = path("kept");
        fs::create_dir(&store).unwrap();
        let store = store.join("index");
        let root = folder.path().to_owned();
        let mut changes = Changes::below(&[root], Some(&store)).unwrap();
        for ending in ["", ".lock"] {
            fs::write(crate::files::beside(&store, ending), "x").unwrap();
        }
        let wait = Duration::from_millis(300);
        assert!(timeout(wait, changes.changed.notified()).await.is_err());
        fs::write(path("a.md"), "Apples").unwrap();
        timeout(Duration::from_secs(30), changes.settled()).await.unwrap().unwrap();
    }

    #[test]
    fn documents_with_names_like_the_store_count() {
        let watched = Watched { roots: vec!["/docs".into()], store: vec!["/docs/notes".into()] };
        let counting = ["a.md", "notes.md", "notes2", "sub/notes", "sub/notes.lock"];
        let own = [
            "notes",
            "notes.lock",
            "notes/lock",
            "notes/collection-a/log",
            "notes.textsearch-new/lock",
        ];
        for name in counting {
            assert!(watched.counts(&Path::new("/docs").join(name)), "{name}");
        }
        for name in own {
            assert!(!watched.counts(&Path::new("/docs").join(name)), "{name}");
        }
        assert!(!watched.counts(Path::new("/other/a.md")));
    }
}
