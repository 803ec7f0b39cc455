//! Reasons why a file cannot be opened.

use std::{fmt, io, path::Path};

use textsearch_core::{BoxError, Error, ErrorKind};

use super::section::VERSION;
use crate::error::CONNECTOR;

pub(crate) enum Fault {
    Unreadable(io::Error),
    OtherProgram,
    Version(u32),
    Truncated,
    Damaged(&'static str),
    TooLarge {
        limit: u64,
    },
    /// The checksum is right, but the content is invalid.
    Invalid(&'static str, BoxError),
}

pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    pub(super) fn into_error(self, path: &Path) -> Error {
        self.into_error_of(format_args!("the snapshot `{}`", path.display()))
    }

    /// `file` starts the message.
    pub(crate) fn into_error_of(self, file: impl fmt::Display) -> Error {
        let what = match &self {
            Self::Unreadable(error) => format!("cannot be read: {error}"),
            Self::OtherProgram => {
                "is not a snapshot of this store: its first bytes differ".to_owned()
            }
            Self::Version(version) => {
                format!("has format version {version}: this program reads version {VERSION}")
            }
            Self::Truncated => "is truncated: it ends before its end section".to_owned(),
            Self::Damaged(what) => format!("is damaged: {what}"),
            Self::TooLarge { limit } => format!(
                "would take more than {limit} bytes of memory, 256 MiB and 16 times its size"
            ),
            Self::Invalid(what, error) => format!("is damaged: {what}: {error}"),
        };
        let message = format!("{file} {what}");
        match self {
            Self::Unreadable(error) => {
                Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
            }
            Self::Invalid(_, error) => {
                Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
            }
            _ => Error::new(ErrorKind::Undecodable, CONNECTOR, message),
        }
    }
}
