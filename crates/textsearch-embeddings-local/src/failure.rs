//! Errors that name the file and the fault in it.

use std::{fmt, path::Path};

use textsearch_core::{BoxError, Error, ErrorKind};

use crate::CONNECTOR;

pub(crate) fn in_file(file: &Path, what: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Embedding, CONNECTOR, format!("`{}`: {what}", file.display()))
}

pub(crate) fn unreadable(file: &Path, what: &str, cause: impl Into<BoxError>) -> Error {
    let cause = cause.into();
    in_file(file, format_args!("{what}: {cause}")).with_source(cause)
}

pub(crate) fn embedding(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Embedding, CONNECTOR, what)
}
