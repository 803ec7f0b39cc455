//! The `retrieval` span.

use std::{
    collections::BTreeMap,
    pin::pin,
    sync::{Arc, Mutex, OnceLock},
};

use textsearch_core::{
    Filter, FixedSearch, SearchOptions, TextSearch, TextSearchConnector, TextSearchRecord,
    TextSearchResult, connector::AnyTextSearch, telemetry::recording_content,
};
use tracing::{
    Dispatch, Subscriber,
    field::{Field, Visit},
    span,
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt, registry::LookupSpan};

use crate::support::now;

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Spans>>);

pub(crate) type Spans = Vec<(String, BTreeMap<String, String>, bool)>;

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    /// OpenTelemetry exports unsigned integers as text.
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), format!("unsigned {value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Seen {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        id: &span::Id,
        context: Context<'_, S>,
    ) {
        let mut fields = BTreeMap::new();
        attributes.record(&mut Fields(&mut fields));
        let mut seen = self.0.lock().unwrap();
        context.span(id).unwrap().extensions_mut().insert(seen.len());
        seen.push((attributes.metadata().name().to_owned(), fields, false));
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        let position = *context.span(id).unwrap().extensions().get::<usize>().unwrap();
        values.record(&mut Fields(&mut self.0.lock().unwrap()[position].1));
    }

    fn on_close(&self, id: span::Id, context: Context<'_, S>) {
        let position = *context.span(&id).unwrap().extensions().get::<usize>().unwrap();
        self.0.lock().unwrap()[position].2 = true;
    }
}

/// With a single subscriber, `tracing` asks only the first thread whether it wants a span, which
/// may be a concurrent test without a subscriber.
pub(crate) fn keep_another_subscriber() {
    static OTHER: OnceLock<Dispatch> = OnceLock::new();
    OTHER.get_or_init(|| Dispatch::new(tracing_subscriber::registry()));
}

pub(crate) fn watched(work: impl FnOnce()) -> Spans {
    keep_another_subscriber();
    let seen = Seen::default();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(seen.clone()), work);
    let spans = seen.0.lock().unwrap();
    spans.clone()
}

fn search() -> FixedSearch {
    FixedSearch::new(vec![TextSearchResult::new("secret one"), TextSearchResult::new("secret two")])
}

#[test]
fn a_search_emits_one_span_with_the_conventional_fields() {
    let spans = watched(|| {
        let results =
            now(search().search("secret query", &SearchOptions::top(7).with_skip(1))).unwrap();
        assert_eq!(now(results.into_vec()).unwrap().len(), 1);
    });
    let [(name, fields, is_closed)] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!(name, "retrieval");
    assert_eq!(fields["gen_ai.operation.name"], "retrieval");
    assert_eq!(fields["gen_ai.provider.name"], "fixed");
    assert_eq!(fields["gen_ai.data_source.id"], "fixed");
    assert_eq!(fields["gen_ai.retrieval.top_k"], "7");
    assert_eq!(fields["textsearch.skip"], "1");
    assert_eq!(fields["textsearch.result_count"], "1");
    assert_eq!(fields["otel.kind"], "internal");
    assert!(is_closed);
}

#[test]
fn wrappers_emit_no_span_of_their_own() {
    let spans = watched(|| {
        let any: Arc<dyn TextSearch> = Arc::new(search());
        let inner = AnyTextSearch::new(any).with_text(|record| record.text().into_owned());
        let outer = AnyTextSearch::new(inner).with_result(|record| record.to_result());
        let results = now(outer.search("q", &SearchOptions::top(2))).unwrap();
        assert_eq!(now(results.into_vec()).unwrap().len(), 2);
    });
    assert_eq!(spans.len(), 1, "{spans:?}");
    assert_eq!(spans[0].1["textsearch.result_count"], "2");
}

#[test]
fn a_search_after_a_search_emits_a_span() {
    let spans = watched(|| {
        let first = now(search().search("q", &SearchOptions::top(2))).unwrap();
        now(search().records("q", &SearchOptions::top(2))).unwrap();
        drop(first);
    });
    assert_eq!(spans.len(), 2, "{spans:?}");
}

