//! Files and folders that were left out.

use std::fmt;

use super::record_error::RecordError;
use crate::ReadError;

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
    /// Its content can't be read.
    Unreadable(ReadError),
    /// Files with this extension aren't documents: images, audio, programs.
    NotADocument(String),
    /// It changed while it was read, so it may be half-written.
    Changing,
    /// It is a symbolic link in a folder. Links aren't followed: they may lead out of the folder.
    Link,
    /// A limit of a walk through a site is reached.
    Limit(String),
}

impl SkipReason {
    /// Returns whether reading or storing the file failed. Other files were left out unread, or
    /// nothing reads their format.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::Failed(_) | Self::Record { .. } | Self::Changing => true,
            Self::Unreadable(error) => !error.is_unsupported_format(),
            Self::NotADocument(_) | Self::Link | Self::Limit(_) => false,
        }
    }

    /// Returns whether the file may be read later although it stays as it is.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Changing)
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(message) | Self::Limit(message) => formatter.write_str(message),
            Self::Record { line, reason } => write!(formatter, "line {line}: {reason}"),
            Self::Unreadable(error) => error.fmt(formatter),
            Self::NotADocument(extension) => {
                write!(formatter, "files with the ending .{extension} are not documents")
            }
            Self::Changing => formatter.write_str("it changed while it was read: try again"),
            Self::Link => formatter.write_str("links in folders are not followed"),
        }
    }
}
