//! Spans and metrics by the OpenTelemetry conventions for generative AI
//! (<https://github.com/open-telemetry/semantic-conventions-genai>). They hold no query, result or key.
//!
//! For the crates of this workspace alone: it may change in any release.

#[cfg_attr(not(feature = "metrics"), path = "no_metrics.rs")]
pub mod metrics;
#[cfg(feature = "vector")]
pub(crate) mod operations;
pub(crate) mod retrieval;

/// The name of an attribute of a metric and its value.
pub type Attribute<'a> = (&'static str, &'a str);

/// Converts to OpenTelemetry's signed integers: exporters write unsigned ones as text.
fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
