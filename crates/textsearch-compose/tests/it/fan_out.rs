//! `FanOut`: fusion, duplicates, failures, counts.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use textsearch_compose::{FanOut, FanOutSettings, Sources};
use textsearch_core::{
    Error, ErrorKind, Filter, FilterableField, FixedSearch, SearchOptions, SearchResults,
    TextSearch, TextSearchResult,
    connector::Mapped,
    filter::FilterOperator,
    results::{AnyRecord, Metadata, TotalCount},
};
use tokio::sync::Barrier;

use crate::support::{Dropped, Source, failure, page, pages, results, texts, with_results};

fn fan_out(sources: Sources) -> FanOut {
    FanOut::new(sources, FanOutSettings::default()).unwrap()
}

fn over(first: impl TextSearch + 'static, second: impl TextSearch + 'static) -> FanOut {
    fan_out(Sources::new("one", first).with_source("other", second))
}

fn top(results: usize) -> SearchOptions {
    SearchOptions::top(results)
}

#[tokio::test]
async fn scores_are_the_sums_of_reciprocal_ranks() {
    let search = over(pages(&["a", "b", "c"]), pages(&["d", "b"]));
    let results = results(&search, &top(9)).await;
    let fused: Vec<_> =
        results.iter().map(|result| (result.value.as_str(), result.score.unwrap())).collect();
    let expected = [("b", 2.0 / 62.0), ("a", 1.0 / 61.0), ("d", 1.0 / 61.0), ("c", 1.0 / 63.0)];
    assert_eq!(fused, expected);
}

#[tokio::test]
async fn results_name_each_source_and_its_rank() {
    let search = over(pages(&["a", "b"]), pages(&["b", "c"]));
    let results = results(&search, &top(9)).await;
    let ranks: Vec<_> = results.iter().map(|result| result.metadata["sources"].clone()).collect();
    let expected = [json!({ "one": 2, "other": 1 }), json!({ "one": 1 }), json!({ "other": 2 })];
    assert_eq!(ranks, expected);
    assert_eq!(results[0].source.as_deref(), Some("fixed"));
}

#[tokio::test]
async fn the_rank_constant_can_be_chosen() {
    let mut settings = FanOutSettings::default();
    settings.rank_constant = 0;
    let search = FanOut::new(Sources::new("one", pages(&["a", "b"])), settings).unwrap();
    let scores: Vec<_> =
        results(&search, &top(9)).await.iter().map(|result| result.score).collect();
    assert_eq!(scores, [Some(1.0), Some(0.5)]);
}

#[tokio::test]
async fn a_merged_result_is_the_record_of_the_best_rank() {
    let first =
        FixedSearch::new([page("https://x.example/"), page("HTTPS://a.example").with_name("2")]);
    let second = FixedSearch::new([page("https://A.example/#top").with_name("1")]);
    let results = results(&over(first, second), &top(1)).await;
    assert_eq!(results[0].name.as_deref(), Some("1"));
}

#[tokio::test]
async fn a_dead_source_leaves_the_results_of_the_others() {
    let dead = Source::failing("dead", ErrorKind::Unavailable);
    let sources = Sources::new("dead", dead).with_source("notes", pages(&["a", "b"]));
    let answer = fan_out(sources).search("q", &top(5)).await.unwrap();
    let expected = json!({ "sources": { "dead": 0, "notes": 2 }, "failed_sources": { "dead": "unavailable" } });
    assert_eq!(json!(answer.metadata()), expected);
    assert_eq!(answer.into_vec().await.unwrap(), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_source_keeps_what_it_returned_in_time() {
    let slow = Source::ready("slow", |_| {
        let first = stream::iter([Ok(page("https://example.com/slow"))]);
        Ok(SearchResults::from_stream(first.chain(stream::pending())))
    });
    let began = tokio::time::Instant::now();
    let answer = over(slow, pages(&["a"])).search("q", &top(5)).await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_secs(10));
    assert_eq!(answer.metadata()["sources"], json!({ "one": 1, "other": 1 }));
    assert_eq!(answer.metadata()["failed_sources"], json!({ "one": "timeout" }));
    assert_eq!(answer.into_vec().await.unwrap(), ["slow", "a"]);
}

#[tokio::test(start_paused = true)]
async fn too_few_answers_are_an_error() {
    let mut settings = FanOutSettings::default();
    settings.min_sources = 2;
    let sources = Sources::new("silent", Source::silent("silent"))
        .with_source("closed", Source::failing("closed", ErrorKind::Authentication))
        .with_source("notes", pages(&["a"]));
    let error = failure(&FanOut::new(sources, settings).unwrap(), &top(1)).await;
    assert_eq!(
        error.to_string(),
        "fan_out: 1 of 3 sources answered, 2 must (silent: timeout; closed: authentication)"
    );
    assert_eq!(error.kind(), &ErrorKind::Timeout);
}

#[tokio::test]
async fn without_any_answer_the_search_fails() {
    let search =
        over(Source::failing("closed", ErrorKind::Authentication), Source::panicking("bug"));
    let error = failure(&search, &top(1)).await;
    assert_eq!(
        error.to_string(),
        "fan_out: 0 of 2 sources answered, 1 must (one: authentication; other: backend)"
    );
    assert_eq!(error.kind(), &ErrorKind::Authentication);
}

#[tokio::test]
async fn no_results_are_an_answer() {
    let search = over(pages(&[]), Source::failing("dead", ErrorKind::Timeout));
    assert!(texts(&search, &top(5)).await.is_empty());
}

#[tokio::test]
async fn a_filter_that_a_source_refuses_ends_the_search() {
    let field = FilterableField::string("Name", "");
    let strict = Source::ready("strict", |options| {
        let filter = options.filter().unwrap();
        Err(Error::unsupported_filter("strict", filter.to_string(), FilterOperator::Or, &[]))
    })
    .with_fields([field.clone()]);
    let search = over(pages(&["a"]).with_fields([field]), strict);
    let error = failure(&search, &top(1).with_filter(Filter::eq("Name", "x"))).await;
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error:?}");
    assert!(error.message().starts_with("the source `other` refuses the options: "), "{error}");
}

