//! The file that a run is saved to.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
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

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn read(&self) -> Result<PlanState> {
        let text = files::read(&self.path, "--state")?;
        serde_json::from_str(&text).map_err(|error| {
            anyhow!("`{}` is no saved run: {error}: try another --state", self.path.display())
        })
    }

    /// Replaces the file. A crash leaves the old one.
    pub(super) fn write(&self, state: &PlanState) -> Result<()> {
        let write = || {
            let mut next = self.path.clone().into_os_string();
            next.push(".tmp");
            // A crash left it behind, or somebody made it to read the results.
            let _gone = fs::remove_file(&next);
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            // Results may be confidential.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&next)?;
            file.write_all(&serde_json::to_vec(state)?)?;
            file.sync_all()?;
            fs::rename(&next, &self.path)
        };
        write().with_context(|| format!("--state `{}` cannot be written", self.path.display()))
    }
}
