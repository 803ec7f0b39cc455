//! Files and folders that were left out.

use std::fmt;

use super::record_error::RecordError;
use crate::NotText;

/// A file or folder that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// Why it was left out.
    pub reason: SkipReason,
}

/// Why a file or folder was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It can't be read or stored. Holds the error in one line.
    Failed(String),
    /// A line of JSON Lines isn't a record.
    Record {
        /// The line, from 1.
        line: u64,
        /// The mistake.
        reason: RecordError,
    },
    /// It holds something other than text.
    NotText(NotText),
    /// Nothing reads files with this extension, which is in lower case without its dot, or empty.
    /// Configure it on a [`FileWalker`](super::FileWalker).
    UnknownExtension(String),
    /// Files with this extension aren't documents: images, audio, archives, programs.
    NotADocument(String),
    /// It is a symbolic link in a folder. Links aren't followed: they may lead out of the folder.
    Link,
}

impl SkipReason {
    /// Returns whether reading or storing the file failed. Other files were left out unread.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Record { .. } | Self::NotText(_))
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(message) => formatter.write_str(message),
            Self::Record { line, reason } => write!(formatter, "line {line}: {reason}"),
            Self::NotText(reason) => reason.fmt(formatter),
            Self::UnknownExtension(extension) if extension.is_empty() => {
                formatter.write_str("its name has no ending that says how to read it")
            }
            Self::UnknownExtension(extension) => {
                write!(formatter, "files with the ending .{extension} are not read")
            }
            Self::NotADocument(extension) => {
                write!(formatter, "files with the ending .{extension} are not documents")
            }
            Self::Link => formatter.write_str("links in folders are not followed"),
        }
    }
}
