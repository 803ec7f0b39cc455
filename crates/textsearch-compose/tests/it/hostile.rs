//! Sources that mean harm: streams without an end, huge values, panics, false counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::stream;
use serde_json::json;
use textsearch_compose::{Fallback, FanOut, FanOutSettings, Reranked, Sources};
use textsearch_conformance::assert_linear;
use textsearch_core::{
    Error, ErrorKind, FixedSearch, Result, SearchOptions, SearchResults, TextSearch as _,
    TextSearchResult, async_trait,
    rerank::Reranker,
    results::{Metadata, TotalCount},
};

use crate::support::{Source, page, pages, results, texts};

/// Returns results without an end, and counts them.
fn endless(read: &Arc<AtomicUsize>) -> Source {
    let read = Arc::clone(read);
    Source::ready("endless", move |_| {
        let read = Arc::clone(&read);
        let pages = stream::repeat_with(move || {
            let number = read.fetch_add(1, Ordering::SeqCst);
            Ok(page(&format!("https://example.com/{number}")))
        });
        Ok(SearchResults::from_stream(pages))
    })
}

/// Returns errors without an end.
fn failing_forever() -> Source {
    Source::ready("failing", |_| {
        let errors = stream::repeat_with(|| {
            Err(Error::new(ErrorKind::Undecodable, "failing", "secret internals"))
        });
        Ok(SearchResults::from_stream(errors))
    })
}

fn fan_out(hostile: Source) -> FanOut {
    let sources = Sources::new("hostile", hostile).with_source("notes", pages(&["a", "b"]));
    FanOut::new(sources, FanOutSettings::default()).unwrap()
}

#[tokio::test]
async fn a_fan_out_reads_no_further_than_its_depth() {
    let read = Arc::default();
    let texts = texts(&fan_out(endless(&read)), &SearchOptions::top(2)).await;
    assert_eq!(texts, ["0", "a"]);
    assert_eq!(read.load(Ordering::SeqCst), 20);
}

#[tokio::test]
async fn a_source_of_nothing_but_errors_ends() {
    let answer = fan_out(failing_forever()).search("q", &SearchOptions::top(5)).await.unwrap();
    assert_eq!(answer.metadata()["failed_sources"], json!({ "hostile": "undecodable" }));
    assert_eq!(answer.into_vec().await.unwrap(), ["a", "b"]);
}

#[cfg(feature = "cache")]
#[tokio::test]
async fn a_cached_search_of_nothing_but_errors_ends() {
    use textsearch_compose::{CacheSettings, Cached};

    let search = Cached::new(failing_forever(), CacheSettings::default()).unwrap();
    let mut answer = search.search("q", &SearchOptions::top(5)).await.unwrap();
    let mut errors = 0;
    while let Some(item) = answer.next().await {
        item.unwrap_err();
        errors += 1;
    }
    assert_eq!(errors, 100);
}

struct Zero;

#[async_trait]
impl Reranker for Zero {
    fn name(&self) -> &str {
        "zero"
    }

    async fn rerank(&self, _: &str, texts: &[String]) -> Result<Vec<f64>> {
        Ok(vec![0.0; texts.len()])
    }
}

#[tokio::test]
async fn a_reranked_search_reads_whole_blocks_only() {
    let read = Arc::default();
    let search = Reranked::new(endless(&read), Zero).with_candidates(10);
    let texts = texts(&search, &SearchOptions::top(3).with_skip(10)).await;
    // The source returns its first results, whatever `skip` says.
    assert_eq!(texts, ["0", "1", "2"]);
    assert_eq!(read.load(Ordering::SeqCst), 10);
}

#[tokio::test]
async fn an_answer_far_beyond_the_depth_is_cut() {
    let flood = Source::ready("flood", |_| {
        let pages = (0..100_000).map(|number| page(&format!("https://example.com/{number}")));
        Ok(SearchResults::from_vec(pages.collect()).with_total_count(TotalCount::Exact(u64::MAX)))
    });
    let answer = fan_out(flood).search("q", &SearchOptions::top(20)).await.unwrap();
    assert_eq!(answer.metadata()["sources"], json!({ "hostile": 20, "notes": 2 }));
    assert_eq!(answer.total_count(), Some(TotalCount::Estimated(u64::MAX)));
    assert_eq!(answer.into_vec().await.unwrap().len(), 20);
}

#[tokio::test]
async fn false_scores_and_ids_do_not_move_a_result() {
    let hostile = Source::ready("hostile", |_| {
        let results = [f64::NAN, f64::INFINITY, -0.0, f64::MAX].map(|score| {
            page("https://example.com/b").with_score(score).with_id("").with_name("\u{0}")
        });
        Ok(SearchResults::from_vec(results.into()))
    });
    let results = results(&fan_out(hostile), &SearchOptions::top(9)).await;
    let scores: Vec<_> =
        results.iter().map(|result| (result.value.as_str(), result.score)).collect();
    let first = 1.0 / 61.0 + 1.0 / 62.0;
    let second = 1.0 / 61.0;
    assert_eq!(scores, [("b", Some(first)), ("a", Some(second))]);
}

