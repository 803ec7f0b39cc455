//! Spans by the OpenTelemetry conventions for generative AI
//! (<https://github.com/open-telemetry/semantic-conventions-genai>). They hold no query, result or key.

#[cfg(feature = "vector")]
pub(crate) mod operations;
pub(crate) mod retrieval;

/// OpenTelemetry's integers are signed: exporters write an unsigned one as a text.
fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
