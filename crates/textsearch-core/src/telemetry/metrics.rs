//! Metrics through the global meter provider.

use std::{sync::LazyLock, time::Duration};

use opentelemetry::{
    KeyValue, global,
    metrics::{Counter, Histogram},
};

use super::{Attribute, ChatTokens, Operation, Timer};

/// Created at first use, from the meter provider that is set by then.
static INSTRUMENTS: LazyLock<Instruments> = LazyLock::new(Instruments::new);

struct Instruments {
    chat_duration: Histogram<f64>,
    embeddings_duration: Histogram<f64>,
    execute_tool_duration: Histogram<f64>,
    retrieval_duration: Histogram<f64>,
    input_usage: Counter<u64>,
    output_usage: Counter<u64>,
    cache_read_usage: Counter<u64>,
    reasoning_usage: Counter<u64>,
    chat_input_tokens: Histogram<u64>,
    chat_output_tokens: Histogram<u64>,
    #[cfg(feature = "vector")]
    embeddings_input_tokens: Histogram<u64>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP has retries"))]
    retries: Counter<u64>,
    results: Histogram<u64>,
}

impl Instruments {
    fn new() -> Self {
        let meter = global::meter("textsearch");
        // Boundaries from the conventions: powers of 2 from 10 ms, and of 4 from one token.
        let duration = |name: &'static str| {
            let seconds = (0..14).map(|power| 0.01 * 2_f64.powi(power)).collect();
            let described = meter.f64_histogram(name).with_description("Time to the last result.");
            described.with_unit("s").with_boundaries(seconds).build()
        };
        let tokens = |name: &'static str| {
            let tokens = (0..14).map(|power| 4_f64.powi(power)).collect();
            let described = meter.u64_histogram(name).with_description("Tokens of a request.");
            described.with_unit("{token}").with_boundaries(tokens).build()
        };
        let usage = |name: &'static str| {
            let described = meter.u64_counter(name).with_description("Tokens of all requests.");
            described.with_unit("{token}").build()
        };
        let results = vec![0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];
        Self {
            chat_duration: duration("gen_ai.client.inference.duration"),
            embeddings_duration: duration("gen_ai.client.embeddings.duration"),
            execute_tool_duration: duration("gen_ai.execute_tool.duration"),
            retrieval_duration: duration("gen_ai.retrieval.duration"),
            input_usage: usage("gen_ai.client.inference.usage.input_tokens"),
            output_usage: usage("gen_ai.client.inference.usage.output_tokens"),
            cache_read_usage: usage("gen_ai.client.inference.usage.cache_read.input_tokens"),
            reasoning_usage: usage("gen_ai.client.inference.usage.reasoning.output_tokens"),
            chat_input_tokens: tokens("gen_ai.client.inference.operation.input_tokens"),
            chat_output_tokens: tokens("gen_ai.client.inference.operation.output_tokens"),
            #[cfg(feature = "vector")]
            embeddings_input_tokens: tokens("gen_ai.client.embeddings.operation.input_tokens"),
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

    fn duration(&self, operation: Operation) -> &Histogram<f64> {
        match operation {
            Operation::Chat => &self.chat_duration,
            Operation::Embeddings => &self.embeddings_duration,
            Operation::ExecuteTool => &self.execute_tool_duration,
            Operation::Retrieval => &self.retrieval_duration,
        }
    }
}

pub(super) fn record_duration(
    duration: Duration,
    operation: Operation,
    attributes: &[Attribute<'_>],
    error: Option<&'static str>,
) {
    let attributes = values(operation, attributes, error);
    INSTRUMENTS.duration(operation).record(duration.as_secs_f64(), &attributes);
}

pub(super) fn record_chat_tokens(
    tokens: ChatTokens,
    attributes: &[Attribute<'_>],
    error: Option<&'static str>,
) {
    let ChatTokens { input, output, cached, reasoning } = tokens;
    let operation = values(Operation::Chat, attributes, error);
    INSTRUMENTS.chat_input_tokens.record(input, &operation);
    INSTRUMENTS.chat_output_tokens.record(output, &operation);
    let mut usage = values(Operation::Chat, attributes, None);
    // Providers don't say how many tokens are text and how many are images.
    usage.push(KeyValue::new("gen_ai.token.modality", "unknown"));
    INSTRUMENTS.input_usage.add(input, &usage);
    INSTRUMENTS.output_usage.add(output, &usage);
    INSTRUMENTS.cache_read_usage.add(cached, &usage);
    INSTRUMENTS.reasoning_usage.add(reasoning, &usage);
}

#[cfg(feature = "vector")]
pub(super) fn record_embedding_tokens(count: u64, attributes: &[Attribute<'_>]) {
    let values = values(Operation::Embeddings, attributes, None);
    INSTRUMENTS.embeddings_input_tokens.record(count, &values);
}

#[cfg(feature = "http")]
pub(crate) fn count_retry(connector: &str, error: &'static str) {
    let connector = KeyValue::new("textsearch.connector", connector.to_owned());
    INSTRUMENTS.retries.add(1, &[connector, KeyValue::new("error.type", error)]);
}

fn values(
    operation: Operation,
    attributes: &[Attribute<'_>],
    error: Option<&'static str>,
) -> Vec<KeyValue> {
    let named = [("gen_ai.operation.name", Some(operation.name())), ("error.type", error)];
    let named = named.into_iter().filter_map(|(key, value)| Some(KeyValue::new(key, value?)));
    let others = attributes.iter().map(|(key, value)| KeyValue::new(*key, (*value).to_owned()));
    named.chain(others).collect()
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
        self.timer.record(Operation::Retrieval, &attributes, error);
        if let Some(count) = results {
            let count = u64::try_from(count).unwrap_or_default();
            INSTRUMENTS.results.record(count, &values(Operation::Retrieval, &attributes, error));
        }
    }
}
