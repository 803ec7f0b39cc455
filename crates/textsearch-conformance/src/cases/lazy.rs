//! The search fetches pages only when needed.

use std::time::Duration;

use textsearch_core::{SearchOptions, SearchResults};

use super::many;
use crate::{Subject, report::skipped, subject::RunningSearch};

/// Enough for an unwanted request to arrive.
const A_WHILE: Duration = Duration::from_millis(60);

async fn opened(subject: &Subject, running: &RunningSearch) -> SearchResults<String> {
    let options = SearchOptions::top(subject.capabilities.many());
    running.search.search("what there is", &options).await.expect("the search succeeds")
}

/// The call fetches the first page only.
pub async fn the_call_itself_fetches_one_page(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    let results = opened(&subject, &running).await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(running.server().count(), 1, "requests before the stream is read");
    drop(results);
    running.results(&SearchOptions::top(1)).await;
    assert_eq!(running.server().count(), 2, "one result takes one request");
}

/// The stream fetches each page when the reader gets there.
pub async fn later_pages_are_fetched_when_they_are_read(subject: Subject) {
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
pub async fn nothing_is_fetched_after_the_stream_is_dropped(subject: Subject) {
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
