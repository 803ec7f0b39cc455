//! The packages, and the files that are or will be under version control.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use ignore::WalkBuilder;

use crate::metadata::{self, Package};
use crate::shell;

#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) packages: Vec<Package>,
    /// By path, relative to the root, with `/`.
    pub(crate) files: BTreeMap<String, File>,
}

#[derive(Debug)]
pub(crate) struct File {
    pub(crate) bytes: usize,
    /// `None` for a file that is not UTF-8.
    pub(crate) text: Option<String>,
}

impl Project {
    pub(crate) fn load() -> Result<Self> {
        let root = shell::root();
        let read = |path: String| {
            let bytes = std::fs::read(root.join(&path));
            let bytes = bytes.with_context(|| format!("cannot read {path}"))?;
            Ok((path, File::from(bytes)))
        };
        let files = paths(&root)?.into_iter().map(read).collect::<Result<_>>()?;
        Ok(Self { packages: metadata::packages()?, files })
    }

    /// Empty if the file is missing or not text.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.files.get(path).and_then(|file| file.text.as_deref()).unwrap_or_default()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, file)| Some((path.as_str(), file.text.as_deref()?)))
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// Those below `crates/`.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.folder.starts_with("crates/"))
    }
}

impl From<Vec<u8>> for File {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.len(), text: String::from_utf8(bytes).ok() }
    }
}

/// Files that git tracks or could track, relative to `root`, with `/`.
pub(crate) fn paths(root: &Path) -> Result<Vec<String>> {
    let mut walk = WalkBuilder::new(root);
    // Folders below an ignored one, such as `target/templates`, follow their own ignore rules.
    walk.hidden(false).require_git(false).parents(false);
    walk.filter_entry(|entry| entry.file_name() != ".git");
    let mut paths = Vec::new();
    for entry in walk.build() {
        let path = entry?.into_path();
        if path.is_file() {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            paths.push(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(paths)
}

#[cfg(test)]
impl Project {
    pub(crate) fn from_files(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), File::from(text.as_bytes().to_vec())));
        Self { packages: Vec::new(), files: files.collect() }
    }

    pub(crate) fn with_package(mut self, package: Package) -> Self {
        self.packages.push(package);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn a_folder_exists_if_a_file_is_in_it() {
        let project = Project::from_files(&[("docs/guide.md", "")]);
        assert!(project.has("docs/guide.md") && project.has("docs") && project.has("docs/"));
        assert!(!project.has("doc") && !project.has("docs/other.md"));
    }

    #[test]
    fn files_that_git_ignores_are_left_out() {
        let scratch = TempDir::new().unwrap();
        let root = scratch.path();
        std::fs::create_dir_all(root.join("target")).unwrap();
        std::fs::create_dir_all(root.join(".ci")).unwrap();
        std::fs::write(root.join(".gitignore"), "/target\n").unwrap();
        std::fs::write(root.join("target/built"), "").unwrap();
        std::fs::write(root.join(".ci/run"), "").unwrap();
        let mut listed = paths(root).unwrap();
        listed.sort();
        assert_eq!(listed, [".ci/run", ".gitignore"]);
        assert_eq!(paths(&root.join("target")).unwrap(), ["built"]);
    }
}
