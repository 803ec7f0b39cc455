//! What the rules look at: the packages, and the files that are or will be under version control.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};

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
    /// Reads the workspace that this program was built in.
    ///
    /// # Errors
    /// If a manifest does not parse or a file cannot be read.
    pub(crate) fn load() -> Result<Self> {
        let root = shell::root();
        let mut project = Self { packages: metadata::packages()?, ..Self::default() };
        project.add_files(&root, paths(&root)?)?;
        Ok(project)
    }

    /// Adds the crates of the workspace at `root`.
    pub(crate) fn add_crates_of(&mut self, root: &Path) -> Result<()> {
        let mut paths = Vec::new();
        walk(root, &root.join("crates"), &mut paths)?;
        self.add_files(root, paths)?;
        self.packages.extend(metadata::packages_of(root)?);
        Ok(())
    }

    fn add_files(&mut self, root: &Path, paths: Vec<String>) -> Result<()> {
        for path in paths {
            let full = root.join(&path);
            // A file may be deleted and still be in the index of git.
            if full.is_file() {
                let bytes = std::fs::read(&full).with_context(|| format!("cannot read {path}"))?;
                self.files.insert(path, File::from(bytes));
            }
        }
        Ok(())
    }

    /// The text of a file, or nothing if it is not there or not text.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.files.get(path).and_then(|file| file.text.as_deref()).unwrap_or_default()
    }

    /// Path and text of all files that hold text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, file)| Some((path.as_str(), file.text.as_deref()?)))
    }

    /// Whether a file or a folder has this path.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// The packages below `crates/`: those that are published.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.folder.starts_with("crates/"))
    }
}

impl From<Vec<u8>> for File {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.len(), text: String::from_utf8(bytes).ok() }
    }
}

/// Files that are tracked or could be, as git sees it; outside a repository, all files that no build made.
///
/// # Errors
/// If a folder cannot be listed.
pub(crate) fn paths(root: &Path) -> Result<Vec<String>> {
    let mut command = std::process::Command::new("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    if let Ok(listing) = shell::read(command.current_dir(root)) {
        return Ok(listing.split_terminator('\0').map(str::to_owned).collect());
    }
    let mut paths = Vec::new();
    walk(root, root, &mut paths)?;
    Ok(paths)
}

fn walk(root: &Path, folder: &Path, paths: &mut Vec<String>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let is_built = path.ends_with("target") || path.ends_with(".git");
        if path.is_dir() && !is_built {
            walk(root, &path, paths)?;
        } else if path.is_file() {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            paths.push(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

#[cfg(test)]
impl Project {
    /// A project made of texts, for the tests of the rules.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
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
        let project = Project::of(&[("docs/guide.md", "")]);
        assert!(project.has("docs/guide.md") && project.has("docs") && project.has("docs/"));
        assert!(!project.has("doc") && !project.has("docs/other.md"));
    }

    #[test]
    fn without_git_every_file_that_no_build_made_is_found() {
        let scratch = TempDir::new().unwrap();
        let root = scratch.path();
        std::fs::create_dir_all(root.join("target")).unwrap();
        std::fs::create_dir_all(root.join("docs")).unwrap();
        std::fs::write(root.join("target/built"), "").unwrap();
        std::fs::write(root.join("docs/guide.md"), "").unwrap();
        let mut paths = Vec::new();
        walk(root, root, &mut paths).unwrap();
        assert_eq!(paths, ["docs/guide.md"]);
    }
}
