//! `Fallback`: failures and reports.

use std::time::Duration;

use futures_util::stream;
use serde_json::json;
use textsearch_compose::{Fallback, Sources};
use textsearch_core::{
    Error, ErrorKind, Filter, FilterableField, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector as _, filter::FilterOperator, results::TotalCount,
};

use crate::support::{Source, failure, page, pages, results, texts, with_results};

fn over(first: impl TextSearch + 'static) -> Fallback {
    let sources = Sources::new("first", first).with_source("second", pages(&["x", "y", "z"]));
    Fallback::new(sources).unwrap()
}

#[tokio::test]
async fn the_first_source_that_answers_is_the_only_one_asked() {
    let second = Source::ready("second", |_| with_results([]));
    let sources = Sources::new("first", pages(&["a"])).with_source("second", second.clone());
    let search = Fallback::new(sources).unwrap();
    let answer = search.search("q", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(json!(answer.metadata()), json!({ "source": "first" }));
    assert_eq!(answer.total_count(), Some(TotalCount::Exact(1)));
    assert_eq!(answer.into_vec().await.unwrap(), ["a"]);
    assert_eq!(second.calls(), 0);
}

#[tokio::test]
async fn failures_of_a_source_are_mended_by_the_next() {
    let kinds = [
        ErrorKind::Authentication,
        ErrorKind::RateLimited,
        ErrorKind::QuotaExceeded,
        ErrorKind::Timeout,
        ErrorKind::Unavailable,
        ErrorKind::unexpected_status(418, None, "teapot"),
        ErrorKind::Undecodable,
        ErrorKind::Embedding,
        ErrorKind::Backend,
        ErrorKind::collection_not_found("pages"),
        ErrorKind::invalid_options("query", "at most 400 characters"),
    ];
    for kind in kinds {
        let search = over(Source::failing("dead", kind.clone()));
        let answer = search.search("q", &SearchOptions::top(1)).await.unwrap();
        let expected = json!({ "source": "second", "failed_sources": { "first": kind.name() } });
        assert_eq!(json!(answer.metadata()), expected);
        assert_eq!(answer.into_vec().await.unwrap(), ["x"], "{kind:?}");
    }
}

#[tokio::test]
async fn mistakes_of_the_caller_are_not_hidden() {
    let first = || {
        Source::ready("strict", |_| {
            let allowed = [FilterOperator::Eq];
            Err(Error::unsupported_filter("strict", "site", FilterOperator::Ne, &allowed))
        })
    };
    let error = failure(&over(first()), &SearchOptions::top(1)).await;
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { field, .. } if field == "site"));
    assert_eq!(
        error.to_string(),
        "fallback: the source `first` refuses the options: \
         cannot apply `ne` to `site`: expected eq"
    );
    let kind = ErrorKind::invalid_options("skip + top", "at most 20");
    let search = over(Source::failing("strict", kind.clone()));
    assert_eq!(failure(&search, &SearchOptions::top(1)).await.kind(), &kind);
}

