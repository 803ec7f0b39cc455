//! Errors that name the file and the fault in it.

use std::{fmt, path::Path};

use textsearch_core::{BoxError, Error, ErrorKind};

use crate::CONNECTOR;

/// Creates the error for an invalid file of the folder.
pub(crate) fn in_file(file: &Path, what: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Embedding, CONNECTOR, format!("`{}`: {what}", file.display()))
}

/// Creates the error for an unreadable file of the folder.
pub(crate) fn unreadable(file: &Path, what: &str, cause: impl Into<BoxError>) -> Error {
    let cause = cause.into();
    in_file(file, format_args!("{what}: {cause}")).with_source(cause)
}

/// Creates the error for a text that cannot be embedded.
pub(crate) fn embedding(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Embedding, CONNECTOR, what)
}
