//! The task of a model, and errors that name the file and the fault in it.

use std::{fmt, path::Path};

use textsearch_core::{BoxError, Error, ErrorKind};

/// Gives errors their connector and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Embedding,
    Reranking,
}

impl Task {
    pub(crate) const fn connector(self) -> &'static str {
        match self {
            Self::Embedding => "local embeddings",
            Self::Reranking => "local reranker",
        }
    }

    pub(crate) fn error(self, what: impl Into<String>) -> Error {
        let kind = match self {
            Self::Embedding => ErrorKind::Embedding,
            Self::Reranking => ErrorKind::Backend,
        };
        Error::new(kind, self.connector(), what)
    }

    /// `what` is the value of `text`, or of the query without one.
    pub(crate) fn beyond_floats(self, what: &str, text: Option<usize>, model_id: &str) -> Error {
        let owner = text
            .map_or_else(|| "query".to_owned(), |place| format!("text {place}, counted from 0,"));
        self.error(format!(
            "the {what} of the {owner} is beyond 32-bit floats: the weights of the model `{model_id}` are too large, \
             or broken"
        ))
    }

    pub(crate) fn refused(self, option: &str, value: impl fmt::Display, allowed: &str) -> Error {
        Error::invalid_options(self.connector(), option, value, allowed)
    }

    pub(crate) fn in_file(self, file: &Path, what: impl fmt::Display) -> Error {
        self.error(format!("`{}`: {what}", file.display()))
    }

    pub(crate) fn unreadable(self, file: &Path, what: &str, cause: impl Into<BoxError>) -> Error {
        let cause = cause.into();
        self.in_file(file, format_args!("{what}: {cause}")).with_source(cause)
    }
}
