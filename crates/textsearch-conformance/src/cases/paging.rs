//! The laws of paging: `skip` and `top` select a slice of all results, whose pages are fetched when
//! needed.

use std::time::Duration;

use textsearch_core::{SearchOptions, SearchResults};

use super::{all_keys, many};
use crate::{Document, Subject, report::skipped, subject::RunningSearch};

async fn whole(subject: &Subject, running: &RunningSearch) -> Vec<String> {
    running.keys(&SearchOptions::top(subject.capabilities.many())).await
}

/// Around the boundaries of pages of 5, 10, 20, 25 and 50.
const POSITIONS: [usize; 14] = [0, 1, 4, 5, 9, 10, 11, 19, 20, 21, 25, 49, 50, 101];

/// Holds for any `skip` and `top`.
pub(crate) async fn skip_and_top_are_a_slice_of_the_whole(subject: Subject) {
    let documents = many(&subject);
    let running = subject.holding(documents.clone()).await;
    let whole = whole(&subject, &running).await;
    assert_eq!(whole.len(), documents.len(), "results of a search for all documents");
    if !running.requests().is_empty() {
        assert_eq!(whole, all_keys(&subject, &documents), "the order of the backend is kept");
    }
    for skip in POSITIONS {
        for top in [1, 2, 10, 21] {
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
    let (mut read, mut last) = (0, 1);
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
        "{read} results came in one request: say `with_page_size` if pages hold more, or \
         `without_pages` if there are none"
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
