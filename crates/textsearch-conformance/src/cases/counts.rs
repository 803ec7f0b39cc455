//! The number of results.

use textsearch_core::{ErrorKind, SearchOptions, results::TotalCount};

use super::many;
use crate::{Document, Subject, report::skipped, subject::RunningSearch};

/// Returns exactly `top`.
pub(crate) async fn returns_top_where_there_is_enough(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    for top in [1, 2, 5, 10, 11, 19, 20] {
        let top = subject.capabilities.within(top);
        assert_eq!(running.results(&SearchOptions::top(top)).await.len(), top, "top = {top}");
    }
}

/// Returns all of them.
pub(crate) async fn returns_what_there_is_where_top_is_more(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    for top in [3, 4, 10] {
        let options = SearchOptions::top(subject.capabilities.within(top));
        assert_eq!(running.results(&options).await.len(), 3, "top = {top}");
    }
}

/// A `skip` to the end or beyond isn't an error.
pub(crate) async fn returns_nothing_beyond_the_end(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    for skip in [3, 4, 7] {
        let options = SearchOptions::top(subject.capabilities.within(3)).with_skip(skip);
        assert_eq!(running.keys(&options).await, Vec::<String>::new(), "skip = {skip}");
    }
}

/// It sends at most one request, for the count.
pub(crate) async fn a_top_of_zero_returns_nothing(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    assert_eq!(running.keys(&SearchOptions::top(0)).await, Vec::<String>::new());
    assert_eq!(running.keys(&SearchOptions::top(0).with_skip(2)).await, Vec::<String>::new());
    let requests = running.requests().len();
    assert!(requests <= 2, "{requests} requests for two searches for nothing");
}

/// Finding nothing isn't an error.
pub(crate) async fn an_empty_backend_is_an_empty_stream(subject: Subject) {
    let running = subject.holding(Vec::new()).await;
    assert_eq!(running.keys(&SearchOptions::top(5)).await, Vec::<String>::new());
    let requests = running.requests().len();
    assert!(requests <= 2, "{requests} requests to find that there is nothing");
}

/// A stream that has ended can be polled again.
pub(crate) async fn the_end_of_a_stream_stays_the_end(subject: Subject) {
    let running = subject.holding(Document::several(1)).await;
    let results = running.search.search("what there is", &SearchOptions::top(2)).await;
    let mut results = results.expect("the search succeeds");
    assert!(results.next().await.expect("there is a result").is_ok());
    for _ in 0..3 {
        assert!(results.next().await.is_none(), "a stream goes on after its end");
    }
}

/// It is the backend's, whatever part of the results is read, even none. Without a count from the
/// backend, there is none.
pub(crate) async fn the_total_count_is_told(subject: Subject) {
    if !subject.capabilities.total_count {
        let running = subject.holding(Document::several(3)).await;
        let told = total_count(&running, &SearchOptions::top(2).with_total_count(true)).await;
        return assert_eq!(told, None, "say `with_total_count` if the backend reports it");
    }
    for count in [subject.capabilities.many(), 3] {
        let running = subject.holding(Document::several(count)).await;
        for (top, skip) in [(2, 0), (1, 1), (count, 0), (0, 0)] {
            let options = SearchOptions::top(top).with_skip(skip).with_total_count(true);
            let told = total_count(&running, &options).await;
            let expected = expected_count(&subject, told, count);
            assert_eq!(told, Some(expected), "top = {top}, skip = {skip}");
        }
    }
}

async fn total_count(running: &RunningSearch, options: &SearchOptions) -> Option<TotalCount> {
    let results = running.search.search("what there is", options).await;
    results.expect("the search succeeds").total_count()
}

/// Declare `with_estimated_count` for an estimate. A vector store may return either, as the index
/// allows.
fn expected_count(subject: &Subject, told: Option<TotalCount>, count: usize) -> TotalCount {
    let is_free = !subject.is_over_http() && matches!(told, Some(TotalCount::Estimated(_)));
    if subject.capabilities.estimated_count || is_free {
        TotalCount::Estimated(count as u64)
    } else {
        TotalCount::Exact(count as u64)
    }
}

/// The `top` is rejected, not truncated.
pub(crate) async fn more_than_the_maximum_is_refused(subject: Subject) {
    let Some(max) = subject.capabilities.max_results else { return skipped("max_results") };
    let running = subject.holding(many(&subject)).await;
    let beyond = [SearchOptions::top(max + 1), SearchOptions::top(1).with_skip(max)];
    let beyond = beyond.into_iter().chain([SearchOptions::top(usize::MAX).with_skip(usize::MAX)]);
    for options in beyond {
        let error =
            running.try_results("what there is", &options).await.expect_err("it is too much");
        let ErrorKind::InvalidOptions { allowed, .. } = error.kind() else { panic!("{error:?}") };
        assert!(allowed.contains(&max.to_string()), "the limit {max} is not in: {error}");
    }
    assert_eq!(running.requests().len(), 0, "requests were sent");
}
