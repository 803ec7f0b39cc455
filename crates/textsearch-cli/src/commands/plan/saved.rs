//! The file that a run is saved to.

use std::{
    fs::{self, File, OpenOptions},
    hash::{BuildHasher as _, RandomState},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow};
use textsearch_plan::PlanState;

use crate::files;

#[derive(Debug, Clone)]
pub(super) struct SavedRun {
    path: PathBuf,
}

impl SavedRun {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Locks the file until the returned file is dropped.
    pub(super) fn lock(&self) -> Result<File> {
        let path = self.path.display();
        let lock = files::lock(&self.path)
            .with_context(|| format!("--state `{path}` cannot be written"))?;
        lock.with_context(|| {
            format!("another run uses --state `{path}`: try again when it is done, or another file")
        })
    }

    pub(super) fn read(&self) -> Result<PlanState> {
        let text = files::read(&self.path, "--state")?;
        serde_json::from_str(&text).map_err(|error| {
            anyhow!("`{}` is no saved run: {error}: try another --state", self.path.display())
        })
    }

    /// Replaces the file. A crash leaves the old one.
    pub(super) fn write(&self, state: &PlanState) -> Result<()> {
        let written = serde_json::to_vec(state).map_err(Into::into);
        let written = written.and_then(|state| self.replace(&state));
        written.with_context(|| format!("--state `{}` cannot be written", self.path.display()))
    }

    fn replace(&self, state: &[u8]) -> io::Result<()> {
        // A user's file could have a fixed name.
        let random = RandomState::new().hash_one(());
        let next = files::beside(&self.path, &format!(".{random:016x}.tmp"));
        let mut file = options().create_new(true).open(&next)?;
        let written = file.write_all(state).and_then(|()| file.sync_all());
        let replaced = written.and_then(|()| fs::rename(&next, &self.path));
        if replaced.is_err() {
            let _gone = fs::remove_file(&next);
        }
        #[cfg(unix)]
        self.sync_folder();
        replaced
    }

    /// Keeps a power failure from undoing the replacement, where folders can be synced.
    #[cfg(unix)]
    fn sync_folder(&self) {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new(".")));
        let _synced = folder.and_then(|folder| folder.sync_all());
    }

    /// How to continue the run, or `None` if nothing was saved.
    pub(super) fn advice(&self) -> Option<String> {
        let path = self.path.exists().then(|| self.path.display())?;
        Some(format!(
            "to go on, try --state {path} without a goal and --plan: what finished isn't run again"
        ))
    }
}

/// Results may be confidential: only the owner reads the file.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
