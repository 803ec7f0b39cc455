//! Spans and metrics by the [OpenTelemetry conventions for generative
//! AI](https://github.com/open-telemetry/semantic-conventions-genai), without query, result or key.
//!
//! For this workspace only: it may change in any release.

#[cfg_attr(not(feature = "metrics"), path = "no_metrics.rs")]
pub mod metrics;
#[cfg(feature = "vector")]
pub(crate) mod operations;
pub(crate) mod retrieval;

/// The name and value of a metric's attribute.
pub type Attribute<'a> = (&'static str, &'a str);

/// Converts to a signed integer: exporters write unsigned ones as text.
fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
