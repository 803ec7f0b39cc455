//! Names of files in the store.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use textsearch_core::Filter;

use crate::ingest::error::{IngestError, Result};

/// A file, or a folder with everything below it, by its name in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ingest) enum Scope {
    File(String),
    /// Empty for the working folder.
    Folder(String),
}

/// In bytes. Qdrant compares no more.
const LONGEST_BEGINNING: usize = 29;

/// Beginnings of paths that aren't in the working folder.
const ELSEWHERE: [&str; 4] = ["../", "/", "http://", "https://"];

impl Scope {
    pub(in crate::ingest) fn contains(&self, path: &str) -> bool {
        match self {
            Self::File(file) => path == file,
            Self::Folder(folder) if folder.is_empty() => {
                path != ".." && !ELSEWHERE.iter().any(|beginning| path.starts_with(beginning))
            }
            Self::Folder(folder) if folder.ends_with('/') => path.starts_with(folder),
            Self::Folder(folder) => {
                path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
            }
        }
    }

    /// Matches each file in here. For a folder with a long name, it also matches others.
    pub(in crate::ingest) fn filter(&self, field: &str) -> Filter {
        let below = |folder: &str| Filter::starts_with(field, beginning(folder));
        match self {
            Self::File(file) => Filter::eq(field, file.as_str()),
            // All paths except those of pages, absolute paths and paths that leave the working folder.
            Self::Folder(folder) if folder.is_empty() => {
                let elsewhere = ELSEWHERE.iter().map(|beginning| below(beginning));
                let elsewhere = elsewhere.chain([Filter::eq(field, "..")]);
                Filter::Not(Box::new(Filter::any(elsewhere)))
            }
            Self::Folder(folder) if folder.ends_with('/') => below(folder),
            Self::Folder(folder) => below(&format!("{folder}/")),
        }
    }
}

fn beginning(folder: &str) -> &str {
    let mut ends = (0..=LONGEST_BEGINNING.min(folder.len())).rev();
    ends.find_map(|end| folder.get(..end)).unwrap_or_default()
}

/// Removes folders that `..` leaves again: `docs/../f.md` isn't in `docs`, so a filter on `docs/`
/// must not match it. Returns the real path if a link is part of the path, so that a document has one name.
pub(in crate::ingest) fn without_detours(
    path: &Path,
    working_folder: &Path,
) -> io::Result<PathBuf> {
    let mut short = PathBuf::new();
    for part in path.components() {
        let may_go_up = matches!(short.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::ParentDir if may_go_up => drop(short.pop()),
            part => short.push(part),
        }
    }
    if short.as_os_str().is_empty() {
        short.push(Component::CurDir);
    }
    // The system has followed the links above the working folder.
    let below = short.strip_prefix(working_folder).unwrap_or(&short);
    let has_link = below.ancestors().any(Path::is_symlink);
    if short == path && !has_link {
        return Ok(short);
    }
    let real = fs::canonicalize(path)?;
    let is_same = || fs::canonicalize(&short).is_ok_and(|same| same == real);
    Ok(if !has_link && is_same() { short } else { real })
}

/// Returns the name of `path` in the store: relative to the working folder, with `/` between the
/// parts and without `.`. Fails if the path isn't UTF-8, because a link couldn't hold it.
pub(in crate::ingest) fn name_of(path: &Path, working_folder: &Path) -> Result<String> {
    let path = path.strip_prefix(working_folder).unwrap_or(path);
    let mut name = String::new();
    for part in path.components() {
        let not_utf8 = || IngestError::NotUtf8 { path: path.display().to_string() };
        let text = part.as_os_str().to_str().ok_or_else(not_utf8)?;
        match part {
            Component::CurDir => {}
            Component::RootDir => name.push('/'),
            Component::Prefix(_) => name.push_str(&text.replace('\\', "/")),
            Component::ParentDir | Component::Normal(_) => {
                if !name.is_empty() && !name.ends_with('/') {
                    name.push('/');
                }
                name.push_str(text);
            }
        }
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str) -> String {
        name_of(Path::new(path), Path::new("/projects/here")).unwrap()
    }

    #[test]
    fn file_has_one_name_in_every_spelling() {
        for path in ["docs/a.md", "./docs/a.md", "docs//./a.md", "/projects/here/docs/a.md"] {
            assert_eq!(name(path), "docs/a.md", "{path}");
        }
        assert_eq!(name("."), "");
        assert_eq!(name("docs/"), "docs");
        assert_eq!(name("../a.md"), "../a.md");
        assert_eq!(name("/elsewhere/a.md"), "/elsewhere/a.md");
    }

    fn filters(scope: &Scope, path: &str) -> bool {
        scope.filter("path").matches(&serde_json::json!({ "path": path }))
    }

    /// For short names, the filter must agree with `Scope::contains`.
    fn contains(scope: &Scope, path: &str) -> bool {
        let contains = scope.contains(path);
        assert_eq!(filters(scope, path), contains, "{scope:?} {path}");
        contains
    }

    #[test]
    fn filter_truncates_long_folders_between_characters() {
        for (folder, taken) in [
            ("a/folder/of/twenty-eight/byt", "a/folder/of/twenty-eight/byt/"),
            ("a/folder/of/twenty-nine/bytes", "a/folder/of/twenty-nine/bytes"),
            ("a/folder/with/a/character/ofö", "a/folder/with/a/character/of"),
        ] {
            let scope = Scope::Folder(folder.to_owned());
            assert_eq!(scope.filter("path"), Filter::starts_with("path", taken));
            let inside = format!("{folder}/a.md");
            assert!(scope.contains(&inside) && filters(&scope, &inside));
            assert!(!scope.contains(&format!("{folder}-old/a.md")));
        }
    }

    #[test]
    fn folder_scope_excludes_names_with_the_same_prefix() {
        let docs = Scope::Folder("docs".to_owned());
        assert!(contains(&docs, "docs/a.md") && contains(&docs, "docs/deep/b.md"));
        for other in ["docs", "docs-old/a.md", "a.md", "x/docs/a.md"] {
            assert!(!contains(&docs, other), "{other}");
        }
        assert!(contains(&Scope::Folder("/".to_owned()), "/tmp/a.md"));
    }

    #[test]
    fn file_scope_contains_only_the_file() {
        let file = Scope::File("docs/a.md".to_owned());
        assert!(contains(&file, "docs/a.md") && !contains(&file, "docs/a.md.txt"));
    }

    #[test]
    fn working_folder_excludes_parents_absolute_paths_and_pages() {
        let here = Scope::Folder(String::new());
        assert!(
            contains(&here, "a.md") && contains(&here, "docs/a.md") && contains(&here, "..a.md")
        );
        assert!(!contains(&here, "../a.md") && !contains(&here, "/elsewhere/a.md"));
        assert!(!contains(&here, "https://a.example/b") && contains(&here, "http/a.md"));
    }
}
