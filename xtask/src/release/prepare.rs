//! `cargo xtask release prepare`: writes the version and the changelog headings.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result, bail};
use cargo_metadata::semver::Version;
use clap::Args;

use super::changelog::{self, require_release};
use super::checkout::Checkout;
use super::state::State;
use crate::shell;

/// The manifest of the workspace, from which crates inherit version and requirements.
const ROOT: &str = "Cargo.toml";

#[derive(Debug, Args)]
pub(crate) struct Prepare {
    /// Version of the release [default: the smallest that the changelogs permit]
    version: Option<Version>,
    /// Write the files; without it, only their names are printed
    #[arg(long)]
    execute: bool,
}

/// The new text of each changed file, by its path.
type Edits = BTreeMap<String, String>;

/// Commits nothing, so that the diff can be reviewed.
pub(crate) fn prepare(checkout: &Checkout, request: &Prepare) -> Result<()> {
    checkout.require_clean()?;
    let state = checkout.state()?;
    let version = next_version(&state, request.version.as_ref())?;
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let edits = edits(checkout, &state, &version, &today)?;
    println!("release: {version} changes these files:");
    edits.keys().for_each(|path| println!("  {path}"));
    if !request.execute {
        println!("release: nothing was changed; `--execute` does it");
        return Ok(());
    }
    for (path, text) in edits {
        fs::write(checkout.path(&path), text).with_context(|| format!("cannot write {path}"))?;
    }
    update_locks(checkout)
        .context("release: the files are half changed; restore them: git checkout -- .")?;
    println!(
        "release: review `git diff`, commit it, then run `cargo xtask release check` and \
         `cargo xtask release publish`"
    );
    Ok(())
}

fn next_version(state: &State, requested: Option<&Version>) -> Result<Version> {
    if state.is_prepared() {
        bail!(
            "release: {} is prepared already; publish it from the commit that prepared it, or run `git fetch --tags` \
             if it was published",
            state.version
        );
    }
    if state.changed().next().is_none() {
        bail!("release: nothing to prepare: no changelog has entries under *Unreleased*");
    }
    let min = state.next_version();
    let version = requested.unwrap_or(&min);
    require_release(version)?;
    if *version < min {
        bail!("release: {version} is too small: the changelogs need {min} or a larger version");
    }
    Ok(version.clone())
}

fn edits(checkout: &Checkout, state: &State, version: &Version, today: &str) -> Result<Edits> {
    let mut edits = Edits::new();
    if *version != state.version {
        let manifest = with_version(&checkout.read(ROOT)?, &state.version, version);
        edits.insert(ROOT.to_owned(), manifest);
    }
    for member in state.changed() {
        let path = member.package.file("CHANGELOG.md");
        let text = changelog::released(&checkout.read(&path)?, version, today);
        edits.insert(path, text);
    }
    Ok(edits)
}

/// Sets the version of `[workspace.package]` and of our crates in `[workspace.dependencies]`.
fn with_version(manifest: &str, old: &Version, new: &Version) -> String {
    let [old, new] = [old, new].map(|version| format!("version = \"{version}\""));
    let lines = manifest.lines().map(|line| {
        let is_ours = line.starts_with("version = ") || line.starts_with("textsearch-");
        if is_ours { line.replace(&old, &new) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Lock files name the versions of crates that are used by their path.
fn update_locks(checkout: &Checkout) -> Result<()> {
    let locks = shell::read(&mut checkout.git(["ls-files", "*Cargo.lock"]))?;
    for lock in locks.lines() {
        if checkout.read(lock)?.contains("name = \"textsearch-") {
            let manifest = Path::new(lock).with_file_name("Cargo.toml");
            let mut update = checkout.cargo("update --workspace --quiet --manifest-path");
            shell::read(update.arg(manifest))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::checkout::tests::workspace;

    fn request(execute: bool) -> Prepare {
        Prepare { version: None, execute }
    }

    #[test]
    fn only_execute_changes_files() {
        let (_folder, checkout) = workspace();
        prepare(&checkout, &request(false)).unwrap();
        checkout.require_clean().unwrap();
        prepare(&checkout, &request(true)).unwrap();
        let state = checkout.state().unwrap();
        assert_eq!(state.version, Version::new(0, 1, 1));
        assert!(state.is_prepared() && state.changed().next().is_none());
        // A dry run makes the same checks.
        let error = prepare(&checkout, &request(false)).unwrap_err().to_string();
        assert!(error.starts_with("release: the working tree has changes"), "{error}");
    }

    #[test]
    fn the_changelogs_limit_the_version() {
        let text = "## Unreleased\n\n- **Breaking:** `a`.\n";
        let state = State::new(Some(Version::new(0, 1, 0)), &[("core", text)]);
        assert_eq!(next_version(&state, None).unwrap(), Version::new(0, 2, 0));
        let stable = Version::new(1, 0, 0);
        assert_eq!(next_version(&state, Some(&stable)).unwrap(), stable);
        for (version, complaint) in [
            ("0.1.1", "0.1.1 is too small: the changelogs need 0.2.0"),
            ("0.3.0-rc.1", "is a pre-release"),
        ] {
            let version = Version::parse(version).unwrap();
            let error = next_version(&state, Some(&version)).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
        }
    }

    #[test]
    fn a_release_needs_entries_and_happens_once() {
        for (text, complaint) in [
            ("# Changelog\n", "nothing to prepare"),
            ("## Unreleased\n\n- New.\n\n## 0.1.0 - 2026-07-01\n", "0.1.0 is prepared already"),
        ] {
            let error = next_version(&State::new(None, &[("core", text)]), None).unwrap_err();
            assert!(error.to_string().contains(complaint), "{error}");
        }
    }

    #[test]
    fn only_our_own_versions_change() {
        let manifest = "[workspace.package]\nversion = \"0.1.0\"\n\n[workspace.dependencies]\n\
                        textsearch-core = { path = \"core\", version = \"0.1.0\" }\n\
                        url = { version = \"0.1.0\" }\n";
        let [old, new] = [1, 2].map(|minor| Version::new(0, minor, 0));
        assert_eq!(
            with_version(manifest, &old, &new),
            "[workspace.package]\nversion = \"0.2.0\"\n\n[workspace.dependencies]\n\
             textsearch-core = { path = \"core\", version = \"0.2.0\" }\n\
             url = { version = \"0.1.0\" }\n"
        );
    }
}
