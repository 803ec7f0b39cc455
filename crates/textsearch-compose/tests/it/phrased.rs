//! [`Phrased`]: phrases and exclusions over any search.

use std::sync::{Arc, Mutex};

use textsearch_compose::{PerDocument, Phrased};
use textsearch_core::{
    CheckedOptions, ErrorKind, FixedSearch, Result, SearchOptions, SearchResults, TextSearch,
    TextSearchConnector, TextSearchResult, results::TotalCount,
};

use crate::support::{Source, with_results};

fn notes() -> FixedSearch {
    let note = |name: &str, text: &str| TextSearchResult::new(text).with_name(name).with_link(name);
    FixedSearch::new([
        note("Tides", "A tide table"),
        note("Moon", "A tide table"),
        note("Table", "The table of tides"),
        note("Tide table", "High water"),
    ])
}

async fn found(search: &impl TextSearch, query: &str, options: &SearchOptions) -> Vec<String> {
    let results = search.text_search_results(query, options).await.unwrap();
    let results = results.into_vec().await.unwrap();
    results.into_iter().filter_map(|result| result.name).collect()
}

#[tokio::test]
async fn names_and_texts_decide() {
    let search = Phrased::new(notes());
    let top = SearchOptions::top(9);
    assert_eq!(found(&search, "\"tide table\"", &top).await, ["Tides", "Moon", "Tide table"]);
    assert_eq!(found(&search, "\"tide table\" -moon", &top).await, ["Tides", "Tide table"]);
    assert_eq!(found(&search, "water -\"tide table\"", &top).await, ["Table"]);
    let second = SearchOptions::top(1).with_skip(1);
    assert_eq!(found(&search, "\"tide table\" -moon", &second).await, ["Tide table"]);
    let both = PerDocument::new(search);
    assert_eq!(found(&both, "\"tide table\" -moon", &second).await, ["Tide table"]);
}

#[tokio::test]
async fn a_phrase_does_not_continue_from_name_to_text() {
    let result = TextSearchResult::new("table of contents").with_name("Tide");
    let search = Phrased::new(FixedSearch::new([result]));
    assert!(found(&search, "\"tide table\"", &SearchOptions::top(1)).await.is_empty());
}

#[tokio::test]
async fn a_phrase_ends_at_a_blank_line() {
    let texts =
        ["tide\ntable", "tide\r\ntable", "tide\n\ntable", "tide\r\n\r\ntable", "tide\n \ntable"];
    let results = texts.map(|text| TextSearchResult::new(text).with_name(text));
    let search = Phrased::new(FixedSearch::new(results));
    let expected = ["tide\ntable", "tide\r\ntable"];
    assert_eq!(found(&search, "\"tide table\"", &SearchOptions::top(9)).await, expected);
}

#[tokio::test]
async fn words_alone_keep_the_total_count() {
    let search = Phrased::new(notes());
    let options = SearchOptions::top(1).with_total_count(true);
    let count = async |query: &str| search.search(query, &options).await.unwrap().total_count();
    assert_eq!(count("e-mail - \"open").await, Some(TotalCount::Exact(4)));
    assert_eq!(count("\"tide table\"").await, None);
}

#[tokio::test]
async fn exclusions_alone_are_refused() {
    let error = Phrased::new(notes()).search("-moon", &SearchOptions::top(1)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "query"));
    assert!(error.message().contains("such as `tide -moon`"), "{error}");
}

#[tokio::test]
async fn a_query_without_matches_ends() {
    let source = Source::ready("source", |options| {
        with_results((0..options.top).map(|_| TextSearchResult::new("never the same words")))
    });
    let search = Phrased::new(source.clone());
    assert!(found(&search, "\"same never\"", &SearchOptions::top(5)).await.is_empty());
    let read: usize = source.options().iter().map(|options| options.top).sum();
    assert_eq!((source.calls(), read), (4, 1_000));
}

#[tokio::test]
async fn the_inner_search_gets_words_without_syntax() {
    let queries = Arc::new(Mutex::new(Vec::new()));
    let search = Phrased::new(Recorded(Arc::clone(&queries)));
    found(&search, "harbour \"tide table\" -moon", &SearchOptions::top(1)).await;
    assert_eq!(*queries.lock().unwrap(), ["harbour tide table"]);
}

/// Records queries, and finds nothing.
struct Recorded(Arc<Mutex<Vec<String>>>);

impl TextSearchConnector for Recorded {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "recorded"
    }

    async fn search_records(
        &self,
        query: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        self.0.lock().unwrap().push(query.to_owned());
        with_results([])
    }
}