#[tokio::test]
async fn a_panicking_source_is_one_that_fails() {
    let search = over(Source::panicking("bug"));
    let answer = search.search("q", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(answer.metadata()["failed_sources"], json!({ "first": "backend" }));
}

#[tokio::test]
async fn the_error_of_all_names_each_and_can_be_retried() {
    let busy = Source::ready("busy", |_| {
        let busy = Error::new(ErrorKind::RateLimited, "busy", "secret internals");
        Err(busy.with_retry_after(Duration::from_secs(7)))
    });
    let sources = Sources::new("closed", Source::failing("closed", ErrorKind::Authentication))
        .with_source("busy", busy)
        .with_source("down", Source::failing("down", ErrorKind::Unavailable));
    let error = failure(&Fallback::new(sources).unwrap(), &SearchOptions::top(1)).await;
    assert_eq!(
        error.to_string(),
        "fallback: all 3 sources failed \
         (closed: authentication; busy: rate_limited; down: unavailable)"
    );
    assert_eq!(error.kind(), &ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn an_empty_answer_is_an_answer_by_default() {
    let answer = over(pages(&[])).search("q", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(answer.metadata()["source"], "first");
    assert!(answer.into_vec().await.unwrap().is_empty());
}

#[tokio::test]
async fn no_results_fall_back_if_asked() {
    let search = over(pages(&[])).with_on_no_results(true);
    let answer = search.search("q", &SearchOptions::top(2).with_skip(1)).await.unwrap();
    let expected = json!({ "source": "second", "failed_sources": { "first": "no_results" } });
    assert_eq!(json!(answer.metadata()), expected);
    assert_eq!(answer.total_count(), Some(TotalCount::Exact(3)));
    assert_eq!(answer.into_vec().await.unwrap(), ["y", "z"]);
}

#[tokio::test]
async fn results_are_all_there_after_the_look_at_the_first() {
    let search = over(pages(&["a", "b", "c"])).with_on_no_results(true);
    let answer = search.search("q", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Exact(3)));
    assert_eq!(answer.into_vec().await.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn a_page_beyond_the_end_does_not_fall_back() {
    let search = over(pages(&["a"])).with_on_no_results(true);
    let answer = search.search("q", &SearchOptions::top(2).with_skip(1)).await.unwrap();
    assert_eq!(answer.metadata()["source"], "first");
    assert!(answer.into_vec().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_search_for_nothing_does_not_fall_back() {
    let search = over(pages(&[])).with_on_no_results(true);
    let answer = search.search("q", &SearchOptions::top(0)).await.unwrap();
    assert_eq!(answer.metadata()["source"], "first");
}

#[tokio::test]
async fn sources_without_results_are_an_empty_answer() {
    let down = Source::failing("down", ErrorKind::Unavailable);
    let sources = Sources::new("empty", pages(&[])).with_source("down", down);
    let search = Fallback::new(sources).unwrap().with_on_no_results(true);
    let answer = search.search("q", &SearchOptions::top(2)).await.unwrap();
    let failed = json!({ "empty": "no_results", "down": "unavailable" });
    assert_eq!(answer.metadata()["failed_sources"], failed);
    assert!(answer.into_vec().await.unwrap().is_empty());
}

fn failing_after(count: usize) -> Source {
    Source::ready("broken", move |_| {
        let pages = (0..count).map(|number| Ok(page(&format!("https://example.com/{number}"))));
        let error = Error::new(ErrorKind::Unavailable, "broken", "gone");
        let items: Vec<_> = pages.chain([Err(error)]).collect();
        Ok(SearchResults::from_stream(stream::iter(items)))
    })
}

#[tokio::test]
async fn a_failure_before_the_first_result_falls_back() {
    let search = over(failing_after(0)).with_on_no_results(true);
    assert_eq!(texts(&search, &SearchOptions::top(1)).await, ["x"]);
}

#[tokio::test]
async fn a_failure_after_results_is_an_item_of_the_stream() {
    for enabled in [false, true] {
        let search = over(failing_after(1)).with_on_no_results(enabled);
        let mut answer = search.search("q", &SearchOptions::top(5)).await.unwrap();
        assert_eq!(answer.next().await.unwrap().unwrap(), "0");
        assert_eq!(answer.next().await.unwrap().unwrap_err().kind(), &ErrorKind::Unavailable);
        assert!(answer.next().await.is_none());
    }
}

#[tokio::test]
async fn results_name_the_connector_that_found_them() {
    let search = over(Source::failing("dead", ErrorKind::Timeout));
    let results = results(&search, &SearchOptions::top(1)).await;
    assert_eq!(results[0].source.as_deref(), Some("fixed"));
}

#[tokio::test]
async fn filters_that_not_all_sources_know_are_refused_unasked() {
    let field = |name| FilterableField::string(name, "");
    let first = Source::ready("first", |_| with_results([])).with_fields([field("a"), field("b")]);
    let second = pages(&["x"]).with_fields([field("b")]);
    let sources = Sources::new("first", first.clone()).with_source("second", second);
    let search = Fallback::new(sources).unwrap();
    let options = SearchOptions::top(1).with_filter(Filter::eq("a", "x"));
    let error = failure(&search, &options).await;
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { field, .. } if field == "a"));
    assert_eq!(first.calls(), 0);
    assert_eq!(search.fields(), [field("b")]);
}
