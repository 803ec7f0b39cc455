//! [`PerDocument`]: one result per document, read in growing windows.

use std::borrow::Cow;

use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::Serialize;
use textsearch_compose::PerDocument;
use textsearch_core::{
    Error, ErrorKind, FixedSearch, SearchOptions, SearchResults, TextSearch as _, TextSearchRecord,
    TextSearchResult,
};

use crate::support::{Source, page, pages, texts, with_results};

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Chunk {
    document_id: &'static str,
    document_namespace: Option<&'static str>,
    text: &'static str,
}

impl TextSearchRecord for Chunk {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.text)
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(self.text).with_link("same for all")
    }
}

/// Finds `count` results of each of the documents.
fn chunks(documents: &'static [&str], count: usize) -> Source {
    Source::ready("chunks", move |options| {
        let all = documents.iter().flat_map(|name| std::iter::repeat_n(name, count));
        let results = all.map(|name| page(&format!("https://example.com/{name}")));
        with_results(results.skip(options.skip).take(options.top))
    })
}

fn windows(source: &Source) -> Vec<(usize, usize)> {
    source.options().iter().map(|options| (options.skip, options.top)).collect()
}

#[tokio::test]
async fn only_the_best_chunk_of_each_document_stays() {
    let chunk =
        |document_id, document_namespace, text| Chunk { document_id, document_namespace, text };
    let search = PerDocument::new(FixedSearch::new([
        chunk("a", None, "a1"),
        chunk("b", Some("x"), "b1"),
        chunk("a", None, "a2"),
        chunk("b", Some("y"), "c1"),
        chunk("b", Some("x"), "b2"),
    ]));
    assert_eq!(texts(&search, &SearchOptions::top(9)).await, ["a1", "b1", "c1"]);
}

#[tokio::test]
async fn links_without_fragment_identify_other_documents() {
    let links = ["https://e.example/a#x", "a.md#x", "https://E.example/a#y", "a.md", "b.md#x"];
    let mut results: Vec<_> = links.map(|link| TextSearchResult::new(link).with_link(link)).into();
    results.extend([TextSearchResult::new("no link"), TextSearchResult::new("no link")]);
    let search = PerDocument::new(FixedSearch::new(results));
    let expected = ["https://e.example/a#x", "a.md#x", "b.md#x", "no link", "no link"];
    assert_eq!(texts(&search, &SearchOptions::top(9)).await, expected);
}

#[tokio::test]
async fn skip_and_top_count_documents() {
    let search = PerDocument::new(pages(&["a", "a", "b", "b", "c", "d", "e"]));
    let options = SearchOptions::top(2).with_skip(1).with_total_count(true);
    assert_eq!(texts(&search, &options).await, ["b", "c"]);
    assert_eq!(search.search("q", &options).await.unwrap().total_count(), None);
    assert!(texts(&search, &SearchOptions::top(0)).await.is_empty());
}

#[tokio::test]
async fn windows_grow_until_there_are_enough_documents() {
    let source = chunks(&["a", "b", "c"], 90);
    let search = PerDocument::new(source.clone());
    assert_eq!(texts(&search, &SearchOptions::top(1)).await, ["a"]);
    assert_eq!(windows(&source), [(0, 50)]);
    assert_eq!(texts(&search, &SearchOptions::top(3)).await, ["a", "b", "c"]);
    assert_eq!(windows(&source)[1..], [(0, 50), (50, 150)]);
}

#[tokio::test]
async fn further_windows_are_searched_when_read() {
    let source = chunks(&["a", "b"], 60);
    let search = PerDocument::new(source.clone());
    let mut results = search.search("q", &SearchOptions::top(2)).await.unwrap();
    assert_eq!(results.next().await.unwrap().unwrap(), "a");
    assert_eq!(source.calls(), 1);
    assert_eq!(results.next().await.unwrap().unwrap(), "b");
    assert_eq!(source.calls(), 2);
}

#[tokio::test]
async fn a_search_reads_at_most_1000_results() {
    let source = chunks(&["a", "b"], 1_000);
    let search = PerDocument::new(source.clone());
    assert_eq!(texts(&search, &SearchOptions::top(2)).await, ["a"]);
    assert_eq!(windows(&source), [(0, 50), (50, 150), (200, 600), (800, 200)]);
}

#[tokio::test]
async fn maximum_of_the_connector_ends_the_ranking() {
    let limited = Source::ready("limited", |options| {
        if options.skip + options.top > 20 {
            return Err(Error::invalid_options("limited", "top", options.top, "at most 20"));
        }
        with_results(
            (options.skip..options.skip + options.top).map(|_| page("https://a.example/a")),
        )
    });
    let search = PerDocument::new(limited.clone());
    assert_eq!(texts(&search, &SearchOptions::top(5)).await, ["a"]);
    assert_eq!(windows(&limited), [(0, 50), (0, 5), (5, 15), (20, 60)]);
    let error = search.search("q", &SearchOptions::top(21)).await.unwrap_err();
    assert!(error.message().contains("at most 20"), "{error}");
}

#[tokio::test]
async fn failure_of_a_window_ends_the_stream() {
    let source = Source::ready("source", |options| match options.skip {
        0 => Ok(SearchResults::from_vec(vec![page("https://a.example/a"); 50])),
        _ => Err(Error::new(ErrorKind::Unavailable, "source", "gone")),
    });
    let search = PerDocument::new(source);
    let results = search.search("q", &SearchOptions::top(5)).await.unwrap();
    let kinds = StreamExt::map(results, |item| item.map_err(|error| error.kind().clone()));
    let read: Vec<_> = kinds.collect().await;
    assert_eq!(read, [Ok("a".to_owned()), Err(ErrorKind::Unavailable)]);
}
