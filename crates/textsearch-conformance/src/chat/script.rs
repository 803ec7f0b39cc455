//! The script of a model.

use std::{fmt, sync::Arc, time::Duration};

use super::{Chunks, ModelRequest, Turn, demonstration};

pub(super) type TurnFn = dyn Fn(&ModelRequest) -> Turn + Send + Sync;

pub(super) type EmbeddingsHook = dyn Fn(&ModelRequest) -> Option<Turn> + Send + Sync;

/// The turns of a model, and how it sends them.
///
/// ```
/// use textsearch_conformance::chat::{Chunks, ModelScript, Turn};
///
/// let echo = ModelScript::from_fn(|request| Turn::text(request.last_user_text()));
/// let first_busy = ModelScript::turns([Turn::rate_limited(0)])
///     .then(|request| Turn::text(request.last_user_text()))
///     .with_chunks(Chunks::OfBytes(1));
/// # let _ = (echo, first_busy);
/// ```
#[derive(Clone)]
pub struct ModelScript {
    pub(super) turns: Vec<Turn>,
    pub(super) then: Option<Arc<TurnFn>>,
    pub(super) embeddings: Option<Arc<EmbeddingsHook>>,
    pub(super) settings: Settings,
}

#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) chunks: Chunks,
    pub(super) pause: Duration,
    pub(super) line_end: &'static str,
    pub(super) key: Option<String>,
    pub(super) extra_fields: Vec<String>,
    pub(super) dimensions: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chunks: Chunks::Arbitrary { seed: 0 },
            pause: Duration::ZERO,
            line_end: "\n",
            key: None,
            extra_fields: Vec::new(),
            dimensions: 256,
        }
    }
}

impl ModelScript {
    /// Answers chat requests with one turn each. A request after the last turn gets a 400 and
    /// counts as a [violation](super::ScriptedModel::violations), unless the script continues with
    /// [`then`](Self::then).
    pub fn turns(turns: impl IntoIterator<Item = Turn>) -> Self {
        let turns = turns.into_iter().collect();
        Self { turns, then: None, embeddings: None, settings: Settings::default() }
    }

    /// Answers each request with a turn computed from it.
    pub fn from_fn(turn: impl Fn(&ModelRequest) -> Turn + Send + Sync + 'static) -> Self {
        Self::turns([]).then(turn)
    }

    /// Returns a simple, deterministic model for demonstrations:
    ///
    /// - If it is offered tools and has no result yet, it calls the first tool that looks like a
    ///   search (by its name or description) with the user's last message as `query`.
    /// - If tools returned results, it says a sentence of the first one, and cites the first three
    ///   as Markdown links.
    /// - Otherwise it says that it knows nothing about the question.
    pub fn demonstration() -> Self {
        Self::from_fn(demonstration::turn)
    }

    /// Computes the turns after the last one from the request.
    #[must_use]
    pub fn then(mut self, turn: impl Fn(&ModelRequest) -> Turn + Send + Sync + 'static) -> Self {
        self.then = Some(Arc::new(turn));
        self
    }

    /// Answers embeddings requests with the failure or raw turn that `turn` returns, if any.
    #[must_use]
    pub fn with_embeddings(
        mut self,
        turn: impl Fn(&ModelRequest) -> Option<Turn> + Send + Sync + 'static,
    ) -> Self {
        self.embeddings = Some(Arc::new(turn));
        self
    }

    /// Sets how streams are split into chunks: by default at arbitrary bytes.
    #[must_use]
    pub fn with_chunks(mut self, chunks: Chunks) -> Self {
        self.settings.chunks = chunks;
        self
    }

    /// Sets the pause between the chunks of a stream.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.settings.pause = pause;
        self
    }

    /// Sets whether lines of streams end with CR and LF, not LF alone; false by default.
    #[must_use]
    pub fn with_crlf(mut self, enabled: bool) -> Self {
        self.settings.line_end = if enabled { "\r\n" } else { "\n" };
        self
    }

    /// Answers 401 to requests without this key.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.settings.key = Some(key.into());
        self
    }

    /// Accepts a top-level field of requests that another provider may know.
    #[must_use]
    pub fn with_extra_field(mut self, name: impl Into<String>) -> Self {
        self.settings.extra_fields.push(name.into());
        self
    }

    /// Sets the default dimensions of vectors, initially 256.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: usize) -> Self {
        self.settings.dimensions = dimensions;
        self
    }

    pub(super) fn turn(&self, before: usize, request: &ModelRequest) -> Option<Turn> {
        let scripted = self.turns.get(before).cloned();
        scripted.or_else(|| self.then.as_ref().map(|turn| turn(request)))
    }
}

impl<T: IntoIterator<Item = Turn>> From<T> for ModelScript {
    fn from(turns: T) -> Self {
        Self::turns(turns)
    }
}

impl fmt::Debug for ModelScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ModelScript")
            .field("turns", &self.turns)
            .field("goes_on", &self.then.is_some())
            .finish_non_exhaustive()
    }
}
