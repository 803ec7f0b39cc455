//! The metrics that this process has recorded.

use std::{collections::BTreeMap, sync::LazyLock};

use opentelemetry::{KeyValue, global};
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, PeriodicReader, SdkMeterProvider,
    data::{AggregatedMetrics, MetricData},
};

static PROVIDER: LazyLock<(SdkMeterProvider, InMemoryMetricExporter)> = LazyLock::new(|| {
    let exporter = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(exporter.clone()).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    global::set_meter_provider(provider.clone());
    (provider, exporter)
});

#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) count: u64,
    pub(crate) sum: f64,
}

/// Sets the meter provider of the process. Comes first in each test: instruments are created once.
pub(crate) fn start() {
    LazyLock::force(&PROVIDER);
}

pub(crate) fn recorded(name: &str, key: &str, value: &str) -> Vec<Recorded> {
    let (provider, exporter) = &*PROVIDER;
    provider.force_flush().unwrap();
    let exported = exporter.get_finished_metrics().unwrap();
    let metrics = exported.last().unwrap().scope_metrics().flat_map(|scope| scope.metrics());
    let mut all: Vec<Recorded> = metrics
        .filter(|metric| metric.name() == name)
        .flat_map(|metric| match metric.data() {
            AggregatedMetrics::F64(data) => points(data, |sum| sum),
            AggregatedMetrics::U64(data) => points(data, |sum| sum as f64),
            AggregatedMetrics::I64(data) => points(data, |sum| sum as f64),
        })
        .collect();
    all.retain(|recorded| recorded.attributes.get(key).is_some_and(|actual| actual == value));
    all
}

fn points<T: Copy>(data: &MetricData<T>, number: impl Fn(T) -> f64) -> Vec<Recorded> {
    let recorded = |attributes: Vec<&KeyValue>, count, sum| Recorded {
        attributes: attributes
            .iter()
            .map(|pair| (pair.key.to_string(), pair.value.to_string()))
            .collect(),
        count,
        sum: number(sum),
    };
    match data {
        MetricData::Histogram(histogram) => histogram
            .data_points()
            .map(|point| recorded(point.attributes().collect(), point.count(), point.sum()))
            .collect(),
        MetricData::Sum(sum) => sum
            .data_points()
            .map(|point| recorded(point.attributes().collect(), 1, point.value()))
            .collect(),
        _ => Vec::new(),
    }
}
