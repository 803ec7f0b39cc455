//! Spans and metrics by version 0.1.0 of the [OpenTelemetry conventions for generative
//! AI](https://github.com/open-telemetry/semantic-conventions-genai), without keys. Queries and ids
//! of results are recorded only inside [`recording_content`].
//!
//! For this workspace only: it may change in any release.

#[cfg_attr(not(feature = "metrics"), path = "no_metrics.rs")]
pub(crate) mod metrics;
#[cfg(feature = "vector")]
pub(crate) mod operations;
pub(crate) mod retrieval;

use std::time::Instant;

pub use retrieval::recording_content;

/// Whether anything is measured.
pub const IS_ON: bool = cfg!(feature = "metrics");

/// The name and value of a metric's attribute.
pub type Attribute<'a> = (&'static str, &'a str);

/// An operation whose duration is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "only this workspace uses it")]
pub enum Operation {
    /// A request to a chat model.
    Chat,
    /// A request to an embedding model.
    Embeddings,
    /// A call of a function.
    ExecuteTool,
    /// A search.
    Retrieval,
}

impl Operation {
    /// Returns the name in the conventions.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embeddings => "embeddings",
            Self::ExecuteTool => "execute_tool",
            Self::Retrieval => "retrieval",
        }
    }
}

/// The tokens of a request to a chat model; 0 if the provider doesn't count them.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "the kernel has to set each count")]
pub struct ChatTokens {
    /// The tokens of the request, with those from a cache.
    pub input: u64,
    /// The tokens of the response.
    pub output: u64,
    /// The tokens of the request that came from the provider's cache.
    pub cached: u64,
    /// The tokens of the response that the model thought with.
    pub reasoning: u64,
}

/// Measures an operation from its start.
#[derive(Debug, Clone, Copy)]
pub struct Timer(Option<Instant>);

impl Timer {
    /// Starts now, if anything is measured.
    #[expect(clippy::new_without_default, reason = "starting the time is no default")]
    pub fn new() -> Self {
        Self(IS_ON.then(Instant::now))
    }

    /// Records the time since the start, and the name of the error, if any.
    pub fn record(
        self,
        operation: Operation,
        attributes: &[Attribute<'_>],
        error: Option<&'static str>,
    ) {
        if let Some(start) = self.0 {
            metrics::record_duration(start.elapsed(), operation, attributes, error);
        }
    }
}

/// Records the tokens of a request to a chat model, and the name of the error, if any.
pub fn record_chat_tokens(
    tokens: ChatTokens,
    attributes: &[Attribute<'_>],
    error: Option<&'static str>,
) {
    metrics::record_chat_tokens(tokens, attributes, error);
}

/// Converts to a signed integer: exporters write unsigned ones as text.
fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