#[test]
fn the_span_lasts_until_the_stream_is_dropped() {
    keep_another_subscriber();
    let seen = Seen::default();
    let subscriber = tracing_subscriber::registry().with(seen.clone());
    tracing::subscriber::with_default(subscriber, || {
        let results = now(search().search("q", &SearchOptions::top(2))).unwrap();
        assert!(!seen.0.lock().unwrap()[0].2);
        drop(results);
        assert!(seen.0.lock().unwrap()[0].2);
    });
}

#[test]
fn the_span_ends_with_its_stream() {
    keep_another_subscriber();
    let seen = Seen::default();
    let subscriber = tracing_subscriber::registry().with(seen.clone());
    tracing::subscriber::with_default(subscriber, || {
        let mut results = now(search().search("q", &SearchOptions::top(1))).unwrap();
        assert!(now(results.next()).is_some());
        assert!(!seen.0.lock().unwrap()[0].2);
        assert!(now(results.next()).is_none());
        assert!(seen.0.lock().unwrap()[0].2);
        assert!(now(results.next()).is_none());
    });
}

#[test]
fn interleaved_streams_count_their_own_results() {
    let spans = watched(|| {
        let mut first = now(search().search("q", &SearchOptions::top(2))).unwrap();
        let mut second = now(search().search("q", &SearchOptions::top(2))).unwrap();
        now(first.next()).unwrap().unwrap();
        now(second.next()).unwrap().unwrap();
        now(first.next()).unwrap().unwrap();
    });
    let counts: Vec<_> = spans.iter().map(|span| &span.1["textsearch.result_count"]).collect();
    assert_eq!(counts, ["2", "1"]);
}

#[test]
fn searches_of_two_threads_emit_a_span_each() {
    let spans = watched(|| {
        let searched = || {
            let wrapped = AnyTextSearch::new(search());
            let results = now(wrapped.search("q", &SearchOptions::top(2))).unwrap();
            now(results.into_vec()).unwrap();
        };
        let first = now(search().search("q", &SearchOptions::top(2))).unwrap();
        let dispatch = tracing::dispatcher::get_default(Dispatch::clone);
        std::thread::scope(|scope| {
            for dispatch in [dispatch.clone(), dispatch] {
                scope.spawn(move || tracing::dispatcher::with_default(&dispatch, searched));
            }
        });
        drop(first);
    });
    assert_eq!(spans.len(), 3, "{spans:?}");
}

#[test]
fn neither_query_nor_result_is_in_the_span() {
    let spans = watched(|| {
        let results = now(search().search("secret query", &SearchOptions::top(2))).unwrap();
        now(results.into_vec()).unwrap();
    });
    assert!(!format!("{spans:?}").contains("secret"));
}

#[test]
fn query_and_results_are_in_the_span_if_recorded() {
    let linked = TextSearchResult::new("secret").with_link("https://a.example/").with_score(0.5);
    let kept = TextSearchResult::new("secret").with_id("7").with_link("https://b.example/");
    let search = FixedSearch::new(vec![linked, kept, TextSearchResult::new("unread")]);
    let spans = watched(|| {
        now(recording_content(
            true,
            pin!(async {
                let mut results = search.search("why?", &SearchOptions::top(3)).await.unwrap();
                results.next().await.unwrap().unwrap();
                results.next().await.unwrap().unwrap();
            }),
        ));
        now(search.search("unrecorded", &SearchOptions::top(1))).unwrap();
    });
    let fields = &spans[0].1;
    assert_eq!(fields["gen_ai.retrieval.query.text"], "why?");
    let documents = fields["gen_ai.retrieval.documents"].replace('\\', "");
    let expected = r#"[{"id":"https://a.example/","score":0.5},{"id":"7","score":null}]"#;
    assert_eq!(documents, expected);
    assert!(!format!("{:?}", spans[1]).contains("unrecorded"), "{spans:?}");
}

#[test]
fn a_failed_search_records_the_kind_of_its_error() {
    let spans = watched(|| {
        let options = SearchOptions::top(1).with_filter(Filter::eq("nowhere", 1));
        now(search().search("q", &options)).unwrap_err();
    });
    assert_eq!(spans[0].1["error.type"], "unsupported_filter");
}
