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
    kinds::{Kinds, extension_of},
    path::{name_of, without_detours},
    unread::reason_of,
};
use crate::{arguments::ReadingArguments, errors::one_line};

/// The files that `paths` name and those in the folders that they name, read as `reading` says.
///
/// # Errors
///
/// Where a path that was named is not there or is neither a file nor a folder.
pub(crate) fn find_files(paths: &[PathBuf], reading: &ReadingArguments) -> Result<Found> {
    let working_folder = env::current_dir().context("the working folder cannot be found")?;
    let kinds = Kinds::new(reading);
    let mut found = Found::default();
    for path in paths {
        add_path(path, &working_folder, &kinds, &mut found)?;
    }
    let mut seen = HashSet::new();
    found.files.retain(|file| seen.insert(file.path.clone()));
    // A file of an unknown kind may be named beside its folder, and a folder twice.
    found
        .skipped
        .retain(|skipped| skipped.unread_kind.is_none() || seen.insert(skipped.path.clone()));
    Ok(found)
}

fn add_path(path: &Path, working_folder: &Path, kinds: &Kinds, found: &mut Found) -> Result<()> {
    let metadata = fs::metadata(path).map_err(|error| unreachable_path(path, error))?;
    let path = &without_detours(path).map_err(|error| unreachable_path(path, error))?;
    let name = name_of(path, working_folder)?;
    if metadata.is_dir() {
        found.scopes.push(Scope::Folder(name));
        add_folder(path, working_folder, kinds, found);
        return Ok(());
    }
    if !metadata.is_file() {
        bail!("`{}` is neither a file nor a folder: try a path of one", path.display());
    }
    // A person who names a file knows that it is text.
    let (kind, loader) = kinds.of(path).unwrap_or((FileKind::PlainText, None));
    found.scopes.push(Scope::File(name.clone()));
    let location = path.to_owned();
    found.files.push(SourceFile { location, path: name, kind, loader, is_named: true });
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

fn add_folder(folder: &Path, working_folder: &Path, kinds: &Kinds, found: &mut Found) {
    for entry in walk(folder) {
        let file = match entry {
            Ok(entry) => as_source(entry, working_folder, kinds),
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
    Skipped { path: name, reason: one_line(error), unread_kind: None }
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
fn as_source(
    entry: DirEntry,
    working_folder: &Path,
    kinds: &Kinds,
) -> Result<Option<SourceFile>, Skipped> {
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return Ok(None);
    }
    let path = name_of(entry.path(), working_folder)
        .map_err(|error| skipped(entry.path(), working_folder, &error))?;
    let Some((kind, loader)) = kinds.of(entry.path()) else {
        let kind = extension_of(entry.path());
        return Err(Skipped { path, reason: reason_of(&kind), unread_kind: Some(kind) });
    };
    Ok(Some(SourceFile { location: entry.into_path(), path, kind, loader, is_named: false }))
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
        let found = find_files(&[folder.path().to_owned()], &ReadingArguments::default()).unwrap();
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
        let found = find_files(&[folder.path().to_owned()], &ReadingArguments::default()).unwrap();
        assert_eq!(names(&folder, &found), ["c.md"]);
        let found = find_files(&[folder.path().join(".hidden/b.md")], &ReadingArguments::default())
            .unwrap();
        assert_eq!(names(&folder, &found), [".hidden/b.md"]);
    }

    #[test]
    fn a_file_that_is_found_twice_is_read_once() {
        let folder = folder_with(&[("a.md", ""), ("b.md", "")]);
        let found = find_files(
            &[folder.path().join("b.md"), folder.path().to_owned()],
            &ReadingArguments::default(),
        )
        .unwrap();
        assert_eq!(names(&folder, &found), ["b.md", "a.md"]);
        assert_eq!(found.scopes.len(), 2);
    }

    #[test]
    fn a_file_that_is_named_is_text_whatever_its_ending() {
        let folder = folder_with(&[("LICENSE", "MIT")]);
        let found =
            find_files(&[folder.path().join("LICENSE")], &ReadingArguments::default()).unwrap();
        assert_eq!(found.files[0].kind, FileKind::PlainText);
    }

    #[test]
    fn a_path_that_is_not_there_is_an_error_that_names_it() {
        let error =
            find_files(&["no-such-folder".into()], &ReadingArguments::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no file or folder `no-such-folder`: try another path"
        );
    }
}
