//! A subscriber that collects spans.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, OnceLock},
};

use tracing::{
    Dispatch, Subscriber,
    field::{Field, Visit},
    span,
};
use tracing_subscriber::{
    Layer,
    layer::Context,
    layer::SubscriberExt,
    registry::{LookupSpan, Registry},
};

/// Name and fields of each span, in start order.
pub(crate) type Spans = Arc<Mutex<Vec<(&'static str, BTreeMap<String, String>)>>>;

#[derive(Clone, Default)]
pub(crate) struct Collector(pub(crate) Spans);

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.to_string());
    }

    // OpenTelemetry has only signed integers, so exporters would write this as text, which no
    // backend can sum.
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), format!("the text {value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

struct Position(usize);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collector {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        id: &span::Id,
        context: Context<'_, S>,
    ) {
        let mut fields = BTreeMap::new();
        attributes.record(&mut Fields(&mut fields));
        let mut spans = self.0.lock().unwrap();
        context.span(id).unwrap().extensions_mut().insert(Position(spans.len()));
        spans.push((attributes.metadata().name(), fields));
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        let position = context.span(id).unwrap().extensions().get::<Position>().unwrap().0;
        let mut spans = self.0.lock().unwrap();
        values.record(&mut Fields(&mut spans.get_mut(position).unwrap().1));
    }
}

pub(crate) fn collecting() -> (Collector, impl Subscriber + Send + Sync + 'static) {
    // With a single subscriber, `tracing` asks only the first thread whether it wants a span, which
    // may be a concurrent test without a subscriber.
    static OTHER: OnceLock<Dispatch> = OnceLock::new();
    OTHER.get_or_init(|| Dispatch::new(Registry::default()));
    let collector = Collector::default();
    (collector.clone(), Registry::default().with(collector))
}
