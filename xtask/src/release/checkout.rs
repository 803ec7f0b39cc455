//! A clone of this repository, and the commands that run in it.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use cargo_metadata::semver::Version;

use super::changelog::Changelog;
use super::state::{Member, State};
use crate::{metadata, shell};

/// Commands run in its root.
#[derive(Debug)]
pub(crate) struct Checkout(PathBuf);

impl Checkout {
    /// This workspace.
    pub(crate) fn here() -> Self {
        Self(shell::root())
    }

    pub(crate) fn cargo(&self, words: &str) -> Command {
        let mut command = shell::cargo(words);
        command.current_dir(&self.0);
        command
    }

    pub(crate) fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.0);
        command
    }

    pub(crate) fn state(&self) -> Result<State> {
        let packages = metadata::packages_of(&self.0)?;
        let published = packages.into_iter().filter(|package| package.publish.is_none());
        let members = published.map(|package| {
            let path = package.file("CHANGELOG.md");
            let changelog = Changelog::parse(&self.read(&path)?);
            let changelog = changelog.with_context(|| format!("release: {path}"))?;
            Ok(Member { package, changelog })
        });
        let members = members.collect::<Result<Vec<_>>>()?;
        let version = members.first().context("release: no crate is published")?;
        let version = version.package.version.clone();
        Ok(State { members, version, released: self.last_release()? })
    }

    /// Returns the version of the newest tag `vVERSION` that the current commit includes.
    pub(crate) fn last_release(&self) -> Result<Option<Version>> {
        let tags = shell::read(&mut self.git(["tag", "--merged", "HEAD", "--list", "v*"]))?;
        let versions = tags.lines().filter_map(|line| line.strip_prefix('v'));
        Ok(versions.filter_map(|version| Version::parse(version).ok()).max())
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

    /// # Errors
    /// If the current commit is not on the `main` of the repository that the manifest names: users
    /// find no source for such a release.
    pub(crate) fn require_pushed(&self) -> Result<()> {
        let manifest: toml::Table =
            self.read("Cargo.toml")?.parse().context("the root Cargo.toml is not TOML")?;
        let package = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
        let repository = package.and_then(|package| package.get("repository")?.as_str());
        let repository = repository.context("the root Cargo.toml names no repository")?;
        shell::read(&mut self.git(["fetch", "--quiet", "--tags", repository, "main"]))?;
        let mut is_ancestor = self.git(["merge-base", "--is-ancestor", "HEAD", "FETCH_HEAD"]);
        if !is_ancestor.status()?.success() {
            bail!(
                "release: the current commit is not on the main of {repository}; merge and push it first: \
                 git push origin main"
            );
        }
        Ok(())
    }

    /// `path` is relative to the root.
    pub(crate) fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.path(path)).with_context(|| format!("{path} cannot be read"))
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.0.join(path)
    }
}

/// The tag of a release.
pub(crate) fn tag(version: &Version) -> String {
    format!("v{version}")
}

#[cfg(test)]
pub(crate) mod tests {
    use tempfile::TempDir;

    use super::*;

    /// With one commit of `crates/a/src/lib.rs`.
    pub(crate) fn repository() -> (TempDir, Checkout) {
        let folder = TempDir::new().unwrap();
        let checkout = Checkout(folder.path().to_path_buf());
        git(&checkout, "init --quiet");
        for setting in [
            "user.name a",
            "user.email a@localhost",
            "core.hooksPath none",
            "commit.gpgsign false",
            "tag.gpgsign false",
        ] {
            git(&checkout, &format!("config {setting}"));
        }
        write(&checkout, "crates/a/src/lib.rs");
        commit(&checkout);
        (folder, checkout)
    }

    /// With the crate `a`, its release 0.1.0, and one entry under *Unreleased*.
    pub(crate) fn workspace() -> (TempDir, Checkout) {
        let (folder, checkout) = repository();
        let changelog = "## Unreleased\n\n- Fixes `a`.\n\n## 0.1.0 - 2026-07-01\n\n- First.\n";
        let root =
            "[workspace]\nmembers = [\"crates/a\"]\n\n[workspace.package]\nversion = \"0.1.0\"\n";
        for (path, text) in [
            ("Cargo.toml", root),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\nversion.workspace = true\n"),
            ("crates/a/CHANGELOG.md", changelog),
        ] {
            write(&checkout, path);
            fs::write(checkout.path(path), text).unwrap();
        }
        commit(&checkout);
        git(&checkout, "tag v0.1.0");
        (folder, checkout)
    }

    pub(crate) fn git(checkout: &Checkout, words: &str) {
        shell::read(&mut checkout.git(words.split(' '))).unwrap();
    }

    fn write(checkout: &Checkout, path: &str) {
        let path = checkout.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn commit(checkout: &Checkout) {
        git(checkout, "add --all");
        git(checkout, "commit --quiet --message change");
    }

    #[test]
    fn the_newest_tag_counts() {
        let (_folder, checkout) = repository();
        assert_eq!(checkout.last_release().unwrap(), None);
        for tag in ["v0.2.0", "v0.10.0", "a-v0.11.0", "v1", "vector"] {
            git(&checkout, &format!("tag {tag}"));
        }
        let newest = checkout.last_release().unwrap().unwrap();
        assert_eq!(tag(&newest), "v0.10.0");
    }

    #[test]
    fn only_a_commit_on_the_remote_main_is_pushed() {
        let (_folder, checkout) = repository();
        let remote = TempDir::new().unwrap();
        let manifest = format!("[workspace.package]\nrepository = '{}'\n", remote.path().display());
        fs::write(checkout.path("Cargo.toml"), manifest).unwrap();
        git(&checkout, &format!("init --quiet --bare {}", remote.path().display()));
        git(&checkout, &format!("remote add origin {}", remote.path().display()));
        git(&checkout, "push --quiet origin HEAD:main");
        checkout.require_pushed().unwrap();
        git(&checkout, "commit --quiet --allow-empty --message later");
        git(&checkout, "push --quiet origin HEAD:other");
        let error = checkout.require_pushed().unwrap_err().to_string();
        assert!(error.starts_with("release: the current commit is not on the main of "), "{error}");
        git(&checkout, "checkout --quiet --detach HEAD~1");
        checkout.require_pushed().unwrap();
    }

    #[test]
    fn a_dirty_tree_is_refused_with_its_files() {
        let (_folder, checkout) = repository();
        checkout.require_clean().unwrap();
        write(&checkout, "new.rs");
        let error = checkout.require_clean().unwrap_err().to_string();
        assert!(error.starts_with("release: the working tree has changes"), "{error}");
        assert!(error.ends_with("?? new.rs"), "{error}");
    }
}
