//! Makes the packages that cargo would publish, and lets the programs take them instead of crates.io's.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{
    metadata::{self, Package},
    shell,
};

/// Writes each library's package into `folder/packages`, and a configuration that names them for all
/// programs below `folder`.
pub(super) fn unpack(folder: &Path, target: &Path) -> Result<()> {
    let packages = metadata::packages()?;
    let libraries: Vec<&Package> =
        packages.iter().filter(|package| is_published(package)).collect();
    let mut pack = shell::cargo("package --quiet --no-verify --allow-dirty");
    pack.args(libraries.iter().flat_map(|package| ["--package", package.name.as_str()]));
    shell::read(pack.env("CARGO_TARGET_DIR", target)).context("consumer: packaging failed")?;

    let unpacked = folder.join("packages");
    fs::create_dir_all(&unpacked)?;
    for package in &libraries {
        let archive = target.join("package").join(format!("{}.crate", with_version(package)));
        let mut unpack = Command::new("tar");
        shell::read(unpack.arg("-xzf").arg(archive).arg("-C").arg(&unpacked))?;
    }
    fs::create_dir_all(folder.join(".cargo"))?;
    fs::write(folder.join(".cargo/config.toml"), configuration(&libraries, &unpacked))?;
    Ok(())
}

fn is_published(package: &Package) -> bool {
    package.folder.starts_with("crates/") && package.is_library() && package.publish.is_none()
}

fn with_version(package: &Package) -> String {
    format!("{}-{}", package.name, package.version)
}

fn configuration(packages: &[&Package], unpacked: &Path) -> String {
    let lines = packages.iter().map(|package| {
        format!("{} = {{ path = {:?} }}\n", package.name, unpacked.join(with_version(package)))
    });
    std::iter::once("[patch.crates-io]\n".to_owned()).chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn programs_take_the_packages() {
        let core = Package::new("textsearch-core", json!({}));
        assert_eq!(
            configuration(&[&core], Path::new("packages")),
            "[patch.crates-io]\ntextsearch-core = { path = \"packages/textsearch-core-0.1.0\" }\n"
        );
    }

    #[test]
    fn programs_of_the_workspace_are_no_packages() {
        let packages = metadata::packages().unwrap();
        let published = packages.iter().filter(|package| is_published(package));
        let names: Vec<&str> = published.map(|package| package.name.as_str()).collect();
        assert!(names.contains(&"textsearch-core"), "{names:?}");
        for name in ["xtask", "examples", "textsearch-cli"] {
            assert!(!names.contains(&name), "{name}");
        }
    }
}