#[tokio::test]
async fn a_query_that_one_source_refuses_is_its_failure() {
    let kind = ErrorKind::invalid_options("query", "at most 400 characters");
    let answer = over(pages(&["a"]), Source::failing("short", kind)).search("q", &top(1)).await;
    let failed = &answer.unwrap().metadata()["failed_sources"].clone();
    assert_eq!(failed, &json!({ "other": "invalid_options" }));
}

#[tokio::test]
async fn each_source_is_asked_for_its_best_results_with_all_filters() {
    let field = FilterableField::string("Name", "");
    let source = Source::ready("source", |_| with_results([])).with_fields([field]);
    let search = fan_out(Sources::new("source", source.clone()));
    let filtered = top(3)
        .with_skip(2)
        .with_total_count(true)
        .with_filter(Filter::eq("Name", "a"))
        .with_fixed_filter(Filter::eq("Name", "b"));
    texts(&search, &filtered).await;
    let mut expected = filtered.with_skip(0);
    expected.top = 20;
    assert_eq!(source.options(), [expected]);
}

#[tokio::test]
async fn a_window_beyond_the_depth_is_refused_unasked() {
    let source = Source::ready("source", |_| with_results([]));
    let search = fan_out(Sources::new("source", source.clone()));
    for options in [top(21), top(1).with_skip(20), top(usize::MAX).with_skip(usize::MAX)] {
        let error = failure(&search, &options).await;
        let ErrorKind::InvalidOptions { option, allowed, .. } = error.kind() else {
            panic!("{error:?}")
        };
        assert_eq!(option, "skip + top");
        assert_eq!(allowed, "at most 20, the depth of the fan-out");
    }
    assert_eq!(source.calls(), 0);
    assert!(texts(&search, &top(20)).await.is_empty());
}

#[tokio::test]
async fn a_search_for_nothing_asks_only_for_a_count() {
    let source = Source::ready("source", |_| with_results([]));
    let search = fan_out(Sources::new("source", source.clone()));
    assert!(texts(&search, &top(0)).await.is_empty());
    assert_eq!(source.calls(), 0);
    let answer = search.search("q", &top(0).with_total_count(true)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Exact(0)));
    assert_eq!(source.calls(), 1);
}

#[tokio::test]
async fn impossible_settings_are_refused() {
    let sources = Sources::new("one", pages(&[]));
    type Change = fn(&mut FanOutSettings);
    let cases: [(Change, &str); 3] = [
        (|settings| settings.depth = 0, "depth"),
        (|settings| settings.min_sources = 0, "min_sources"),
        (|settings| settings.min_sources = 2, "min_sources"),
    ];
    for (change, name) in cases {
        let mut settings = FanOutSettings::default();
        change(&mut settings);
        let error = FanOut::new(sources.clone(), settings).unwrap_err();
        let ErrorKind::InvalidOptions { option, .. } = error.kind() else { panic!("{error:?}") };
        assert_eq!(option, name);
    }
}

#[tokio::test]
async fn a_source_that_repeats_itself_counts_once() {
    let search = over(pages(&["a", "a", "a/", "b"]), pages(&["b"]));
    let results = results(&search, &top(9)).await;
    assert_eq!(results.len(), 2);
    assert_eq!(results[1].metadata["sources"], json!({ "one": 1 }));
    assert_eq!(results[1].score, Some(1.0 / 61.0));
}

