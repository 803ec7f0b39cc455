//! Metrics. A separate program, since the meter provider belongs to the process.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

#[path = "../it/support.rs"]
mod support;

mod recorded;
#[path = "../it/shelf.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod shelf;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, SearchResults, TextSearch, TextSearchResult,
    async_trait,
    connector::{AnyTextSearch, CheckedOptions, TextSearchConnector},
    http::{
        HttpClient, HttpRequest, HttpSettings, HttpTransport, TransportError, TransportRequest,
        TransportResponse,
    },
    vector::{
        Collection, Distance, EmbeddingCollection, EmbeddingGenerator, EmbeddingSettings,
        Embeddings, StoredRecord, VectorSearchOptions,
    },
};

use recorded::{recorded, start};
use shelf::Shelf;
use support::now;

const DURATION: &str = "gen_ai.retrieval.duration";
const RESULTS: &str = "textsearch.retrieval.results";

struct Named {
    name: &'static str,
    is_paged: bool,
    fails: bool,
}

impl Named {
    fn new(name: &'static str) -> Self {
        Self { name, is_paged: false, fails: false }
    }
}

impl TextSearchConnector for Named {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        self.name
    }

    async fn search_records(
        &self,
        _: &str,
        _: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        if self.fails {
            return Err(Error::new(ErrorKind::Unavailable, self.name, "not there"));
        }
        let results = ["one", "two"].map(TextSearchResult::new);
        Ok(if self.is_paged {
            SearchResults::from_stream(futures_util::stream::iter(results.map(Ok)))
        } else {
            SearchResults::from_vec(results.into())
        })
    }
}

fn search(search: impl TextSearch) -> usize {
    let results = now(search.search("secret", &SearchOptions::top(2))).unwrap();
    now(results.into_vec()).unwrap().len()
}

#[test]
fn a_search_records_its_duration_and_results_once() {
    start();
    for (name, is_paged) in [("at hand", false), ("paged", true)] {
        let named = Named { is_paged, ..Named::new(name) };
        assert_eq!(search(AnyTextSearch::new(AnyTextSearch::new(named))), 2);
        let durations = recorded(DURATION, "gen_ai.data_source.id", name);
        assert_eq!((durations.len(), durations[0].count), (1, 1), "{durations:?}");
        assert!(durations[0].sum > 0.0);
        assert_eq!(durations[0].attributes["gen_ai.operation.name"], "retrieval");
        assert_eq!(durations[0].attributes["gen_ai.provider.name"], name);
        let results = recorded(RESULTS, "gen_ai.data_source.id", name);
        assert_eq!((results[0].count, results[0].sum), (1, 2.0));
        assert!(!format!("{durations:?}{results:?}").contains("secret"));
    }
}

#[test]
fn a_failed_search_records_the_kind_of_its_error() {
    start();
    let failing = Named { fails: true, ..Named::new("failing") };
    now(failing.search("q", &SearchOptions::top(2))).unwrap_err();
    let durations = recorded(DURATION, "gen_ai.data_source.id", "failing");
    assert_eq!(durations[0].attributes["error.type"], "unavailable");
    assert!(recorded(RESULTS, "gen_ai.data_source.id", "failing").is_empty());
}

#[test]
fn results_that_nobody_read_are_not_counted() {
    start();
    let mut results =
        now(Named { is_paged: true, ..Named::new("unread") }.search("q", &SearchOptions::top(2)))
            .unwrap();
    now(results.next()).unwrap().unwrap();
    drop(results);
    let results = recorded(RESULTS, "gen_ai.data_source.id", "unread");
    assert_eq!((results[0].count, results[0].sum), (1, 1.0));
}

#[derive(Debug, Default)]
struct Shaky(AtomicUsize);

#[async_trait]
impl HttpTransport for Shaky {
    async fn send(&self, _: TransportRequest) -> Result<TransportResponse, TransportError> {
        let is_down = self.0.fetch_add(1, Ordering::Relaxed) < 2;
        let status = if is_down { 503 } else { 200 }.try_into().unwrap();
        Ok(TransportResponse::complete(status, Default::default(), "{}"))
    }
}

#[tokio::test]
async fn each_request_sent_again_is_counted() {
    start();
    let pauses = Duration::from_millis(1);
    let settings = HttpSettings::default().with_backoff(pauses, pauses);
    let client = HttpClient::from_transport("shaky", settings, Shaky::default()).unwrap();
    let url = "https://example.com/?q=secret".parse().unwrap();
    client.send(HttpRequest::get(url)).await.unwrap();
    let retries = recorded("textsearch.http.retries", "textsearch.connector", "shaky");
    assert_eq!((retries.len(), retries[0].sum), (1, 2.0), "{retries:?}");
    assert_eq!(retries[0].attributes["error.type"], "unavailable");
}

struct Priced;

#[async_trait]
impl EmbeddingGenerator for Priced {
    fn model_id(&self) -> &str {
        "priced-1"
    }

    fn provider(&self) -> Option<&str> {
        Some("priced")
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        let mut made = Embeddings::new(texts.iter().map(|_| [1.0, 0.5].into()).collect());
        made.tokens = Some(7);
        Ok(made)
    }
}

#[test]
fn embeddings_record_their_duration_and_tokens() {
    start();
    let shelf = Shelf::new(Distance::CosineSimilarity, &[("1", "one", Some([1.0, 0.0]))]);
    let collection =
        Collection::<StoredRecord>::new(Arc::new(EmbeddingCollection::new(shelf, Priced)));
    now(collection.search("one", &VectorSearchOptions::default())).unwrap();
    let durations =
        recorded("gen_ai.client.embeddings.duration", "gen_ai.request.model", "priced-1");
    assert_eq!((durations.len(), durations[0].count), (1, 1), "{durations:?}");
    assert_eq!(durations[0].attributes["gen_ai.operation.name"], "embeddings");
    assert_eq!(durations[0].attributes["gen_ai.provider.name"], "priced");
    let tokens = "gen_ai.client.embeddings.operation.input_tokens";
    let tokens = recorded(tokens, "gen_ai.request.model", "priced-1");
    assert_eq!((tokens.len(), tokens[0].sum), (1, 7.0), "{tokens:?}");
    assert_eq!(recorded(DURATION, "gen_ai.data_source.id", "texts").len(), 1);
}
