//! A program outside the workspace, which gets our crates from the registry on loopback alone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use cargo_metadata::semver::Version;

use super::checkout::Checkout;
use super::family::Family;
use super::registry::{self, Registry};
use super::version::compatible;
use crate::shell;

const PROGRAM: &str = include_str!("../../release/consumer.rs");
pub(crate) const CONNECTOR: &str = "textsearch-vector-inmemory";

#[derive(Debug)]
pub(crate) struct Consumer(Checkout);

impl Consumer {
    /// It requires the versions of `family`.
    pub(crate) fn write(
        folder: PathBuf,
        registry: &Registry,
        scratch: &Path,
        family: &Family,
    ) -> Result<Self> {
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("src/main.rs"), PROGRAM)?;
        fs::write(folder.join("Cargo.toml"), manifest(family)?)?;
        Ok(Self(Checkout::new(folder, registry.environment(scratch))))
    }

    /// Updates its dependencies as a user does, then builds and runs it.
    ///
    /// # Errors
    /// If it doesn't use the connector in this version, or finds something else.
    pub(crate) fn run(&self, connector: &Version) -> Result<()> {
        shell::run(&mut self.0.cargo("update"))?;
        let output = shell::read(&mut self.0.cargo("run --quiet"))?;
        ensure!(output == "Filters\n", "rehearse: the consumer found {output:?}");
        let versions = versions(&self.0.read("Cargo.lock")?)?;
        let expected = format!("{CONNECTOR} {connector}");
        ensure!(versions.contains(&expected), "rehearse: the consumer has {versions:?}");
        println!("rehearse: the consumer runs with {}", versions.join(", "));
        Ok(())
    }
}

fn manifest(family: &Family) -> Result<String> {
    let mut ours = String::new();
    for name in ["textsearch-core", CONNECTOR] {
        let version = compatible(family.member(name)?.version());
        ours +=
            &format!("{name} = {{ version = \"{version}\", registry = \"{}\" }}\n", registry::NAME);
    }
    Ok(format!(
        "[package]\nname = \"consumer\"\nedition = \"2024\"\n\n[dependencies]\n{ours}serde_json = \"1\"\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n\n[workspace]\n"
    ))
}

/// Returns name and version of our crates.
///
/// # Errors
/// If one of them has another source than the registry on loopback.
fn versions(lock: &str) -> Result<Vec<String>> {
    let lock: toml::Table = lock.parse()?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let packages = packages.context("the lock file names no packages")?;
    let text = |package: &toml::Value, key| {
        package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let mut versions = Vec::new();
    for package in packages {
        let (name, source) = (text(package, "name"), text(package, "source"));
        if name.starts_with("textsearch-") {
            ensure!(
                source.starts_with("sparse+http://127.0.0.1:"),
                "rehearse: {name} comes from {source:?}, not from the registry on loopback"
            );
            versions.push(format!("{name} {}", text(package, "version")));
        }
    }
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::family::Member;

    #[test]
    fn the_consumer_requires_the_current_versions() {
        let members = ["textsearch-core", CONNECTOR].map(|name| Member::of(name, &[], "", true));
        let manifest = manifest(&Family::new(members.into()).unwrap()).unwrap();
        let line = "textsearch-core = { version = \"0.1\", registry = \"loopback\" }\n";
        assert!(manifest.contains(line), "{manifest}");
    }

    #[test]
    fn our_crates_must_come_from_loopback() {
        let lock = |source: &str| {
            format!(
                "[[package]]\nname = \"serde\"\nversion = \"1.0.0\"\n\n\
                 [[package]]\nname = \"textsearch-core\"\nversion = \"0.1.0\"\n{source}"
            )
        };
        let good = lock("source = \"sparse+http://127.0.0.1:1/index/\"\n");
        assert_eq!(versions(&good).unwrap(), ["textsearch-core 0.1.0"]);
        let error = versions(&lock("")).unwrap_err().to_string();
        assert!(error.contains("textsearch-core comes from \"\""), "{error}");
    }
}
