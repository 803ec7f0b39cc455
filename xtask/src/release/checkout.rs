//! A checkout of this repository, in which a release works.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use cargo_metadata::semver::Version;

use super::family::{Family, Member};
use crate::{metadata, shell};

/// Commands run in its root, with its environment.
#[derive(Debug)]
pub(crate) struct Checkout {
    root: PathBuf,
    environment: Vec<(&'static str, String)>,
}

impl Checkout {
    /// This workspace, with the environment of the user.
    pub(crate) fn here() -> Self {
        Self { root: shell::root(), environment: Vec::new() }
    }

    pub(crate) fn new(root: PathBuf, environment: Vec<(&'static str, String)>) -> Self {
        Self { root, environment }
    }

    pub(crate) fn cargo(&self, words: &str) -> Command {
        self.set_up(shell::cargo(words))
    }

    pub(crate) fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("git");
        command.args(arguments);
        self.set_up(command)
    }

    fn set_up(&self, mut command: Command) -> Command {
        command.current_dir(&self.root).envs(self.environment.iter().cloned());
        command
    }

    /// Returns the published crates, each after those that it depends on.
    pub(crate) fn family(&self) -> Result<Family> {
        let packages = metadata::packages_of(&self.root, &self.environment)?;
        let published = packages.into_iter().filter(|package| package.publish.is_none());
        let members = published.map(|package| {
            let released = self.last_release(&package.name)?;
            let changelog = self.read(&package.file("CHANGELOG.md"))?;
            Ok(Member { package, released, changelog })
        });
        Family::new(members.collect::<Result<_>>()?)
    }

    /// Returns the version of the newest tag `NAME-vVERSION` that the current commit includes.
    pub(crate) fn last_release(&self, name: &str) -> Result<Option<Version>> {
        let pattern = format!("{name}-v*");
        let tags = shell::read(&mut self.git(["tag", "--merged", "HEAD", "--list", &pattern]))?;
        let prefix = format!("{name}-v");
        let versions = tags.lines().filter_map(|line| line.strip_prefix(&prefix));
        Ok(versions.filter_map(|version| Version::parse(version).ok()).max())
    }

    /// Returns the files in `folder` that changed since `tag`, without tests and benchmarks.
    pub(crate) fn changed_files(&self, folder: &str, tag: &str) -> Result<Vec<String>> {
        let files = shell::read(&mut self.git(["diff", "--name-only", tag, "--", folder]))?;
        let is_published = |file: &&str| {
            let path = file.strip_prefix(folder).unwrap_or(file);
            !["/tests/", "/benches/"].iter().any(|tests| path.starts_with(tests))
        };
        Ok(files.lines().filter(is_published).map(str::to_owned).collect())
    }

    /// # Errors
    /// If files are changed or not tracked: a release must be a commit.
    pub(crate) fn require_clean(&self) -> Result<()> {
        let changes = shell::read(&mut self.git(["status", "--porcelain"]))?;
        if !changes.is_empty() {
            bail!(
                "release: the working tree has changes; commit or stash them first:\n{}",
                changes.trim_end()
            );
        }
        Ok(())
    }

    /// `path` is relative to the root.
    pub(crate) fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.path(path)).with_context(|| format!("{path} cannot be read"))
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }
}

/// The tag of a release.
pub(crate) fn tag(name: &str, version: &Version) -> String {
    format!("{name}-v{version}")
}
