//! Counts and durations of requests, in Prometheus's text format.

use std::time::Duration;

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    route: String,
    method: &'static str,
    status: u16,
}

type Durations = Family<Labels, Histogram, fn() -> Histogram>;

pub(crate) struct Metrics {
    registry: Registry,
    durations: Durations,
    results: Counter,
    calls: Counter,
    running: Gauge,
}

/// Counts a request as running until it is dropped.
pub(crate) struct Running(Gauge);

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("textsearch");
        let durations = Durations::new_with_constructor(histogram);
        let results = Counter::default();
        let calls = Counter::default();
        let running = Gauge::default();
        registry.register_with_unit(
            "request_duration",
            "Time until the response began",
            Unit::Seconds,
            durations.clone(),
        );
        registry.register("results", "Results of searches sent to callers", results.clone());
        registry.register("calls", "Functions called by templates and models", calls.clone());
        registry.register(
            "requests_running",
            "Requests without a complete response",
            running.clone(),
        );
        Self { registry, durations, results, calls, running }
    }

    pub(crate) fn start(&self) -> Running {
        self.running.inc();
        Running(self.running.clone())
    }

    /// `route` is a pattern of the router, so that callers can't invent labels.
    pub(crate) fn finish(&self, route: String, method: &'static str, status: u16, time: Duration) {
        let labels = Labels { route, method, status };
        self.durations.get_or_create(&labels).observe(time.as_secs_f64());
    }

    pub(crate) fn count_results(&self, results: usize) {
        self.results.inc_by(u64::try_from(results).unwrap_or(u64::MAX));
    }

    pub(crate) fn count_call(&self) {
        self.calls.inc();
    }

    pub(crate) fn print(&self) -> String {
        let mut text = String::new();
        // A `String` takes any text.
        let _written = encode(&mut text, &self.registry);
        text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Powers of 2 from 1 ms to a minute.
fn histogram() -> Histogram {
    Histogram::new((0..17).map(|power| 0.001 * 2_f64.powi(power)))
}
