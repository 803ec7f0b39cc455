//! Captures all logs of a test, at every level.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fmt::{self, Debug, Formatter, Write},
    sync::{Arc, Mutex, Once, OnceLock},
};

use tracing::{
    Dispatch, Event, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::DefaultGuard,
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt, registry::LookupSpan};

thread_local! {
    /// The `log` crate has one logger per process. The thread identifies the case.
    static LINES: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Captures the events and spans of `tracing`, and the lines of `log`, of this thread until it is
/// dropped. An outer capture misses the logs of an inner one.
///
/// ```
/// use textsearch_conformance::LogCapture;
///
/// let log = LogCapture::start();
/// tracing::debug!(status = 401, "refused");
/// assert!(log.text().contains("status=401"));
/// assert!(!log.text().contains("sesame"));
/// ```
pub struct LogCapture {
    text: Arc<Mutex<String>>,
    spans: Arc<Mutex<Vec<CapturedSpan>>>,
    /// The `log` lines of the outer capture.
    before: Option<String>,
    _guard: DefaultGuard,
}

impl LogCapture {
    /// Starts the capture, at every level.
    pub fn start() -> Self {
        static LOGGER: Once = Once::new();
        LOGGER.call_once(|| {
            // Keep a logger that the test program has set.
            let _ = log::set_logger(&PerThread);
            log::set_max_level(log::LevelFilter::Trace);
        });
        keep_another_subscriber();
        let before = LINES.replace(Some(String::new()));
        let recorder = Recorder::default();
        let text = Arc::clone(&recorder.text);
        let spans = Arc::clone(&recorder.spans);
        let subscriber = tracing_subscriber::registry().with(recorder);
        Self { text, spans, before, _guard: tracing::subscriber::set_default(subscriber) }
    }

    /// Returns the spans so far, in the order of their starts.
    pub fn spans(&self) -> Vec<CapturedSpan> {
        self.spans.lock().expect("no case panicked here").clone()
    }

    /// Returns the logs so far: names of spans and targets of events, a field per line.
    pub fn text(&self) -> String {
        let lines = LINES.with_borrow(|lines| lines.clone().unwrap_or_default());
        self.text.lock().expect("no case panicked here").clone() + &lines
    }
}

/// A span of `tracing`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CapturedSpan {
    /// The name.
    pub name: &'static str,
    /// The names of the spans that it is in, and its own: `chat/execute_tool`.
    pub path: String,
    /// The fields. An unsigned number is written `unsigned 7`: OpenTelemetry has only signed ones, and
    /// would export it as text, which no backend can sum.
    pub fields: BTreeMap<&'static str, String>,
}

impl Debug for LogCapture {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LogCapture").finish_non_exhaustive()
    }
}

impl Drop for LogCapture {
    fn drop(&mut self) {
        LINES.set(self.before.take());
    }
}

/// With a single subscriber, `tracing` asks only the first thread's subscriber whether it wants a
/// span. That thread may run another test, without a subscriber. With two, it asks all of them.
fn keep_another_subscriber() {
    static OTHER: OnceLock<Dispatch> = OnceLock::new();
    OTHER.get_or_init(|| Dispatch::new(tracing_subscriber::registry()));
}

struct PerThread;

impl log::Log for PerThread {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        LINES.with_borrow(Option::is_some)
    }

    fn log(&self, record: &log::Record<'_>) {
        LINES.with_borrow_mut(|lines| {
            if let Some(lines) = lines {
                let _ = writeln!(lines, "{}: {}", record.target(), record.args());
            }
        });
    }

    fn flush(&self) {}
}

#[derive(Default)]
struct Recorder {
    text: Arc<Mutex<String>>,
    spans: Arc<Mutex<Vec<CapturedSpan>>>,
}

impl Recorder {
    fn note(&self, name: &str, record: impl FnOnce(&mut Fields<'_>)) {
        let mut text = self.text.lock().expect("no case panicked here");
        let _ = writeln!(text, "{name}");
        record(&mut Fields(&mut text));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, span: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        let name = span.metadata().name();
        self.note(name, |fields| span.record(fields));
        let entered = context.span(id).expect("the span has begun");
        let path: Vec<&str> = entered.scope().from_root().map(|span| span.name()).collect();
        let mut captured = CapturedSpan { name, path: path.join("/"), fields: BTreeMap::new() };
        span.record(&mut SpanFields(&mut captured));
        let mut spans = self.spans.lock().expect("no case panicked here");
        entered.extensions_mut().insert(Place(spans.len()));
        spans.push(captured);
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        self.note("", |fields| values.record(fields));
        let entered = context.span(id).expect("the span has begun");
        let mut spans = self.spans.lock().expect("no case panicked here");
        if let Some(Place(place)) = entered.extensions().get() {
            values.record(&mut SpanFields(&mut spans[*place]));
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        self.note(event.metadata().target(), |fields| event.record(fields));
    }
}

/// Among the captured spans.
struct Place(usize);

struct SpanFields<'a>(&'a mut CapturedSpan);

impl Visit for SpanFields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.fields.insert(field.name(), value.to_owned());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.fields.insert(field.name(), format!("unsigned {value}"));
    }
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = writeln!(self.0, "{field}={value:?}");
    }
}
