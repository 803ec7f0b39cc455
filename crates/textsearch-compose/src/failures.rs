//! Failures of single sources: which ones end a search, and how metadata names the others.

use std::{fmt, sync::Arc};

use textsearch_core::{Error, ErrorKind, results::Metadata, serde_json::Value};

/// The name under which a search's metadata lists the failures.
const FAILED_SOURCES: &str = "failed_sources";

/// The name under which a search's metadata has the metadata of its sources.
pub(crate) const SOURCE_METADATA: &str = "source_metadata";

const NO_RESULTS: &str = "no_results";

#[derive(Default)]
pub(crate) struct Failures {
    errors: Vec<(Arc<str>, Error)>,
    empty: Vec<Arc<str>>,
}

impl Failures {
    pub(crate) fn add(&mut self, source: &Arc<str>, error: Error) {
        self.errors.push((Arc::clone(source), error));
    }

    pub(crate) fn add_empty(&mut self, source: &Arc<str>) {
        self.empty.push(Arc::clone(source));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.empty.is_empty()
    }

    /// Names each failed source with the kind of its error, without messages.
    pub(crate) fn report(&self, metadata: &mut Metadata) {
        if self.is_empty() {
            // A source must not forge failures.
            metadata.remove(FAILED_SOURCES);
            return;
        }
        let errors = self.errors.iter().map(|(source, error)| (source, error.kind().name()));
        let empty = self.empty.iter().map(|source| (source, NO_RESULTS));
        let report: Metadata = errors
            .chain(empty)
            .map(|(source, kind)| ((**source).to_owned(), Value::from(kind)))
            .collect();
        metadata.insert(FAILED_SOURCES.to_owned(), Value::Object(report));
    }

    /// Returns an error that names all failures. Its kind is the first retryable one, or else the
    /// first.
    pub(crate) fn into_error(self, connector: &str, what: fmt::Arguments<'_>) -> Error {
        let kinds: Vec<String> = self
            .errors
            .iter()
            .map(|(source, error)| format!("{source}: {}", error.kind().name()))
            .collect();
        let message = format!("{what} ({})", kinds.join("; "));
        let mut errors = self.errors.into_iter().map(|(_, error)| error);
        let first = errors.next();
        let retryable = first
            .as_ref()
            .filter(|error| !error.is_retryable())
            .and_then(|_| errors.find(Error::is_retryable));
        let Some(cause) = retryable.or(first) else {
            return Error::new(ErrorKind::Backend, connector, message);
        };
        Error::new(cause.kind().clone(), connector, message)
            .with_retry_after(cause.retry_after())
            .with_source(cause)
    }
}

/// Returns whether metadata, or the metadata of a source in it, names a failed source.
#[cfg(feature = "cache")]
pub(crate) fn is_partial(metadata: &Metadata) -> bool {
    let entries = |name| metadata.get(name).and_then(Value::as_object).into_iter().flatten();
    entries(FAILED_SOURCES).any(|(_, kind)| kind != NO_RESULTS)
        || entries(SOURCE_METADATA).any(|(_, inside)| inside.as_object().is_some_and(is_partial))
}

/// Names the source that refuses the options.
pub(crate) fn refused(connector: &str, source: &str, error: Error) -> Error {
    let message = format!("the source `{source}` refuses the options: {}", error.message());
    Error::new(error.kind().clone(), connector, message).with_source(error)
}
