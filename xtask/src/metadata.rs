//! The packages of this workspace, from `cargo metadata`.

use std::ops::Deref;
use std::path::Path;

use anyhow::Result;
use cargo_metadata::{MetadataCommand, TargetKind};

use crate::shell;

#[derive(Debug)]
pub(crate) struct Package {
    package: cargo_metadata::Package,
    /// Relative to the root, with `/`.
    pub(crate) folder: String,
}

impl Package {
    pub(crate) fn is_library(&self) -> bool {
        let is_library =
            |kind: &TargetKind| matches!(kind, TargetKind::Lib | TargetKind::ProcMacro);
        self.targets.iter().any(|target| target.kind.iter().any(is_library))
    }

    /// Relative to the root.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }
}

impl Deref for Package {
    type Target = cargo_metadata::Package;

    fn deref(&self) -> &Self::Target {
        &self.package
    }
}

pub(crate) fn packages() -> Result<Vec<Package>> {
    packages_of(&shell::root())
}

pub(crate) fn packages_of(root: &Path) -> Result<Vec<Package>> {
    let mut command = MetadataCommand::new();
    command.current_dir(root).no_deps().other_options(["--offline".to_owned()]);
    let metadata = command.exec()?;
    let packages = metadata.packages.into_iter().map(|package| {
        let folder = package.manifest_path.parent().unwrap_or(&package.manifest_path);
        let folder = folder.strip_prefix(&metadata.workspace_root).unwrap_or(folder);
        Package { folder: folder.as_str().replace('\\', "/"), package }
    });
    Ok(packages.collect())
}

#[cfg(test)]
impl Package {
    /// `fields` as in `cargo metadata`.
    pub(crate) fn new(name: &str, fields: serde_json::Value) -> Self {
        let mut package = serde_json::json!({
            "name": name, "version": "0.1.0", "id": name, "dependencies": [], "targets": [], "features": {},
            "manifest_path": format!("/project/crates/{name}/Cargo.toml"),
        });
        let serde_json::Value::Object(fields) = fields else { panic!("{fields} are no fields") };
        package.as_object_mut().unwrap().extend(fields);
        let package = serde_json::from_value(package).unwrap();
        Self { package, folder: format!("crates/{name}") }
    }

    pub(crate) fn in_folder(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_relative_to_the_root() {
        let packages = packages().unwrap();
        let core = packages.iter().find(|package| package.name == "textsearch-core").unwrap();
        assert_eq!(core.file("README.md"), "crates/textsearch-core/README.md");
        assert!(core.is_library());
    }
}
