//! What `cargo metadata` says about the packages of this workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::shell;

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

/// One package of the workspace.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) rust_version: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) readme: Option<String>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
    pub(crate) manifest_path: PathBuf,
    /// Relative to the root, with `/`.
    #[serde(skip)]
    pub(crate) folder: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Option<String>,
    /// `*` where the manifest gives no version.
    pub(crate) req: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Target {
    pub(crate) kind: Vec<String>,
    pub(crate) src_path: PathBuf,
}

impl Package {
    pub(crate) fn is_library(&self) -> bool {
        self.targets.iter().any(|target| target.is("lib") || target.is("proc-macro"))
    }

    /// The path of one of its files, relative to the root.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }
}

impl Dependency {
    pub(crate) fn is_for_tests(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

impl Target {
    pub(crate) fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|own| own == kind)
    }
}

/// The packages of this workspace.
///
/// # Errors
/// If a manifest does not parse.
pub(crate) fn packages() -> Result<Vec<Package>> {
    packages_of(&shell::root())
}

/// The packages of the workspace at `root`.
///
/// # Errors
/// If a manifest does not parse.
pub(crate) fn packages_of(root: &Path) -> Result<Vec<Package>> {
    let mut command = shell::cargo("metadata --format-version 1 --no-deps --offline");
    parse(&shell::read(command.current_dir(root))?)
}

fn parse(json: &str) -> Result<Vec<Package>> {
    let metadata: Metadata = serde_json::from_str(json)
        .context("`cargo metadata` answered in a form that xtask does not know")?;
    let mut packages = metadata.packages;
    for package in &mut packages {
        let folder = package.manifest_path.parent().unwrap_or(&package.manifest_path);
        let folder = folder.strip_prefix(&metadata.workspace_root).unwrap_or(folder);
        package.folder = folder.to_string_lossy().replace('\\', "/");
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_relative_to_the_root() {
        let packages = parse(
            r#"{"workspace_root": "/project", "packages": [{
                "name": "textsearch-core", "manifest_path": "/project/crates/textsearch-core/Cargo.toml",
                "targets": [{"kind": ["lib"], "src_path": "/project/crates/textsearch-core/src/lib.rs"}],
                "dependencies": [{"name": "proptest", "kind": "dev", "req": "^1"}]}]}"#,
        )
        .unwrap();
        assert_eq!(packages[0].folder, "crates/textsearch-core");
        assert_eq!(packages[0].file("README.md"), "crates/textsearch-core/README.md");
        assert!(packages[0].is_library());
        assert!(packages[0].dependencies[0].is_for_tests());
    }
}
