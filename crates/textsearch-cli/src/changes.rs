//! Waits for changes of files and folders.

use std::{
    path::{self, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, Result};
use notify::{
    Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

/// After the last change: programs write a file in several steps.
const QUIET: Duration = Duration::from_secs(1);

/// While changes go on.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Changes at and below some paths, from the start on. It says that something changed; a walk of the paths
/// finds out what.
pub(crate) struct Changes {
    watcher: RecommendedWatcher,
    paths: Vec<PathBuf>,
    roots: Roots,
    changed: Arc<Notify>,
}

/// The paths, and what they lead to.
type Roots = Arc<Mutex<Vec<PathBuf>>>;

impl Changes {
    /// Fails if the system can't watch so many folders.
    pub(crate) fn below(paths: &[PathBuf]) -> Result<Self> {
        let absolute = paths.iter().map(path::absolute).collect::<Result<Vec<_>, _>>();
        let paths = absolute.context("the working folder cannot be read")?;
        let roots = Roots::default();
        let changed = Arc::new(Notify::new());
        let handler = handler(Arc::clone(&roots), Arc::clone(&changed));
        // Links in folders aren't followed when files are read either.
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(handler, config).map_err(|error| explain(&error))?;
        let mut changes = Self { watcher, paths, roots, changed };
        changes.watch()?;
        Ok(changes)
    }

    /// Waits for a change and a second of quiet after it, but at most ten seconds.
    pub(crate) async fn settled(&mut self) -> Result<()> {
        self.changed.notified().await;
        let start = Instant::now();
        while timeout(QUIET, self.changed.notified()).await.is_ok() {
            if start.elapsed() > MAX_DELAY {
                // What was written last may be half-written, and waits for the next round.
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
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = roots;
        let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            real.iter().partition(|path| path.is_dir());
        // A parent tells when what is in it is replaced. Folders come last, or one that is a parent, too,
        // would lose its own folders.
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

/// Notifies of changes at and below the roots, whose parents hold other files, too.
fn handler(roots: Roots, changed: Arc<Notify>) -> impl Fn(notify::Result<Event>) + Send + 'static {
    move |event| {
        let is_change = event.is_ok_and(|event| {
            let roots = roots.lock().unwrap_or_else(PoisonError::into_inner);
            let is_below = |path: &PathBuf| roots.iter().any(|root| path.starts_with(root));
            let is_below = event.need_rescan() || event.paths.iter().any(is_below);
            // Reading a file is an event, too.
            is_below && !matches!(event.kind, EventKind::Access(_))
        });
        if is_change {
            changed.notify_one();
        }
    }
}

fn explain(error: &notify::Error) -> anyhow::Error {
    let advice = match error.kind {
        ErrorKind::MaxFilesWatch => ": try a larger fs.inotify.max_user_watches, or fewer folders",
        _ => "",
    };
    anyhow::anyhow!("the paths cannot be watched: {error}{advice}")
}
