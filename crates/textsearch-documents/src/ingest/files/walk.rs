//! Walks through folders.

use std::{
    collections::{HashMap, HashSet},
    env, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use ignore::{DirEntry, WalkBuilder};

use super::{
    FileKind, Scope, SourceFile, SourceFiles, Stamp,
    path::{name_of, without_detours},
};
use crate::{
    ExternalLoader, Reader,
    ingest::{
        error::{IngestError, Result, single_line},
        skipped::{SkipReason, Skipped},
    },
    read::{extension_of, is_document},
};

/// Finds the files to ingest: all but images, programs and others whose extension says that they
/// hold no text.
///
/// A file is recognised by its content, then by its extension, once it is read. Loaders and readers
/// take the files with their extensions.
///
/// Walks folders recursively in the order of names, without hidden files, those named by
/// `.gitignore` and `.ignore`, and the file that is the standard output of the process. Skips and reports symbolic links in folders: they may lead out of
/// the folder.
#[derive(Debug, Clone, Default)]
pub struct FileWalker {
    kinds: HashMap<String, FileKind>,
    #[cfg(feature = "csv")]
    records: bool,
}

impl FileWalker {
    /// Creates a walker for the formats that the crate reads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads files with this extension, such as `pdf`, with a program.
    #[must_use]
    pub fn with_loader(mut self, extension: impl Into<String>, loader: ExternalLoader) -> Self {
        self.kinds.insert(extension.into().to_lowercase(), FileKind::Loader(Arc::new(loader)));
        self
    }

    /// Reads files with this extension, such as `pdf`, with a server.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn with_http_loader(
        mut self,
        extension: impl Into<String>,
        loader: crate::HttpLoader,
    ) -> Self {
        self.kinds.insert(extension.into().to_lowercase(), FileKind::HttpLoader(Arc::new(loader)));
        self
    }

    /// Reads files with this extension, such as `dwg`, with `reader`.
    #[must_use]
    pub fn with_reader(mut self, extension: impl Into<String>, reader: Arc<dyn Reader>) -> Self {
        self.kinds.insert(extension.into().to_lowercase(), FileKind::Reader(reader));
        self
    }

    /// Sets whether each row of CSV and TSV is a record, like a line of JSON Lines. Default: false, a
    /// file is a table.
    ///
    /// The first row names the fields. A column of numbers or booleans has such values, any other has
    /// texts, and a blank cell is null. The files must be UTF-8.
    #[cfg(feature = "csv")]
    #[must_use]
    pub fn with_records(mut self, enabled: bool) -> Self {
        self.records = enabled;
        self
    }

    /// Finds the files at `paths` and in their folders. Paths in the working folder are stored
    /// relative to it.
    ///
    /// # Errors
    ///
    /// Returns [`NotFound`](IngestError::NotFound), [`NotAFile`](IngestError::NotAFile),
    /// [`NotUtf8`](IngestError::NotUtf8) or [`Unreadable`](IngestError::Unreadable) if one of
    /// `paths` fails. Failures below a folder are skipped.
    pub fn walk(&self, paths: &[impl AsRef<Path>]) -> Result<SourceFiles> {
        let working_folder =
            env::current_dir().map_err(|error| unreachable_path(Path::new("."), error))?;
        let mut walked = SourceFiles { time: Some(SystemTime::now()), ..SourceFiles::default() };
        for path in paths {
            self.add_path(path.as_ref(), &working_folder, &mut walked)?;
        }
        let mut seen = HashSet::new();
        walked.files.retain(|file| seen.insert(file.path.clone()));
        // The caller may pass a file together with its folder, or a folder twice.
        walked.skipped.retain(|skipped| {
            matches!(skipped.reason, SkipReason::Failed(_)) || seen.insert(skipped.path.clone())
        });
        Ok(walked)
    }

    fn add_path(&self, path: &Path, working_folder: &Path, walked: &mut SourceFiles) -> Result<()> {
        let metadata = fs::metadata(path).map_err(|error| unreachable_path(path, error))?;
        let real = without_detours(path, working_folder);
        let real = real.map_err(|error| unreachable_path(path, error))?;
        let name = name_of(&real, working_folder)?;
        // Earlier versions stored documents under the name of a link.
        let other_name = name_of(path, working_folder).ok().filter(|other| *other != name);
        let names = [Some(name.clone()), other_name].into_iter().flatten();
        if metadata.is_dir() {
            walked.scopes.extend(names.map(Scope::Folder));
            self.add_folder(&real, working_folder, walked);
            return Ok(());
        }
        if !metadata.is_file() {
            return Err(IngestError::NotAFile { path: path.display().to_string() });
        }
        let kind = self.kind_of(&extension_of(path));
        walked.scopes.extend(names.map(Scope::File));
        // The extension of a link counts, and its target may have none.
        walked.files.push(source(path.to_owned(), name, kind));
        Ok(())
    }

    fn add_folder(&self, folder: &Path, working_folder: &Path, walked: &mut SourceFiles) {
        for entry in walk(folder) {
            let file = match entry {
                Ok(entry) => self.as_source(entry, working_folder),
                Err(error) if is_gone(&error, folder) => Ok(None),
                Err(error) => {
                    let path = path_of(&error).unwrap_or(folder).to_owned();
                    Err(skipped(&path, working_folder, &error))
                }
            };
            match file {
                Ok(file) => walked.files.extend(file),
                Err(skipped) => walked.skipped.push(skipped),
            }
        }
    }

    fn as_source(
        &self,
        entry: DirEntry,
        working_folder: &Path,
    ) -> Result<Option<SourceFile>, Skipped> {
        // The given folder may be a link itself.
        let is_link = entry.path_is_symlink() && entry.depth() > 0;
        if !is_link && !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return Ok(None);
        }
        let path = name_of(entry.path(), working_folder)
            .map_err(|error| skipped(entry.path(), working_folder, &error))?;
        if is_link {
            return Err(Skipped { path, reason: SkipReason::Link });
        }
        let extension = extension_of(entry.path());
        if !is_document(&extension) && !self.kinds.contains_key(&extension) {
            return Err(Skipped { path, reason: SkipReason::NotADocument(extension) });
        }
        let kind = self.kind_of(&extension);
        Ok(Some(source(entry.into_path(), path, kind)))
    }

    fn kind_of(&self, extension: &str) -> FileKind {
        match self.kinds.get(extension) {
            Some(kind) => kind.clone(),
            None if matches!(extension, "jsonl" | "ndjson") => FileKind::JsonLines,
            #[cfg(feature = "csv")]
            None if self.records && extension == "csv" => FileKind::Rows(b','),
            #[cfg(feature = "csv")]
            None if self.records && extension == "tsv" => FileKind::Rows(b'\t'),
            None => FileKind::Document,
        }
    }
}

