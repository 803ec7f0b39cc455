//! A clone of this repository, and the commands that run in it.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use cargo_metadata::semver::Version;

use super::breaks;
use super::family::{Family, Member};
use super::version::require_release;
use crate::{foreign_types, metadata, shell};

const CARGO_HOME: &str = "CARGO_HOME";

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

    /// Returns the published crates, dependencies before dependents.
    pub(crate) fn family(&self) -> Result<Family> {
        let packages = metadata::packages_of(&self.root, &self.environment)?;
        let published = packages.into_iter().filter(|package| package.publish.is_none());
        let (manifest, foreign) = (self.read("Cargo.toml")?, self.read(foreign_types::LIST)?);
        let members = published.map(|package| {
            let released = self.last_release(&package.name)?;
            let changelog = self.read(&package.file("CHANGELOG.md"))?;
            let (mut changed_files, mut breaks, mut inherited) = Default::default();
            if let Some(version) = &released {
                let tag = tag(&package.name, version);
                changed_files = self.changed_files(&package.folder, &tag)?;
                let before = shell::read(&mut self.git(["show", &format!("{tag}:Cargo.toml")]))?;
                let exposed = foreign_types::exposed_by(&foreign, &package.name);
                breaks = breaks::breaks(&package, &exposed, &before, &manifest)?;
                inherited = breaks::inherited(&package, &before, &manifest)?;
            }
            Ok(Member { package, released, changelog, changed_files, breaks, inherited })
        });
        Family::new(members.collect::<Result<_>>()?)
    }

    /// Returns the version of the newest tag `NAME-vVERSION` that the current commit includes.
    pub(crate) fn last_release(&self, name: &str) -> Result<Option<Version>> {
        let pattern = format!("{name}-v*");
        let tags = shell::read(&mut self.git(["tag", "--merged", "HEAD", "--list", &pattern]))?;
        let prefix = format!("{name}-v");
        let versions = tags.lines().filter_map(|line| line.strip_prefix(&prefix));
        let newest = versions.filter_map(|version| Version::parse(version).ok()).max();
        if let Some(version) = &newest {
            require_release(version).with_context(|| tag(name, version))?;
        }
        Ok(newest)
    }

    /// Returns the files in `folder` that changed since `tag`, without tests and benchmarks.
    fn changed_files(&self, folder: &str, tag: &str) -> Result<Vec<String>> {
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

    /// # Errors
    /// If a release has no tag here: it would be compared with nothing.
    pub(crate) fn require_tags(&self, family: &Family) -> Result<()> {
        let shallow = shell::read(&mut self.git(["rev-parse", "--is-shallow-repository"]))?;
        let mut untagged = Vec::new();
        for member in family.iter() {
            // A shallow clone doesn't show whether the version waits to be published.
            let waits = shallow.trim() == "true" && member.has_heading()? && !member.is_released();
            let version = waits.then(|| member.version().clone());
            let version = member.untagged_release()?.or(version);
            untagged.extend(version.map(|version| format!("{} {version}", member.name())));
        }
        if !untagged.is_empty() {
            bail!(
                "release: the changelogs name releases without a tag: {}; run `git fetch --tags`, with `--unshallow` \
                 in a shallow clone, or publish them from the commits that prepared them",
                untagged.join(", ")
            );
        }
        Ok(())
    }

    /// # Errors
    /// If the current commit is not on the `main` of the repository that the manifest names: users
    /// find no source for such a release.
    pub(crate) fn require_pushed(&self) -> Result<()> {
        self.require_origin()?;
        shell::read(&mut self.git(["fetch", "--quiet", "--tags", "origin", "main"]))?;
        let mut is_ancestor = self.git(["merge-base", "--is-ancestor", "HEAD", "origin/main"]);
        if !is_ancestor.status()?.success() {
            bail!(
                "release: the current commit is not on the remote main; merge and push it first: git push origin main"
            );
        }
        Ok(())
    }

    /// # Errors
    /// If `origin` is another repository, such as a fork.
    fn require_origin(&self) -> Result<()> {
        let manifest: toml::Table =
            self.read("Cargo.toml")?.parse().context("the root Cargo.toml is not TOML")?;
        let package = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
        let expected = package.and_then(|package| package.get("repository")?.as_str());
        let expected = expected.context("the root Cargo.toml names no repository")?;
        let origin = shell::read(&mut self.git(["remote", "get-url", "origin"]))?;
        let (origin, allowed) = (place(&origin), place(expected));
        if origin != allowed {
            bail!(
                "release: `origin` is {origin}, but the root Cargo.toml names {allowed}; publish from a clone of that \
                 repository, or run `git remote set-url origin {expected}`"
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

    /// Returns the folder where cargo keeps packages of registries.
    pub(crate) fn cargo_home(&self) -> Option<PathBuf> {
        let own = self.environment.iter().find(|(name, _)| *name == CARGO_HOME);
        let own = own.map(|(_, value)| PathBuf::from(value));
        own.or_else(|| env::var_os(CARGO_HOME).map(PathBuf::from))
            .or_else(|| Some(env::home_dir()?.join(".cargo")))
    }
}

/// The tag of a release.
pub(crate) fn tag(name: &str, version: &Version) -> String {
    format!("{name}-v{version}")
}

/// Returns host and path of a repository's URL, without its user, who may have a password.
fn place(url: &str) -> String {
    let url = url.trim().trim_end_matches('/').to_ascii_lowercase();
    let url = url.strip_suffix(".git").unwrap_or(&url);
    let (place, separator) = url.split_once("://").map_or((url, ":"), |(_, place)| (place, "/"));
    // As in `git@host:path`.
    match place.split_once(separator) {
        Some((host, path)) => {
            let host = host.rsplit('@').next().unwrap_or_default();
            format!("{host}/{}", path.trim_start_matches('/'))
        }
        None => place.to_owned(),
    }
}

#[cfg(test)]
impl Checkout {
    /// Adds the registry `empty`, whose index is a git repository without crates.
    pub(crate) fn with_empty_registry(mut self, index: &Path) -> Self {
        let index = format!("file://{}", index.display());
        self.environment.push(("CARGO_REGISTRIES_EMPTY_INDEX", index));
        self
    }

    pub(crate) fn with_cargo_home(mut self, folder: &Path) -> Self {
        self.environment.push((CARGO_HOME, folder.to_string_lossy().into_owned()));
        self
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use tempfile::TempDir;

    use super::*;

    /// With one commit of `crates/a/src/lib.rs`.
    pub(crate) fn repository() -> (TempDir, Checkout) {
        let folder = TempDir::new().unwrap();
        let checkout = Checkout::new(folder.path().to_path_buf(), Vec::new());
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

    /// For [`workspace`]: a feature of the crate `a` that doesn't compile.
    pub(crate) const BROKEN_FEATURE: [(&str, &str); 2] = [
        (
            "crates/a/Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n\n[features]\nbroken = []\n",
        ),
        ("crates/a/src/lib.rs", "#[cfg(feature = \"broken\")]\ncompile_error!(\"broken\");\n"),
    ];

    /// With the crate `a`, its release 0.1.0, and one entry under *Unreleased*.
    pub(crate) fn workspace(files: &[(&str, &str)]) -> (TempDir, Checkout) {
        let (folder, checkout) = repository();
        let changelog = "## Unreleased\n\n- Fixes `a`.\n\n## 0.1.0 - 2026-07-01\n\n- First.\n";
        let common = [
            ("Cargo.toml", "[workspace]\nmembers = [\"crates/a\"]\n"),
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"),
            ("crates/a/CHANGELOG.md", changelog),
            (foreign_types::LIST, ""),
        ];
        for (path, text) in common.iter().chain(files) {
            write(&checkout, path);
            fs::write(checkout.path(path), text).unwrap();
        }
        commit(&checkout);
        git(&checkout, "tag a-v0.1.0");
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
    fn the_newest_tag_of_the_crate_counts() {
        let (_folder, checkout) = repository();
        assert_eq!(checkout.last_release("a").unwrap(), None);
        for tag in ["a-v0.2.0", "a-v0.10.0", "a-vector-v0.11.0", "a-v1"] {
            git(&checkout, &format!("tag {tag}"));
        }
        assert_eq!(checkout.last_release("a").unwrap(), Some(Version::new(0, 10, 0)));
        assert_eq!(tag("a", &Version::new(0, 10, 0)), "a-v0.10.0");
    }

    #[test]
    fn changed_files_are_those_of_the_package() {
        let (_folder, checkout) = repository();
        git(&checkout, "tag a-v0.1.0");
        let paths = ["crates/a/src/new.rs", "crates/a/tests/it.rs", "crates/b/src/lib.rs"];
        paths.iter().for_each(|path| write(&checkout, path));
        commit(&checkout);
        let files = checkout.changed_files("crates/a", "a-v0.1.0").unwrap();
        assert_eq!(files, ["crates/a/src/new.rs"]);
    }

    #[test]
    fn a_release_without_its_tag_is_named() {
        let (_folder, checkout) = repository();
        let family = |unreleased: &str| {
            let mut brave = Member::of("brave", &[], unreleased, true);
            brave.released = None;
            Family::new(vec![brave]).unwrap()
        };
        checkout.require_tags(&family("")).unwrap();
        let error = checkout.require_tags(&family("- Fixes `a`.")).unwrap_err().to_string();
        assert!(error.contains("without a tag: brave 0.1.0; run `git fetch --tags`"), "{error}");
        // Like a clone of depth 1: the version may be released.
        let commit = shell::read(&mut checkout.git(["rev-parse", "HEAD"])).unwrap();
        fs::write(checkout.path(".git/shallow"), commit).unwrap();
        assert!(checkout.require_tags(&family("")).is_err());
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
        assert!(
            error.starts_with("release: the current commit is not on the remote main"),
            "{error}"
        );
        git(&checkout, "checkout --quiet --detach HEAD~1");
        checkout.require_pushed().unwrap();
    }

    #[test]
    fn a_fork_is_refused_as_origin() {
        let (_folder, checkout) = repository();
        let manifest = "[workspace.package]\nrepository = \"https://git.test/us/Search\"\n";
        fs::write(checkout.path("Cargo.toml"), manifest).unwrap();
        git(&checkout, "remote add origin https://me:sesame@git.test/me/search.git");
        let error = checkout.require_pushed().unwrap_err().to_string();
        assert_eq!(
            error,
            "release: `origin` is git.test/me/search, but the root Cargo.toml names git.test/us/search; publish from \
             a clone of that repository, or run `git remote set-url origin https://git.test/us/Search`"
        );
        for same in [
            "https://git.test/us/search",
            "https://me@git.test/us/search.git",
            "git@git.test:us/search.git",
            "ssh://git@git.test/us/search/",
        ] {
            git(&checkout, &format!("remote set-url origin {same}"));
            checkout.require_origin().unwrap();
        }
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