#[tokio::test]
async fn results_without_a_link_are_compared_by_id_name_and_text() {
    let first = FixedSearch::new([
        TextSearchResult::new("same"),
        TextSearchResult::new("text").with_id("1"),
        TextSearchResult::new("text").with_name("name"),
        TextSearchResult::default(),
    ]);
    let second = FixedSearch::new([
        TextSearchResult::new("same"),
        TextSearchResult::new("other text").with_id("1"),
        TextSearchResult::new("text").with_name("name").with_id("1"),
        TextSearchResult::default(),
    ]);
    let results = results(&over(first, second), &top(9)).await;
    let merged =
        results.iter().filter(|result| result.metadata["sources"].as_object().unwrap().len() == 2);
    assert_eq!(merged.map(|result| result.value.as_str()).collect::<Vec<_>>(), ["same"]);
    assert_eq!(results.len(), 7);
}

fn chunk(id: &str, place: &str) -> TextSearchResult {
    page(&format!("https://example.com/guide#{place}")).with_id(id)
}

#[tokio::test]
async fn chunks_of_one_page_stay_apart() {
    let by_words = FixedSearch::new([chunk("1", "a"), chunk("2", "a")]);
    let by_meaning = FixedSearch::new([chunk("2", "a"), chunk("3", "b")]);
    let results = results(&over(by_words, by_meaning), &top(9)).await;
    let ids: Vec<_> = results.iter().map(|result| result.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["2", "1", "3"]);
}

#[tokio::test]
async fn one_chunk_of_a_page_is_the_page() {
    let web = Source::ready("web", |_| with_results([page("https://example.com/guide")]));
    let results = results(&over(FixedSearch::new([chunk("1", "a")]), web), &top(9)).await;
    assert_eq!(results[0].metadata["sources"], json!({ "one": 1, "other": 1 }));
    assert_eq!(results.len(), 1);
}

#[tokio::test]
async fn the_count_is_exact_if_all_results_are_read() {
    let answer = over(pages(&["a", "b"]), pages(&["b"])).search("q", &top(1)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Exact(2)));
}

#[tokio::test]
async fn the_count_is_an_estimate_if_there_is_more() {
    let names: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let answer = over(pages(&names), pages(&["b"])).search("q", &top(1)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Estimated(30)));
    let dead = Source::failing("dead", ErrorKind::Timeout);
    let answer = over(pages(&["a"]), dead).search("q", &top(1)).await.unwrap();
    assert_eq!(answer.total_count(), Some(TotalCount::Estimated(1)));
}

#[tokio::test]
async fn the_metadata_of_a_source_is_kept_under_its_name() {
    let source = Source::ready("source", |_| {
        let facts = Metadata::from_iter([("took_ms".to_owned(), Value::from(7))]);
        Ok(with_results([])?.with_metadata(facts))
    });
    let answer = over(source, pages(&[])).search("q", &top(1)).await.unwrap();
    assert_eq!(answer.metadata()["source_metadata"], json!({ "one": { "took_ms": 7 } }));
}

#[tokio::test]
async fn a_record_keeps_its_json_and_its_type() {
    let record = page("https://example.com/a").with_score(0.5);
    let search = over(FixedSearch::new([record.clone()]), pages(&[]));
    let values = search.search_values("q", &top(1)).await.unwrap().into_vec().await.unwrap();
    assert_eq!(values, [json!(record)]);
    let records = search.search_any("q", &top(1)).await.unwrap().into_vec().await.unwrap();
    let mapped = records[0].downcast_ref::<Mapped<AnyRecord>>().unwrap();
    assert_eq!(mapped.record().downcast_ref::<TextSearchResult>(), Some(&record));
}

#[tokio::test]
async fn sources_are_asked_at_once() {
    let both = Arc::new(Barrier::new(2));
    let waiting = || {
        let both = Arc::clone(&both);
        Source::new("waiting", move |_, _| {
            let both = Arc::clone(&both);
            async move {
                both.wait().await;
                with_results([])
            }
        })
    };
    let search = over(waiting(), waiting());
    let answer = tokio::time::timeout(Duration::from_secs(5), texts(&search, &top(1))).await;
    assert!(answer.is_ok_and(|texts| texts.is_empty()));
}

#[tokio::test]
async fn dropping_the_search_drops_the_work_of_each_source() {
    let dropped = Arc::default();
    let waiting = |dropped: &Arc<_>| {
        let dropped = Arc::clone(dropped);
        Source::new("waiting", move |_, _| {
            let dropped = Dropped(Arc::clone(&dropped));
            async move {
                let _dropped = dropped;
                std::future::pending().await
            }
        })
    };
    let search = over(waiting(&dropped), waiting(&dropped));
    assert!(search.search("q", &top(1)).now_or_never().is_none());
    assert_eq!(dropped.load(std::sync::atomic::Ordering::SeqCst), 2);
}