fn source(location: PathBuf, path: String, kind: FileKind) -> SourceFile {
    // Reading reports the error.
    let stamp = Stamp::of(&location).unwrap_or_default();
    SourceFile { location, path, kind, stamp }
}

fn unreachable_path(path: &Path, source: io::Error) -> IngestError {
    let path = path.display().to_string();
    match source.kind() {
        io::ErrorKind::NotFound => IngestError::NotFound { path },
        _ => IngestError::Unreadable { path, source },
    }
}

/// Whether something below `folder` was deleted during the walk.
fn is_gone(error: &ignore::Error, folder: &Path) -> bool {
    let is_gone = error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    is_gone && path_of(error).is_some_and(|path| path != folder)
}

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

fn skipped(
    path: &Path,
    working_folder: &Path,
    error: &(dyn std::error::Error + 'static),
) -> Skipped {
    let name = name_of(path, working_folder).unwrap_or_else(|_| path.display().to_string());
    Skipped { path: name, reason: SkipReason::Failed(single_line(error)) }
}

fn walk(folder: &Path) -> ignore::Walk {
    WalkBuilder::new(folder)
        // Index the same files regardless of the user's settings or a surrounding repository.
        .require_git(false)
        .git_global(false)
        .git_exclude(false)
        // A run whose output is a file in the folder would read what it writes.
        .skip_stdout(true)
        .sort_by_file_name(|left, right| left.cmp(right))
        .build()
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

    fn walk(paths: &[std::path::PathBuf]) -> Result<SourceFiles> {
        FileWalker::new().walk(paths)
    }

    fn names(folder: &tempfile::TempDir, walked: &SourceFiles) -> Vec<String> {
        let prefix = format!("{}/", folder.path().display());
        walked.files.iter().map(|file| file.path.replace(&prefix, "")).collect()
    }

    #[test]
    fn walks_folders_recursively_in_name_order() {
        let folder = folder_with(&[
            ("b.md", ""),
            ("a/z.html", ""),
            ("a/y.txt", ""),
            ("c.jsonl", ""),
            ("d.png", ""),
        ]);
        let walked = walk(&[folder.path().to_owned()]).unwrap();
        assert_eq!(names(&folder, &walked), ["a/y.txt", "a/z.html", "b.md", "c.jsonl"]);
        assert!(matches!(walked.files[3].kind, FileKind::JsonLines));
    }

    #[test]
    fn hidden_and_ignored_files_are_skipped_unless_named() {
        let folder = folder_with(&[
            (".gitignore", "drafts/\n"),
            ("drafts/a.md", ""),
            (".hidden/b.md", ""),
            ("c.md", ""),
        ]);
        let walked = walk(&[folder.path().to_owned()]).unwrap();
        assert_eq!(names(&folder, &walked), ["c.md"]);
        let walked = walk(&[folder.path().join(".hidden/b.md")]).unwrap();
        assert_eq!(names(&folder, &walked), [".hidden/b.md"]);
    }

    #[test]
    fn a_file_that_is_found_twice_is_read_once() {
        let folder = folder_with(&[("a.md", ""), ("b.md", "")]);
        let walked = walk(&[folder.path().join("b.md"), folder.path().to_owned()]).unwrap();
        assert_eq!(names(&folder, &walked), ["b.md", "a.md"]);
        assert_eq!(walked.scopes.len(), 2);
    }

    #[test]
    fn named_file_is_read_regardless_of_extension() {
        let folder = folder_with(&[("icon.svg", "<svg/>")]);
        assert_eq!(walk(&[folder.path().to_owned()]).unwrap().len(), 0);
        assert_eq!(walk(&[folder.path().join("icon.svg")]).unwrap().len(), 1);
    }

    #[test]
    fn missing_path_is_named_in_the_error() {
        let error = walk(&["no-such-folder".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no file or folder `no-such-folder`: try another path"
        );
    }
}
