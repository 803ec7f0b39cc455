//! The vectors of a call that failed partway.

use std::{error::Error as StdError, fmt, sync::Arc};

use textsearch_core::{Error, vector::Embeddings};

use crate::CONNECTOR;

/// The vectors of a call that failed partway: the [source](std::error::Error::source) of its error,
/// unless there are no vectors.
///
/// A caller that keeps them needs to retry only the texts without a vector.
///
/// ```
/// use textsearch_openai::{Error, InterruptedEmbeddings};
///
/// fn kept(error: &Error) -> usize {
///     InterruptedEmbeddings::vectors_in(error).unwrap_or_default().iter().flatten().count()
/// }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct InterruptedEmbeddings {
    /// Vector of each text, in order; `None` if it has none yet.
    pub vectors: Vec<Option<Arc<[f32]>>>,
    /// Number of tokens in the texts with vectors, if the service reports it.
    pub tokens: Option<u64>,
    /// Why the call failed.
    pub cause: Error,
}

impl InterruptedEmbeddings {
    /// Returns the vectors that a call made before it failed with `error`, in the order of the
    /// texts: `None` for a text without one. Returns `None` if the call made no vectors.
    pub fn vectors_in(error: &Error) -> Option<&[Option<Arc<[f32]>>]> {
        let interrupted = StdError::source(error)?.downcast_ref::<Self>()?;
        Some(&interrupted.vectors)
    }

    /// `batches` have their number of texts. Returns `cause` itself if no batch is done.
    pub(super) fn into_error(batches: Vec<(usize, Option<Embeddings>)>, cause: Error) -> Error {
        let mut interrupted = Self { vectors: Vec::new(), tokens: None, cause };
        for (count, done) in batches {
            match done {
                Some(Embeddings { vectors, tokens, .. }) => {
                    interrupted.vectors.extend(vectors.into_iter().map(Some));
                    interrupted.tokens = super::sum(interrupted.tokens, tokens);
                }
                None => interrupted.vectors.extend(std::iter::repeat_n(None, count)),
            }
        }
        if interrupted.vectors.iter().all(Option::is_none) {
            return interrupted.cause;
        }
        let message = format!("{} ({interrupted})", interrupted.cause.message());
        Error::new(interrupted.cause.kind().clone(), CONNECTOR, message)
            .with_retry_after(interrupted.cause.retry_after())
            .with_source(interrupted)
    }
}

impl fmt::Display for InterruptedEmbeddings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.vectors.iter().flatten().count();
        write!(formatter, "{done} of {} texts were embedded before", self.vectors.len())
    }
}

impl fmt::Debug for InterruptedEmbeddings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("InterruptedEmbeddings")
            .field("vectors", &format_args!("{self}"))
            .field("tokens", &self.tokens)
            .field("cause", &self.cause)
            .finish()
    }
}

impl StdError for InterruptedEmbeddings {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        // The error around this one already shows the message of the cause.
        self.cause.source()
    }
}
