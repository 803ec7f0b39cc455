//! One search emits one `retrieval` span, however many wrappers it goes through.

use std::time::Duration;

use textsearch_compose::{
    CacheSettings, Cached, Fallback, FanOut, FanOutSettings, RateLimit, RateLimited, Sources, Timed,
};
use textsearch_conformance::{CapturedSpan, LogCapture};
use textsearch_core::{ErrorKind, SearchOptions, TextSearch};

use crate::support::{Source, pages};

fn all_wrappers() -> impl TextSearch {
    let slow = Source::new("slow", |_, _| async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        crate::support::with_results([crate::support::page("https://example.com/slow")])
    });
    let notes = Cached::new(pages(&["a", "b"]), CacheSettings::default()).unwrap();
    let dead = Source::failing("dead", ErrorKind::Unavailable);
    let sources = Sources::new("notes", notes).with_source("slow", slow).with_source("dead", dead);
    let fan_out = FanOut::new(sources, FanOutSettings::default()).unwrap();
    let timed =
        Timed::new(fan_out, Duration::from_secs(9)).with_total_timeout(Duration::from_secs(9));
    let empty = Sources::new("empty", pages(&[])).with_source("fan_out", timed);
    let fallback = Fallback::new(empty).unwrap().with_on_no_results(true);
    let limit = RateLimit::new(1000, Duration::from_secs(1));
    let limited = RateLimited::new(fallback, limit).unwrap();
    Cached::new(limited, CacheSettings::default()).unwrap()
}

fn spans_of(work: impl Future<Output = ()>) -> Vec<CapturedSpan> {
    let log = LogCapture::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work);
    let spans = log.spans();
    assert!(spans.iter().all(|span| span.name == "retrieval"), "{spans:?}");
    spans
}

#[test]
fn a_search_through_all_wrappers_emits_one_span() {
    let spans = spans_of(async {
        let results = all_wrappers().search("q", &SearchOptions::top(2)).await.unwrap();
        assert_eq!(results.into_vec().await.unwrap(), ["a", "slow"]);
    });
    let [span] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!(span.fields["gen_ai.provider.name"], "fallback");
    assert_eq!(span.fields["gen_ai.data_source.id"], "empty, fan_out");
    assert_eq!(span.fields["textsearch.result_count"], "2");
}

#[test]
fn callers_who_share_a_search_emit_a_span_each() {
    let spans = spans_of(async {
        let search = all_wrappers();
        let options = SearchOptions::top(2);
        let callers = (0..3).map(|_| async {
            search.search("q", &options).await.unwrap().into_vec().await.unwrap().len()
        });
        assert_eq!(futures_util::future::join_all(callers).await, [2, 2, 2]);
        search.search("q", &options).await.unwrap();
    });
    assert_eq!(spans.len(), 4, "{spans:?}");
}

#[test]
fn a_failed_search_records_the_kind_of_its_error() {
    let spans = spans_of(async {
        let silent = Timed::new(Source::silent("silent"), Duration::from_millis(1));
        let sources = Sources::new("silent", silent);
        let fallback = Fallback::new(sources).unwrap();
        fallback.search("q", &SearchOptions::top(2)).await.unwrap_err();
    });
    let [span] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!(span.fields["error.type"], "timeout");
}
