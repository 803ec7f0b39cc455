//! The number of results.

use textsearch_core::{ErrorKind, SearchOptions};

use super::{MANY, many};
use crate::{Document, Subject, report::skipped};

/// Returns exactly `top`.
pub async fn returns_top_where_there_is_enough(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    for top in [1, 2, 5, 10, 11, 19, 20] {
        let top = subject.capabilities.within(top);
        assert_eq!(running.results(&SearchOptions::top(top)).await.len(), top, "top = {top}");
    }
}

/// Returns all of them.
pub async fn returns_what_there_is_where_top_is_more(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    for top in [3, 4, 10] {
        let options = SearchOptions::top(subject.capabilities.within(top));
        assert_eq!(running.results(&options).await.len(), 3, "top = {top}");
    }
}

/// A `skip` to the end or beyond isn't an error.
pub async fn returns_nothing_beyond_the_end(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    for skip in [3, 4, 7] {
        let options = SearchOptions::top(subject.capabilities.within(3)).with_skip(skip);
        assert_eq!(running.links(&options).await, Vec::<String>::new(), "skip = {skip}");
    }
}

/// It sends at most one request, for the count.
pub async fn a_top_of_zero_returns_nothing(subject: Subject) {
    let running = subject.holding(many(&subject)).await;
    assert_eq!(running.links(&SearchOptions::top(0)).await, Vec::<String>::new());
    assert_eq!(running.links(&SearchOptions::top(0).with_skip(2)).await, Vec::<String>::new());
    let requests = running.requests().len();
    assert!(requests <= 2, "{requests} requests for two searches for nothing");
}

/// Finding nothing isn't an error.
pub async fn an_empty_backend_is_an_empty_stream(subject: Subject) {
    let running = subject.holding(Vec::new()).await;
    assert_eq!(running.links(&SearchOptions::top(5)).await, Vec::<String>::new());
    let requests = running.requests().len();
    assert!(requests <= 2, "{requests} requests to find that there is nothing");
}

/// A stream that has ended can be polled again.
pub async fn the_end_of_a_stream_stays_the_end(subject: Subject) {
    let running = subject.holding(Document::several(1)).await;
    let results = running.search.search("what there is", &SearchOptions::top(2)).await;
    let mut results = results.expect("the search succeeds");
    assert!(results.next().await.expect("there is a result").is_ok());
    for _ in 0..3 {
        assert!(results.next().await.is_none(), "a stream goes on after its end");
    }
}

/// All three forms of a result have a text.
pub async fn results_have_a_text(subject: Subject) {
    let documents = Document::several(3);
    let running = subject.holding(documents.clone()).await;
    let (options, query) = (SearchOptions::top(3), "what there is");
    let texts = running.search.search(query, &options).await.expect("the search succeeds");
    let texts = texts.into_vec().await.expect("texts can be read");
    assert_eq!(texts.len(), 3);
    let said = |text: &String| documents.iter().any(|document| text.contains(&document.text));
    assert!(texts.iter().all(said), "the text of a document is not in {texts:?}");
    let values = running.search.search_values(query, &options).await.expect("the search succeeds");
    let values = values.into_vec().await.expect("records can be written as JSON");
    assert_eq!(values.len(), 3);
    for result in running.results(&options).await {
        assert!(!result.value.is_empty(), "{result:?}");
        assert!(result.source.is_some(), "{result:?}");
    }
}

/// The search passes on the backend's count.
pub async fn the_total_count_is_told(subject: Subject) {
    if !subject.capabilities.total_count {
        return skipped("total_count");
    }
    let documents = many(&subject);
    let (count, running) = (documents.len() as u64, subject.holding(documents).await);
    let options = SearchOptions::top(2).with_total_count(true);
    let results =
        running.search.search("what there is", &options).await.expect("the search succeeds");
    let told = results.total_count().map(|count| count.value());
    assert_eq!(told, Some(count));
}

/// The `top` is rejected, not truncated.
pub async fn more_than_the_maximum_is_refused(subject: Subject) {
    let Some(most) = subject.capabilities.max_results else { return skipped("max_results") };
    let running = subject.holding(Document::several(most.min(MANY))).await;
    let beyond = [SearchOptions::top(most + 1), SearchOptions::top(1).with_skip(most)];
    let beyond = beyond.into_iter().chain([SearchOptions::top(usize::MAX).with_skip(usize::MAX)]);
    for options in beyond {
        let error =
            running.try_results("what there is", &options).await.expect_err("it is too much");
        let ErrorKind::InvalidOptions { allowed, .. } = error.kind() else { panic!("{error:?}") };
        assert!(allowed.contains(&most.to_string()), "the limit {most} is not in: {error}");
    }
    assert_eq!(running.requests().len(), 0, "requests were sent");
}
