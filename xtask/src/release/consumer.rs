//! Programs outside the workspace, which get our crates from the registry on loopback alone.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use cargo_metadata::semver::Version;

use super::checkout::Checkout;
use super::family::{Family, Member};
use super::registry::{self, Registry};
use super::version::compatible;
use crate::shell;

const PROGRAM: &str = include_str!("../../release/consumer.rs");
pub(crate) const CONNECTOR: &str = "textsearch-vector-inmemory";
const FACADE: &str = "textsearch-sdk";

#[derive(Debug)]
pub(crate) struct Consumer(Checkout);

impl Consumer {
    /// Writes a program that requires the core and the connector in the versions of `family`.
    pub(crate) fn of_connector(
        registry: &Registry,
        scratch: &Path,
        family: &Family,
    ) -> Result<Self> {
        let core = requirement(family.member("textsearch-core")?, &[]);
        let dependencies = core
            + &requirement(family.member(CONNECTOR)?, &[])
            + "serde_json = \"1\"\ntokio = { version = \"1\", features = [\"macros\", \"rt\"] }\n";
        Self::write(&scratch.join("consumer"), registry, scratch, &dependencies)
    }

    /// Writes a program that requires every crate of `family`, through the facade where possible.
    pub(crate) fn of_all(registry: &Registry, scratch: &Path, family: &Family) -> Result<Self> {
        Self::write(&scratch.join("consumer-of-all"), registry, scratch, &all(family)?)
    }

    fn write(
        folder: &Path,
        registry: &Registry,
        scratch: &Path,
        dependencies: &str,
    ) -> Result<Self> {
        let manifest = format!(
            "[package]\nname = \"consumer\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n[workspace]\n"
        );
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("src/main.rs"), PROGRAM)?;
        fs::write(folder.join("Cargo.toml"), manifest)?;
        Ok(Self(Checkout::new(folder.to_path_buf(), registry.environment(scratch))))
    }

    /// Resolves its dependencies and builds nothing.
    ///
    /// # Errors
    /// If the lock file lacks a crate of `family` in its version.
    pub(crate) fn resolve(&self, family: &Family) -> Result<()> {
        shell::run(&mut self.0.cargo("generate-lockfile"))?;
        let versions = versions(&self.0.read("Cargo.lock")?)?;
        let missing = missing(family, &versions);
        ensure!(
            missing.is_empty(),
            "rehearse: {FACADE} with all features and the crates outside it don't take {}",
            missing.join(", ")
        );
        println!("rehearse: a consumer of all takes {} crates from the registry", versions.len());
        Ok(())
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

/// Returns a line of `[dependencies]`.
fn requirement(member: &Member, features: &[&str]) -> String {
    let (name, version) = (member.name(), compatible(member.version()));
    format!(
        "{name} = {{ version = \"{version}\", registry = \"{}\", features = {features:?} }}\n",
        registry::NAME
    )
}

/// Requires the facade with all features, and each crate that it lacks, also the command line: cargo
/// resolves a program as it does a library.
fn all(family: &Family) -> Result<String> {
    let facade = family.member(FACADE)?;
    let features: Vec<&str> = facade.package.features.keys().map(String::as_str).collect();
    let others = family
        .iter()
        .filter(|member| member.name() != FACADE && !facade.depends_on(member.name()))
        .map(|member| requirement(member, &[]));
    Ok(std::iter::once(requirement(facade, &features)).chain(others).collect())
}

fn missing(family: &Family, versions: &[String]) -> Vec<String> {
    let all = family.iter().map(|member| format!("{} {}", member.name(), member.version()));
    all.filter(|version| !versions.contains(version)).collect()
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

    #[test]
    fn all_are_required_through_the_facade_if_possible() {
        let dependencies = all(&Checkout::here().family().unwrap()).unwrap();
        let line = |name: &str| {
            dependencies.lines().find(|line| line.starts_with(&format!("{name} = {{ version = ")))
        };
        assert!(line(FACADE).unwrap().contains("\"brave\", "), "{dependencies}");
        assert!(line("textsearch-conformance").unwrap().ends_with("features = [] }"));
        assert_eq!(line("textsearch-brave"), None);
    }

    #[test]
    fn missing_crates_are_named_with_their_versions() {
        let members = ["core", "brave"].map(|name| Member::of(name, &[], "", true));
        let family = Family::new(members.into()).unwrap();
        let versions = |brave: &str| ["core 0.1.0".to_owned(), format!("brave {brave}")];
        assert_eq!(missing(&family, &versions("0.2.0")), ["brave 0.1.0"]);
        assert!(missing(&family, &versions("0.1.0")).is_empty());
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
