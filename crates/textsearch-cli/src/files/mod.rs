//! Which files are read: those that were named, and those in the folders that were named.

mod path;
mod walk;

use std::path::PathBuf;

use textsearch_documents::DocumentFormat;

pub(crate) use self::{path::Scope, walk::find_files};

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceFile {
    /// Where it is.
    pub(crate) location: PathBuf,
    /// What it is called in the store and in links: its path with `/` between the parts.
    pub(crate) path: String,
    /// How it is read.
    pub(crate) kind: FileKind,
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
