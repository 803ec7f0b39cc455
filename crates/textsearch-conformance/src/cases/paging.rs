//! The laws of paging: `skip` and `top` select a slice of all results, whose pages are fetched when
//! needed.

use std::time::Duration;

use textsearch_core::{ErrorKind, SearchOptions, SearchResults, results::TotalCount};

use super::{all_keys, many};
use crate::{Document, Subject, case::skipped, subject::RunningSearch};

/// Around the boundaries of pages of 5, 10, 20, 25 and 50.
const POSITIONS: [usize; 14] = [0, 1, 4, 5, 9, 10, 11, 19, 20, 21, 25, 49, 50, 101];

/// Holds for any `skip` and `top`.
pub(crate) async fn skip_and_top_are_a_slice_of_the_whole(subject: Subject) {
    let documents = many(&subject);
    let running = subject.holding(documents.clone()).await;
    let whole = running.keys(&SearchOptions::top(documents.len())).await;
    assert_eq!(whole.len(), documents.len(), "results of a search for all documents");
    if !running.requests().is_empty() {
        assert_eq!(whole, all_keys(&subject, &documents), "the order of the backend is kept");
    }
    for skip in POSITIONS {
        for top in [1, 2, 10, 20, 21] {
            if skip + top > subject.capabilities.within(skip + top) {
                continue;
            }
            let slice = running.keys(&SearchOptions::top(top).with_skip(skip)).await;
            let expected: Vec<_> = whole.iter().skip(skip).take(top).cloned().collect();
            assert_eq!(slice, expected, "skip = {skip}, top = {top}");
        }
    }
}

/// If pages overlap, repeats don't count.
pub(crate) async fn repeats_on_later_pages_are_left_out(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let max = subject.capabilities.many();
    // Every fourth document repeats the one three places earlier.
    let numbers = (0..max).map(|number| if number % 4 == 3 { number - 3 } else { number });
    let documents: Vec<Document> = numbers.map(Document::numbered).collect();
    let mut expected = all_keys(&subject, &documents);
    let mut seen = std::collections::HashSet::new();
    expected.retain(|link| seen.insert(link.clone()));
    let running = subject.holding(documents).await;
    let top = expected.len();
    assert_eq!(running.keys(&SearchOptions::top(top)).await, expected);
    // From the later `skip`, skipping whole pages would miss repeats.
    for skip in [top / 4, top / 4 * 3] {
        let window = running.keys(&SearchOptions::top(top / 4).with_skip(skip)).await;
        let slice: Vec<_> = expected.iter().skip(skip).take(top / 4).cloned().collect();
        assert_eq!(window, slice, "skip = {skip}");
    }
}

/// Enough for an unwanted request to arrive.
const A_WHILE: Duration = Duration::from_millis(60);

async fn opened(subject: &Subject, running: &RunningSearch) -> SearchResults<String> {
    let options = SearchOptions::top(subject.capabilities.many());
    running.search.search("what there is", &options).await.expect("the search succeeds")
}

/// The call fetches the first page only.
pub(crate) async fn the_call_itself_fetches_one_page(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let results = opened(&subject, &running).await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(running.server().count(), 1, "requests before the stream is read");
    drop(results);
    running.results(&SearchOptions::top(1)).await;
    assert_eq!(running.server().count(), 2, "one result takes one request");
}

/// The stream fetches each page when the reader gets there.
pub(crate) async fn later_pages_are_fetched_when_they_are_read(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let running = subject.holding(many(&subject)).await;
    let mut results = opened(&subject, &running).await;
    let mut read = 0;
    let mut last = 1;
    while let Some(result) = results.next().await {
        result.expect("each page is fetched");
        read += 1;
        let requests = running.server().count();
        assert!(requests <= last + 1, "{requests} requests at result {read}");
        last = requests;
        if read == 1 {
            assert_eq!(requests, 1, "the first result is on the first page");
        }
    }
    assert_eq!(read, subject.capabilities.many(), "results of a stream read to its end");
    assert!(
        last > 1,
        "{read} results came in one request: say `without_pages` if there are no pages"
    );
}

/// Dropping the stream stops the requests.
pub(crate) async fn nothing_is_fetched_after_the_stream_is_dropped(subject: Subject) {
    if !subject.capabilities.pages {
        return skipped("pages");
    }
    let running = subject.holding(many(&subject)).await;
    let mut results = opened(&subject, &running).await;
    while running.server().count() < 2 {
        results.next().await.expect("there is a second page").expect("it is fetched");
    }
    drop(results);
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(running.server().count(), 2, "requests after the stream is dropped");
}

/// A `skip` to the end or beyond isn't an error.
pub(crate) async fn returns_what_there_is_and_nothing_beyond(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    for (top, skip, count) in [(3, 0, 3), (4, 0, 3), (10, 0, 3), (3, 3, 0), (3, 4, 0), (3, 7, 0)] {
        let options = SearchOptions::top(subject.capabilities.within(top)).with_skip(skip);
        let actual = running.results(&options).await.len();
        assert_eq!(actual, count, "top = {top}, skip = {skip}");
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
