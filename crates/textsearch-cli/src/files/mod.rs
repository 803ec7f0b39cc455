//! Which files are read: those that were named, and those in the folders that were named.

mod kinds;
mod path;
mod unread;
mod walk;

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

use textsearch_documents::{DocumentFormat, ExternalLoader};

use self::path::{name_of, without_detours};
pub(crate) use self::{path::Scope, unread::warn_of, walk::find_files};

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceFile {
    /// Where it is.
    pub(crate) location: PathBuf,
    /// What it is called in the store and in links: its path with `/` between the parts.
    pub(crate) path: String,
    /// How it is read.
    pub(crate) kind: FileKind,
    /// The program that makes text of it, if one does.
    pub(crate) loader: Option<Arc<ExternalLoader>>,
    /// Whether it was named itself: then it is an error if it cannot be read.
    pub(crate) is_named: bool,
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Headings, lists and code in Markdown.
    Markdown,
    /// Text without marks.
    PlainText,
    /// A web page.
    Html,
    /// One JSON object a line.
    JsonLines,
}

impl FileKind {
    /// The kind that the ending of a file's name says; `None` for a file that only a person can judge.
    fn of(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdx" => Some(Self::Markdown),
            "txt" | "text" | "rst" | "adoc" | "org" => Some(Self::PlainText),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }

    /// The format of the one document that such a file is; `None` for a file of records.
    pub(crate) fn format(self) -> Option<DocumentFormat> {
        match self {
            Self::Markdown => Some(DocumentFormat::Markdown),
            Self::PlainText => Some(DocumentFormat::PlainText),
            Self::Html => Some(DocumentFormat::Html),
            Self::JsonLines => None,
        }
    }
}

/// A file or folder that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Skipped {
    /// What was left out.
    pub(crate) path: String,
    /// Why.
    pub(crate) reason: String,
    /// The ending of its name, if nothing reads files of its kind; empty for a name without one.
    #[serde(skip)]
    pub(crate) unread_kind: Option<String>,
}

/// What was found under the paths that were named.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The files, in the order of the paths and below them of their names; each once.
    pub(crate) files: Vec<SourceFile>,
    /// The parts of the file tree that these files are all of.
    pub(crate) scopes: Vec<Scope>,
    /// What could not even be looked at.
    pub(crate) skipped: Vec<Skipped>,
}

impl Found {
    /// Leaves out the store at `path` and the files beside it that belong to it: nobody wants to search them.
    pub(crate) fn leave_out_store(&mut self, path: &Path) {
        let Ok(working_folder) = env::current_dir() else { return };
        let path = without_detours(path).unwrap_or_else(|_| path.to_owned());
        let Ok(store) = name_of(&path, &working_folder) else { return };
        self.skipped.retain(|skipped| {
            let rest = skipped.path.strip_prefix(&store);
            let is_of_store = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            skipped.unread_kind.is_none() || !is_of_store
        });
    }
}
