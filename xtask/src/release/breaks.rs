//! Breaking changes that only the root manifest shows: a newer Rust, or a new major version of a crate
//! in our public signatures.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use cargo_metadata::{
    DependencyKind,
    semver::{Comparator, VersionReq},
};

use crate::metadata::Package;

/// Compares the root manifest of the last release with today's. `exposed` names the crates in the
/// public signatures of `package`, with `-` for each `_`.
pub(crate) fn breaks(
    package: &Package,
    exposed: &BTreeSet<String>,
    released: &str,
    now: &str,
) -> Result<Vec<String>> {
    let parse =
        |manifest: &str| manifest.parse::<toml::Table>().context("the root Cargo.toml is not TOML");
    let (released, now) = (parse(released)?, parse(now)?);
    let mut breaks = Vec::new();
    if let [Some(before), Some(after)] = [&released, &now].map(rust_version)
        && numbers(before) < numbers(after)
    {
        breaks.push(format!("`rust-version` is raised from {before} to {after}"));
    }
    let dependencies = package.dependencies.iter();
    let names = dependencies
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .map(|dependency| dependency.name.as_str());
    for name in
        names.filter(|name| exposed.contains(&name.replace('_', "-"))).collect::<BTreeSet<_>>()
    {
        if let [Some(before), Some(after)] = [&released, &now].map(|table| requirement(table, name))
            && series(before) != series(after)
        {
            breaks.push(format!("`{name}`, which it exposes, changes from {before} to {after}"));
        }
    }
    Ok(breaks)
}

fn rust_version(manifest: &toml::Table) -> Option<&str> {
    manifest.get("workspace")?.get("package")?.get("rust-version")?.as_str()
}

fn requirement<'a>(manifest: &'a toml::Table, name: &str) -> Option<&'a str> {
    let entry = manifest.get("workspace")?.get("dependencies")?.get(name)?;
    entry.as_str().or_else(|| entry.get("version")?.as_str())
}

/// Returns the numbers that are equal in compatible versions.
fn series(requirement: &str) -> Option<(u64, u64)> {
    numbers(requirement).map(|(major, minor)| if major == 0 { (0, minor) } else { (major, 0) })
}

fn numbers(requirement: &str) -> Option<(u64, u64)> {
    let parsed = VersionReq::parse(requirement).ok()?;
    let Comparator { major, minor, .. } = parsed.comparators.first()?;
    Some((*major, minor.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::family::Member;

    fn manifest(rust: &str, url: &str) -> String {
        format!(
            "[workspace.package]\nrust-version = \"{rust}\"\n\n[workspace.dependencies]\nurl = \"{url}\"\n\
             axum = {{ version = \"{url}\" }}\nserde_json = \"{url}\"\n"
        )
    }

    fn found(released: (&str, &str), now: (&str, &str)) -> Vec<String> {
        let member = Member::of("core", &["url", "axum"], "", true);
        let exposed = BTreeSet::from(["url".to_owned()]);
        let (released, now) = (manifest(released.0, released.1), manifest(now.0, now.1));
        breaks(&member.package, &exposed, &released, &now).unwrap()
    }

    #[test]
    fn a_newer_rust_and_a_new_major_are_breaks() {
        assert_eq!(
            found(("1.90", "2.5.8"), ("1.100", "3.0.0")),
            [
                "`rust-version` is raised from 1.90 to 1.100",
                "`url`, which it exposes, changes from 2.5.8 to 3.0.0"
            ]
        );
        assert_eq!(found(("1.90", "0.4"), ("1.90", "0.5")).len(), 1);
    }

    #[test]
    fn compatible_versions_and_an_older_rust_are_no_breaks() {
        for (released, now) in
            [(("1.90", "2.5.8"), ("1.90", "2.9")), (("1.90", "0.4.1"), ("1.89", "0.4.2"))]
        {
            assert_eq!(found(released, now), Vec::<String>::new());
        }
    }

    #[test]
    fn crates_outside_public_signatures_may_change() {
        let member = Member::of("core", &["axum"], "", true);
        let exposed = BTreeSet::from(["url".to_owned()]);
        let (released, now) = (manifest("1.90", "2.0"), manifest("1.90", "3.0"));
        assert!(breaks(&member.package, &exposed, &released, &now).unwrap().is_empty());
    }

    #[test]
    fn a_crate_with_an_underscore_in_its_name_counts() {
        let member = Member::of("core", &["serde_json"], "", true);
        let exposed = BTreeSet::from(["serde-json".to_owned()]);
        let (released, now) = (manifest("1.90", "1.0"), manifest("1.90", "2.0"));
        assert_eq!(breaks(&member.package, &exposed, &released, &now).unwrap().len(), 1);
    }
}
