//! Changes of a crate that only the root manifest shows. Two of them break users: a newer Rust, and a
//! new major version of a crate in our public signatures.

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
    let (released, now) = (parse(released)?, parse(now)?);
    let mut breaks = Vec::new();
    if let [Some(before), Some(after)] = [&released, &now].map(rust_version)
        && numbers(before) < numbers(after)
    {
        breaks.push(format!("`rust-version` is raised from {before} to {after}"));
    }
    for name in
        dependencies(package).into_iter().filter(|name| exposed.contains(&name.replace('_', "-")))
    {
        if let [Some(before), Some(after)] = [&released, &now].map(|table| requirement(table, name))
            && series(before) != series(after)
        {
            breaks.push(format!("`{name}`, which it exposes, changes from {before} to {after}"));
        }
    }
    Ok(breaks)
}

/// Returns the entries of the root manifest that `package` inherits and that changed since its last
/// release. A compatible version of another crate of ours doesn't count: cargo takes it by itself.
pub(crate) fn inherited(package: &Package, released: &str, now: &str) -> Result<Vec<String>> {
    let tables = [parse(released)?, parse(now)?];
    let [before, after] = tables.each_ref().map(settings);
    let keys = before.keys().chain(after.keys()).collect::<BTreeSet<_>>().into_iter();
    let settings = keys.filter(|key| before.get(*key) != after.get(*key)).map(String::as_str);
    let dependencies = dependencies(package).into_iter().filter(|name| {
        let [before, after] = tables.each_ref().map(|table| dependency(table, name));
        before != after
    });
    Ok(settings.chain(dependencies).map(str::to_owned).collect())
}

fn parse(manifest: &str) -> Result<toml::Table> {
    manifest.parse().context("the root Cargo.toml is not TOML")
}

fn dependencies(package: &Package) -> BTreeSet<&str> {
    let dependencies = package.dependencies.iter();
    dependencies
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .map(|dependency| dependency.name.as_str())
        .collect()
}

/// Without the version, which `prepare` sets in the crate's own manifest.
fn settings(manifest: &toml::Table) -> toml::Table {
    let package = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
    let mut settings = package.and_then(toml::Value::as_table).cloned().unwrap_or_default();
    settings.remove("version");
    settings
}

/// With the version as a key `version`. Compatible versions of a crate of ours have the same.
fn dependency(manifest: &toml::Table, name: &str) -> Option<toml::Table> {
    let entry = manifest.get("workspace")?.get("dependencies")?.get(name)?;
    let mut entry = entry.as_table().cloned().unwrap_or_default();
    let version = requirement(manifest, name).unwrap_or_default();
    let is_ours = entry.contains_key("path");
    let version = if is_ours { format!("{:?}", series(version)) } else { version.to_owned() };
    entry.insert("version".to_owned(), version.into());
    Some(entry)
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
    fn changed_entries_of_the_root_manifest_are_inherited() {
        let member = Member::of("brave", &["core", "url"], "", true);
        let manifest = |rust: &str, core: &str, url: &str| {
            format!(
                "[workspace.package]\nversion = \"{core}\"\nrust-version = \"{rust}\"\n\n\
                 [workspace.dependencies]\ncore = {{ path = \"core\", version = \"{core}\" }}\n\
                 url = {url}\naxum = \"{core}\"\n"
            )
        };
        let released = manifest("1.90", "0.1.0", "\"2.5.8\"");
        let changed = |rust, core, url| {
            inherited(&member.package, &released, &manifest(rust, core, url)).unwrap()
        };
        let none: [&str; 0] = [];
        assert_eq!(changed("1.90", "0.1.1", "{ version = \"2.5.8\" }"), none);
        assert_eq!(changed("1.90", "0.1.0", "\"2.5.9\""), ["url"]);
        let with_feature = "{ version = \"2.5.8\", features = [\"serde\"] }";
        assert_eq!(changed("1.89", "0.2.0", with_feature), ["rust-version", "core", "url"]);
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
