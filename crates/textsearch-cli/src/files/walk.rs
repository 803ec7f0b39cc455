//! Walking through the paths that were named.

use std::{
    collections::HashSet,
    env, fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use ignore::{DirEntry, WalkBuilder};

use super::{
    FileKind, Found, Scope, Skipped, SourceFile,
    path::{name_of, without_detours},
};
use crate::errors::one_line;

/// The files that `paths` name and those in the folders that they name.
///
/// # Errors
///
/// Where a path that was named is not there or is neither a file nor a folder.
pub(crate) fn find_files(paths: &[PathBuf]) -> Result<Found> {
    let working_folder = env::current_dir().context("the working folder cannot be found")?;
    let mut found = Found::default();
    for path in paths {
        add_path(path, &working_folder, &mut found)?;
    }
    let mut seen = HashSet::new();
    found.files.retain(|file| seen.insert(file.path.clone()));
    Ok(found)
}

fn add_path(path: &Path, working_folder: &Path, found: &mut Found) -> Result<()> {
    let metadata = fs::metadata(path).map_err(|error| unreachable_path(path, error))?;
    let path = &without_detours(path).map_err(|error| unreachable_path(path, error))?;
    let name = name_of(path, working_folder)?;
    if metadata.is_dir() {
        found.scopes.push(Scope::Folder(name));
        add_folder(path, working_folder, found);
        return Ok(());
    }
    if !metadata.is_file() {
        bail!("`{}` is neither a file nor a folder: try a path of one", path.display());
    }
    // A person who names a file knows that it is text.
    let kind = kind_of(path).unwrap_or(FileKind::PlainText);
    found.scopes.push(Scope::File(name.clone()));
    found.files.push(SourceFile { location: path.to_owned(), path: name, kind, is_named: true });
    Ok(())
}

fn unreachable_path(path: &Path, error: io::Error) -> anyhow::Error {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            anyhow::anyhow!("there is no file or folder `{path}`: try another path")
        }
        _ => anyhow::Error::new(error).context(format!("`{path}` cannot be read")),
    }
}

fn add_folder(folder: &Path, working_folder: &Path, found: &mut Found) {
    for entry in walk(folder) {
        let file = match entry {
            Ok(entry) => as_source(entry, working_folder),
            Err(error) if is_gone(&error, folder) => Ok(None),
            Err(error) => {
                let path = path_of(&error).unwrap_or(folder).to_owned();
                Err(skipped(&path, working_folder, &error.into()))
            }
        };
        match file {
            Ok(file) => found.files.extend(file),
            Err(skipped) => found.skipped.push(skipped),
        }
    }
}

/// Whether something below `folder` is not there any more since its own folder was read, as if it never had been.
fn is_gone(error: &ignore::Error, folder: &Path) -> bool {
    let is_gone = error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    is_gone && path_of(error).is_some_and(|path| path != folder)
}

/// The path that an error of the walk is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

fn skipped(path: &Path, working_folder: &Path, error: &anyhow::Error) -> Skipped {
    let name = name_of(path, working_folder).unwrap_or_else(|_| path.display().to_string());
    Skipped { path: name, reason: one_line(error) }
}

/// Everything below `folder` but hidden files and what `.gitignore` and `.ignore` name, in the order of names.
fn walk(folder: &Path) -> ignore::Walk {
    WalkBuilder::new(folder)
        // What is indexed depends on the files alone, not on whose machine they are or on a repository around them.
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        .sort_by_file_name(|left, right| left.cmp(right))
        .build()
}

/// The file to read, if it is one.
fn as_source(entry: DirEntry, working_folder: &Path) -> Result<Option<SourceFile>, Skipped> {
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    let Some(kind) = kind_of(entry.path()).filter(|_| is_file) else { return Ok(None) };
    let path = name_of(entry.path(), working_folder)
        .map_err(|error| skipped(entry.path(), working_folder, &error))?;
    Ok(Some(SourceFile { location: entry.into_path(), path, kind, is_named: false }))
}

fn kind_of(path: &Path) -> Option<FileKind> {
    FileKind::of(path.extension()?.to_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(folder: &tempfile::TempDir, found: &Found) -> Vec<String> {
        let prefix = format!("{}/", folder.path().display());
        found.files.iter().map(|file| file.path.replace(&prefix, "")).collect()
    }

    #[test]
    fn a_folder_is_read_to_the_bottom_in_the_order_of_names() {
        let folder = folder_with(&[
            ("b.md", ""),
            ("a/z.html", ""),
            ("a/y.txt", ""),
            ("c.jsonl", ""),
            ("d.png", ""),
        ]);
        let found = find_files(&[folder.path().to_owned()]).unwrap();
        assert_eq!(names(&folder, &found), ["a/y.txt", "a/z.html", "b.md", "c.jsonl"]);
        assert_eq!(found.files[1].kind, FileKind::Html);
    }

    #[test]
    fn hidden_and_ignored_files_are_left_out_unless_they_are_named() {
        let folder = folder_with(&[
            (".gitignore", "drafts/\n"),
            ("drafts/a.md", ""),
            (".hidden/b.md", ""),
            ("c.md", ""),
        ]);
        let found = find_files(&[folder.path().to_owned()]).unwrap();
        assert_eq!(names(&folder, &found), ["c.md"]);
        let found = find_files(&[folder.path().join(".hidden/b.md")]).unwrap();
        assert_eq!(names(&folder, &found), [".hidden/b.md"]);
    }

    #[test]
    fn a_file_that_is_found_twice_is_read_once() {
        let folder = folder_with(&[("a.md", ""), ("b.md", "")]);
        let found = find_files(&[folder.path().join("b.md"), folder.path().to_owned()]).unwrap();
        assert_eq!(names(&folder, &found), ["b.md", "a.md"]);
        assert_eq!(found.scopes.len(), 2);
    }

    #[test]
    fn a_file_that_is_named_is_text_whatever_its_ending() {
        let folder = folder_with(&[("LICENSE", "MIT")]);
        let found = find_files(&[folder.path().join("LICENSE")]).unwrap();
        assert_eq!(found.files[0].kind, FileKind::PlainText);
    }

    #[test]
    fn a_path_that_is_not_there_is_an_error_that_names_it() {
        let error = find_files(&["no-such-folder".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no file or folder `no-such-folder`: try another path"
        );
    }
}