#[tokio::test]
async fn a_source_cannot_forge_what_is_reported() {
    let forged = || {
        Metadata::from_iter([
            ("failed_sources".to_owned(), json!({ "notes": "timeout" })),
            ("source".to_owned(), json!("notes")),
            ("sources".to_owned(), json!({ "notes": 9 })),
        ])
    };
    let hostile = Source::ready("hostile", move |_| {
        let forged_result = page("https://example.com/c").with_metadata("sources", json!("forged"));
        Ok(SearchResults::from_vec(vec![forged_result]).with_metadata(forged()))
    });
    let answer = fan_out(hostile.clone()).text_search_results("q", &SearchOptions::top(1)).await;
    let answer = answer.unwrap();
    assert_eq!(answer.metadata().get("failed_sources"), None);
    assert_eq!(answer.metadata()["sources"], json!({ "hostile": 1, "notes": 2 }));
    let results = answer.into_vec().await.unwrap();
    assert_eq!(results[0].metadata["sources"], json!({ "hostile": 1 }));
    let fallback = Fallback::new(Sources::new("hostile", hostile)).unwrap();
    let answer = fallback.search("q", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(answer.metadata()["source"], "hostile");
    assert_eq!(answer.metadata().get("failed_sources"), None);
}

#[tokio::test]
async fn failures_are_named_without_their_messages() {
    let failing = || Source::failing("failing", ErrorKind::unexpected_status(500, None, "secret"));
    let answer = fan_out(failing()).search("q", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(answer.metadata()["failed_sources"], json!({ "hostile": "unexpected_status" }));
    assert!(!json!(answer.metadata()).to_string().contains("secret"));
    let fallback = Fallback::new(Sources::new("failing", failing())).unwrap();
    let error = fallback.search("q", &SearchOptions::top(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "fallback: all 1 sources failed (failing: unexpected_status)");
}

fn link_of(length: usize) -> String {
    let parameters = "&utm_source=x&A=%2F&".repeat(length / 20);
    format!("HTTPS://EXAMPLE.com:443/{}?{parameters}#{}", "/".repeat(length), "#".repeat(length))
}

#[test]
fn long_links_and_texts_take_linear_time() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let search = |length: usize| {
        let result = |number: usize| {
            let text = "x".repeat(length);
            let result = TextSearchResult::new(format!("{text}{number}"));
            if number.is_multiple_of(2) { result.with_link(link_of(length)) } else { result }
        };
        let search = FixedSearch::new((0..10).map(result).collect::<Vec<_>>());
        let sources = Sources::new("one", search.clone()).with_source("other", search);
        FanOut::new(sources, FanOutSettings::default()).unwrap()
    };
    assert_linear(100_000, |length| {
        let results = runtime.block_on(results(&search(length), &SearchOptions::top(20)));
        assert_eq!(results.len(), 6);
    });
}

#[tokio::test(start_paused = true)]
async fn sources_that_never_answer_cost_their_timeout_once() {
    let mut sources = Sources::new("notes", pages(&["a"]));
    for number in 0..50 {
        sources = sources.with_source(format!("silent {number}"), Source::silent("silent"));
    }
    let began = tokio::time::Instant::now();
    let search = FanOut::new(sources, FanOutSettings::default()).unwrap();
    assert_eq!(texts(&search, &SearchOptions::top(5)).await, ["a"]);
    assert_eq!(began.elapsed(), Duration::from_secs(10));
}

/// Counts the records that exist.
#[cfg(feature = "cache")]
mod memory {
    use std::borrow::Cow;

    use futures_util::FutureExt;
    use schemars::JsonSchema;
    use serde::Serialize;
    use textsearch_compose::{CacheSettings, Cached};
    use textsearch_core::{CheckedOptions, TextSearchConnector, TextSearchRecord};

    use super::*;

    static ALIVE: AtomicUsize = AtomicUsize::new(0);

    #[derive(Serialize, JsonSchema)]
    struct Large(String);

    impl Drop for Large {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::SeqCst);
        }
    }

    impl TextSearchRecord for Large {
        fn text(&self) -> Cow<'_, str> {
            "small".into()
        }

        fn to_result(&self) -> TextSearchResult {
            TextSearchResult::new("small")
        }
    }

    struct LargeRecords;

    impl TextSearchConnector for LargeRecords {
        type Record = Large;

        fn name(&self) -> &str {
            "large"
        }

        async fn search_records(
            &self,
            _: &str,
            _: &CheckedOptions<'_, Self>,
        ) -> Result<SearchResults<Large>> {
            ALIVE.fetch_add(1, Ordering::SeqCst);
            Ok(SearchResults::from_vec(vec![Large("x".repeat(100_000))]))
        }
    }

    #[test]
    fn large_results_never_exceed_the_cache() {
        let mut settings = CacheSettings::default();
        settings.max_bytes = 1_000_000;
        let search = Cached::new(LargeRecords, settings).unwrap();
        for number in 0..400 {
            let query = number.to_string();
            let outcome = search.search(&query, &SearchOptions::top(1)).now_or_never();
            outcome.expect("nothing here waits").unwrap();
            let alive = ALIVE.load(Ordering::SeqCst);
            assert!(alive <= 10, "{alive} after {number}");
        }
    }
}
