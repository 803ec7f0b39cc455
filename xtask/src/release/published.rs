//! Questions to a registry about our crates.

use std::{collections::BTreeSet, fs};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use super::checkout::Checkout;
use super::family::Member;

/// Asks the registry from a folder outside the workspace, where cargo would find the member itself.
/// Cargo finds no version that was yanked.
pub(crate) fn has(checkout: &Checkout, registry: &str, member: &Member) -> Result<bool> {
    let elsewhere = TempDir::new()?;
    let mut command = checkout.cargo("info --quiet --registry");
    command.arg(registry).arg(format!("{}@{}", member.name(), member.version()));
    let output = command.current_dir(elsewhere.path()).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || complaint.contains("could not find") {
        return Ok(output.status.success());
    }
    bail!("release: `{registry}` did not say whether it has {}:\n{complaint}", member.name())
}

/// Returns the commit that a package was made from. `cargo info` unpacks the package into cargo's
/// home.
///
/// # Errors
/// If no package names a commit, if packages of several registries name different commits, or if
/// the current commit doesn't include it.
pub(crate) fn commit(checkout: &Checkout, member: &Member) -> Result<String> {
    let package = format!("{}-{}", member.name(), member.version());
    let sources = checkout.cargo_home().context("cargo has no home")?.join("registry/src");
    let commits: BTreeSet<String> = fs::read_dir(&sources)
        .with_context(|| format!("{} cannot be read", sources.display()))?
        .filter_map(|registry| {
            let folder = registry.ok()?.path().join(&package);
            let text = fs::read(folder.join(".cargo_vcs_info.json")).ok()?;
            let about: Value = serde_json::from_slice(&text).ok()?;
            about.pointer("/git/sha1").and_then(Value::as_str).map(str::to_owned)
        })
        .collect();
    let mut commits = commits.into_iter();
    let commit = commits.next().context("its package names no commit")?;
    // The folders' names don't say which registry they belong to.
    if let Some(other) = commits.next() {
        bail!(
            "its packages of several registries name different commits ({commit}, {other}); delete `{package}` \
             from the other registries' folders in {}",
            sources.display()
        );
    }
    let ancestor = checkout.git(["merge-base", "--is-ancestor", &commit, "HEAD"]).output()?;
    ensure!(
        ancestor.status.success(),
        "its package names {commit}, which the current commit doesn't include; run this from a newer commit of main"
    );
    Ok(commit)
}

/// Writes what `cargo info` leaves of a package that was made from `commit`.
#[cfg(test)]
pub(crate) fn write_package(
    cargo_home: &std::path::Path,
    registry: &str,
    package: &str,
    commit: &str,
) {
    let folder = cargo_home.join("registry/src").join(registry).join(package);
    fs::create_dir_all(&folder).unwrap();
    let about = serde_json::json!({ "git": { "sha1": commit }, "path_in_vcs": "crates/a" });
    fs::write(folder.join(".cargo_vcs_info.json"), about.to_string()).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::checkout::tests::{git, repository};
    use crate::shell;

    fn head(checkout: &Checkout) -> String {
        let head = shell::read(&mut checkout.git(["rev-parse", "HEAD"])).unwrap();
        head.trim().to_owned()
    }

    #[test]
    fn packages_of_other_commits_are_refused() {
        let (folder, checkout) = repository();
        let first = head(&checkout);
        git(&checkout, "commit --quiet --allow-empty --message later");
        let second = head(&checkout);
        let checkout = checkout.with_cargo_home(folder.path());
        let core = Member::of("core", &[], "", true);
        let write = |registry, commit: &str| {
            write_package(folder.path(), registry, "core-0.1.0", commit);
        };
        write("one", &first);
        write("two", &first);
        assert_eq!(commit(&checkout, &core).unwrap(), first);
        write("two", &second);
        let error = commit(&checkout, &core).unwrap_err().to_string();
        assert!(error.contains("name different commits"), "{error}");
        assert!(error.contains(&first) && error.contains(&second), "{error}");
        write("one", &second);
        git(&checkout, "checkout --quiet --detach HEAD~1");
        let error = commit(&checkout, &core).unwrap_err().to_string();
        assert!(error.contains("which the current commit doesn't include"), "{error}");
    }
}
