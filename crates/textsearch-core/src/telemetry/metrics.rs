//! Metrics through the global meter provider.

use std::{sync::LazyLock, time::Instant};

use opentelemetry::{
    KeyValue, global,
    metrics::{Counter, Histogram},
};

use super::Attribute;

/// Whether anything is measured.
pub const IS_ON: bool = true;

/// Created at first use, from the meter provider that is set by then.
static INSTRUMENTS: LazyLock<Instruments> = LazyLock::new(Instruments::new);

struct Instruments {
    duration: Histogram<f64>,
    tokens: Histogram<u64>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP has retries"))]
    retries: Counter<u64>,
    results: Histogram<u64>,
}

impl Instruments {
    fn new() -> Self {
        let meter = global::meter("textsearch");
        // Boundaries from the conventions: powers of 2 from 10 ms, and of 4 from one token.
        let seconds = (0..14).map(|power| 0.01 * 2_f64.powi(power)).collect();
        let tokens = (0..14).map(|power| 4_f64.powi(power)).collect();
        let results = vec![0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];
        Self {
            duration: meter
                .f64_histogram("gen_ai.client.operation.duration")
                .with_description("GenAI operation duration.")
                .with_unit("s")
                .with_boundaries(seconds)
                .build(),
            tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_description("Number of input and output tokens used.")
                .with_unit("{token}")
                .with_boundaries(tokens)
                .build(),
            retries: meter
                .u64_counter("textsearch.http.retries")
                .with_description("Number of HTTP requests sent again after a failure.")
                .with_unit("{retry}")
                .build(),
            results: meter
                .u64_histogram("textsearch.retrieval.results")
                .with_description("Number of results read from a search.")
                .with_unit("{result}")
                .with_boundaries(results)
                .build(),
        }
    }
}

/// Measures an operation from its start.
#[derive(Debug, Clone, Copy)]
pub struct Timer(Instant);

impl Timer {
    /// Starts now.
    #[expect(clippy::new_without_default, reason = "starting the time is no default")]
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// Records the time since the start, and the name of the error, if any.
    pub fn record(
        self,
        operation: &'static str,
        attributes: &[Attribute<'_>],
        error: Option<&'static str>,
    ) {
        let seconds = self.0.elapsed().as_secs_f64();
        INSTRUMENTS.duration.record(seconds, &values(operation, attributes, error));
    }
}

/// Records the tokens of a request. `kind` is `input` or `output`.
pub fn record_tokens(
    operation: &'static str,
    kind: &'static str,
    count: u64,
    attributes: &[Attribute<'_>],
) {
    let mut values = values(operation, attributes, None);
    values.push(KeyValue::new("gen_ai.token.type", kind));
    INSTRUMENTS.tokens.record(count, &values);
}

#[cfg(feature = "http")]
pub(crate) fn count_retry(connector: &str, error: &'static str) {
    let connector = KeyValue::new("textsearch.connector", connector.to_owned());
    INSTRUMENTS.retries.add(1, &[connector, KeyValue::new("error.type", error)]);
}

fn values(
    operation: &'static str,
    attributes: &[Attribute<'_>],
    error: Option<&'static str>,
) -> Vec<KeyValue> {
    let named = [("gen_ai.operation.name", Some(operation)), ("error.type", error)];
    let named = named.into_iter().filter_map(|(key, value)| Some(KeyValue::new(key, value?)));
    let given = attributes.iter();
    named.chain(given.map(|(key, value)| KeyValue::new(*key, (*value).to_owned()))).collect()
}

pub(super) struct Measured {
    timer: Timer,
    provider: Box<str>,
    data_source: Box<str>,
}

impl Measured {
    pub(super) fn new(provider: &str, data_source: &str) -> Self {
        Self { timer: Timer::new(), provider: provider.into(), data_source: data_source.into() }
    }

    /// `results` is `None` for a search that failed at once.
    pub(super) fn record(&self, results: Option<i64>, error: Option<&'static str>) {
        let attributes = [
            ("gen_ai.provider.name", self.provider.as_ref()),
            ("gen_ai.data_source.id", self.data_source.as_ref()),
        ];
        self.timer.record("retrieval", &attributes, error);
        if let Some(count) = results {
            let count = u64::try_from(count).unwrap_or_default();
            INSTRUMENTS.results.record(count, &values("retrieval", &attributes, error));
        }
    }
}
