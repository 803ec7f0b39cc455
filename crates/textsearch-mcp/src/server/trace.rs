//! Continues the trace of a client.

use rmcp::model::RequestMetaObject;

/// Runs a call. Its spans belong to the trace that the client names in `_meta`, as the application's propagator
/// reads it.
#[cfg(feature = "trace-context")]
pub(super) async fn traced<T>(call: impl Future<Output = T>, meta: &RequestMetaObject) -> T {
    use opentelemetry::{context::FutureExt as _, global};

    let parent = global::get_text_map_propagator(|propagator| propagator.extract(&Carrier(meta)));
    call.with_context(parent).await
}

#[cfg(not(feature = "trace-context"))]
pub(super) async fn traced<T>(call: impl Future<Output = T>, _: &RequestMetaObject) -> T {
    call.await
}

#[cfg(feature = "trace-context")]
struct Carrier<'a>(&'a RequestMetaObject);

#[cfg(feature = "trace-context")]
impl opentelemetry::propagation::Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(serde_json::Value::as_str)
    }

    fn keys(&self) -> Vec<&str> {
        ["traceparent", "tracestate", "baggage"]
            .into_iter()
            .filter(|key| self.get(key).is_some())
            .collect()
    }
}
