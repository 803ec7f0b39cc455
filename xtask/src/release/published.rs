//! Questions to a registry about our crates.

use std::fs;

use anyhow::{Result, bail};
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
pub(crate) fn commit(checkout: &Checkout, member: &Member) -> Option<String> {
    let package = format!("{}-{}/.cargo_vcs_info.json", member.name(), member.version());
    let registries = fs::read_dir(checkout.cargo_home()?.join("registry/src")).ok()?;
    let texts =
        registries.filter_map(|registry| fs::read(registry.ok()?.path().join(&package)).ok());
    let mut commits = texts.filter_map(|text| {
        let about: Value = serde_json::from_slice(&text).ok()?;
        about.pointer("/git/sha1").and_then(Value::as_str).map(str::to_owned)
    });
    commits.next()
}

/// Writes what `cargo info` leaves of a package that was made from `commit`.
#[cfg(test)]
pub(crate) fn write_package(cargo_home: &std::path::Path, package: &str, commit: &str) {
    let folder = cargo_home.join("registry/src/localhost-1").join(package);
    fs::create_dir_all(&folder).unwrap();
    let about = serde_json::json!({ "git": { "sha1": commit }, "path_in_vcs": "crates/a" });
    fs::write(folder.join(".cargo_vcs_info.json"), about.to_string()).unwrap();
}
