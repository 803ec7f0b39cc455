//! Concurrent and abandoned searches.

use std::sync::Arc;

use textsearch_core::SearchOptions;
use tokio::task::JoinSet;

use super::wire::{sent_filters, shown};
use crate::{Document, Subject, case::skipped, endpoint, server::Action, stalls, subject::keys};

/// Concurrent searches don't mix up results.
pub(crate) async fn sixty_four_searches_at_once(subject: Subject) {
    let running = subject.holding(Document::several(12)).await;
    let expected = running.keys(&SearchOptions::top(12)).await;
    let mut searches = JoinSet::new();
    let made_links = subject.capabilities.made_links;
    for number in 0..64 {
        let search = Arc::clone(&running.search);
        searches.spawn(async move {
            let options = SearchOptions::top(1 + number % 4).with_skip(number % 8);
            let results = search.text_search_results(&format!("query {number}"), &options).await?;
            results.into_vec().await.map(|results| (number, keys(results, made_links)))
        });
    }
    while let Some(result) = searches.join_next().await {
        let (number, keys) = result.expect("no search panics").expect("each search succeeds");
        let slice = expected.iter().skip(number % 8).take(1 + number % 4);
        assert!(slice.eq(&keys), "search {number} found {keys:?}");
    }
}

/// Each keeps its own filter.
pub(crate) async fn concurrent_searches_keep_their_filters(subject: Subject) {
    let filters = sent_filters(&subject);
    let Some(declared) = filters.first() else { return skipped("filters") };
    let running = subject.holding(Document::several(3)).await;
    let mut searches = JoinSet::new();
    for number in 0..32 {
        let search = Arc::clone(&running.search);
        let filter = declared.filter.clone();
        searches.spawn(async move {
            let plain = SearchOptions::top(1);
            let options = if number % 2 == 0 { plain.with_filter(filter) } else { plain };
            search.search(&format!("query{number}x"), &options).await.map(drop)
        });
    }
    while let Some(result) = searches.join_next().await {
        result.expect("no search panics").expect("each search succeeds");
    }
    let requests = running.requests();
    assert_eq!(requests.len(), 32, "requests of 32 searches");
    for number in 0..32 {
        let query = format!("query{number}x");
        let has_query = |text: &(String, String)| text.1.contains(&query);
        let request = requests.iter().find(|request| request.texts().iter().any(has_query));
        let request = request.unwrap_or_else(|| panic!("no request says {query:?}"));
        let is_sent = (declared.is_sent)(request);
        assert_eq!(is_sent, number % 2 == 0, "`{}` in {}", declared.filter, shown(request));
    }
}

/// It waits asynchronously: another search may need the thread.
pub(crate) async fn no_search_blocks_its_thread(subject: Subject) {
    let running = subject.holding(Document::several(3)).await;
    stalls::assert_free("search", async || drop(running.results(&SearchOptions::top(3)).await))
        .await;
}

/// No background work or retry follows.
pub(crate) async fn a_dropped_search_ends_its_request(subject: Subject) {
    let stall = |_, answer: crate::Response| Action::Stall(answer.half());
    let running = subject.scripted(endpoint::patient(), Document::several(3), stall).await;
    let search = Arc::clone(&running.search);
    let call = async move { drop(search.search("what there is", &SearchOptions::top(3)).await) };
    running.server().assert_aborted(call).await;
}
