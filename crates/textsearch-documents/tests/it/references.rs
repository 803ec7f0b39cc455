//! A store whose records hold no texts.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, TextSearch, async_trait,
    vector::{ScanOptions, SearchMode},
};
use textsearch_documents::{Document, DocumentSchema, DocumentSource, DocumentStore, SourceTexts};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::{search::Letters, store::chunker};

/// Texts by id, and the requests for them.
#[derive(Debug, Clone, Default)]
struct Shelf {
    texts: Arc<Mutex<HashMap<String, String>>>,
    requests: Arc<Mutex<Vec<Vec<DocumentSource>>>>,
    failure: Option<ErrorKind>,
}

#[async_trait]
impl SourceTexts for Shelf {
    async fn texts(&self, sources: &[DocumentSource]) -> Result<Vec<Option<String>>> {
        self.requests.lock().unwrap().push(sources.to_vec());
        if let Some(kind) = &self.failure {
            return Err(Error::new(kind.clone(), "shelf", "the shelf is closed"));
        }
        let texts = self.texts.lock().unwrap();
        Ok(sources.iter().map(|source| texts.get(&source.id).cloned()).collect())
    }
}

impl Shelf {
    fn put(&self, id: &str, text: &str) {
        self.texts.lock().unwrap().insert(id.to_owned(), text.to_owned());
    }

    fn requested(&self) -> Vec<usize> {
        self.requests.lock().unwrap().iter().map(Vec::len).collect()
    }
}

async fn store(shelf: &Shelf) -> DocumentStore {
    let mut schema = DocumentSchema::default().with_dimensions(2);
    schema.references = true;
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, chunker(40)).await.unwrap();
    store.with_embedding_generator(Letters).with_source_texts(shelf.clone())
}

const GUIDE: &str =
    "---\ntitle: Guide\n---\n# Héllo\n\nThe first part.\n\n## Install\n\nRun it ünder Linux.\n";

const PAGE: &str =
    "<html><title>Page</title><h1>Home</h1><p>Apples &amp; pears.</p><script>x</script></html>";

async fn filled(shelf: &Shelf) -> DocumentStore {
    let store = store(shelf).await;
    shelf.put("guide", GUIDE);
    shelf.put("page", PAGE);
    let guide = Document::markdown("guide", GUIDE).with_link("docs/guide.md");
    let report = store.upsert([guide, Document::html("page", PAGE)]).await.unwrap();
    assert_eq!((report.added, report.chunks), (2, 3));
    store
}

async fn texts(store: &DocumentStore) -> Vec<String> {
    let results = store.text_search().search("anything", &SearchOptions::top(50)).await.unwrap();
    let mut texts = results.into_vec().await.unwrap();
    texts.sort();
    texts
}

const TEXTS: [&str; 3] = [
    "# Home\n\nApples & pears.",
    "# Héllo\n\nThe first part.",
    "## Install\n\nRun it ünder Linux.",
];

#[tokio::test]
async fn fetched_rows_of_a_table_repeat_no_header() {
    let shelf = Shelf::default();
    let store = store(&shelf).await;
    let table = "| a | b |\n|---|---|\n| Bonn | NRW |\n| Bremen | HB |\n";
    shelf.put("table", table);
    store.upsert([Document::markdown("table", table)]).await.unwrap();
    let expected = ["| Bremen | HB |", "| a | b |\n|---|---|\n| Bonn | NRW |"];
    assert_eq!(texts(&store).await, expected);
}

#[tokio::test]
async fn the_store_holds_no_text() {
    let store = filled(&Shelf::default()).await;
    let scanned = store.collection().scan(&ScanOptions::default()).await.unwrap();
    for record in scanned.into_vec().await.unwrap() {
        let stored = serde_json::to_string(&record).unwrap();
        for words in ["first part", "Apples", "Linux"] {
            assert!(!stored.contains(words), "{stored}");
        }
        assert_eq!(record.data["chunk_hash"].as_str().unwrap().len(), 32);
    }
}

#[tokio::test]
async fn results_get_their_texts_from_the_source() {
    let shelf = Shelf::default();
    let store = filled(&shelf).await;
    assert_eq!(texts(&store).await, TEXTS);
    let requests = shelf.requests.lock().unwrap().clone();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    let mut sources = request.clone();
    sources.sort_by(|source, other| source.id.cmp(&other.id));
    assert_eq!(sources.len(), 2);
    assert_eq!(sources[0].name.as_deref(), Some("Guide"));
    assert!(sources[0].link.as_deref().unwrap().starts_with("docs/guide.md#"));
    assert_eq!((sources[1].id.as_str(), sources[1].link.as_deref()), ("page", None));
}

#[tokio::test]
async fn unchanged_documents_stay_unchanged_and_cost_no_texts() {
    let shelf = Shelf::default();
    let store = filled(&shelf).await;
    let again = store.upsert([Document::html("page", PAGE)]).await.unwrap();
    assert_eq!(again.unchanged, 1);
    assert_eq!(
        store.list(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap().len(),
        2
    );
    assert_eq!(store.remove(["page"]).await.unwrap(), 1);
    assert_eq!(shelf.requested(), [0_usize; 0]);
}

#[tokio::test]
async fn changed_and_missing_sources_are_errors_that_name_them() {
    let shelf = Shelf::default();
    let store = filled(&shelf).await;
    shelf.put("guide", &GUIDE.replace("Linux", "macOS"));
    shelf.texts.lock().unwrap().remove("page");
    let mut results = store.text_search().search("x", &SearchOptions::top(50)).await.unwrap();
    let mut texts = Vec::new();
    let mut errors = Vec::new();
    while let Some(item) = results.next().await {
        match item {
            Ok(text) => texts.push(text),
            Err(error) => errors.push(error.to_string()),
        }
    }
    errors.sort();
    assert_eq!(texts, [TEXTS[1]]);
    assert_eq!(
        errors,
        [
            "documents: the text of the document `guide` can't be shown: \
             its source has changed; store the document again",
            "documents: the text of the document `page` can't be shown: \
             its source has no text; remove the document",
        ]
    );
}

#[tokio::test]
async fn a_source_that_fails_fails_the_search() {
    let shelf = Shelf { failure: Some(ErrorKind::Unavailable), ..Shelf::default() };
    let store = filled(&shelf).await;
    let many = (0..4).map(|number| Document::plain_text(format!("n{number}"), "Text."));
    store.upsert(many.collect::<Vec<_>>()).await.unwrap();
    let error = store.text_search().search("x", &SearchOptions::top(50)).await.unwrap_err();
    assert!(error.is_retryable());
    assert!(
        error.message().ends_with(" and 3 more can't be fetched: the shelf is closed"),
        "{error}"
    );
}

#[derive(Debug)]
struct TooFew;

#[async_trait]
impl SourceTexts for TooFew {
    async fn texts(&self, _: &[DocumentSource]) -> Result<Vec<Option<String>>> {
        Ok(vec![None])
    }
}

#[tokio::test]
async fn another_number_of_texts_is_refused() {
    let store = filled(&Shelf::default()).await.with_source_texts(TooFew);
    let error = store.text_search().search("x", &SearchOptions::top(50)).await.unwrap_err();
    assert_eq!(error.message(), "the source texts are 1 for 2 sources");
}

#[tokio::test]
async fn a_search_without_a_source_is_refused() {
    let mut schema = DocumentSchema::default();
    schema.references = true;
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, chunker(40)).await.unwrap();
    store.upsert([Document::markdown("guide", GUIDE)]).await.unwrap();
    let error = store.text_search().search("install", &SearchOptions::top(5)).await.unwrap_err();
    assert_eq!(
        error.message(),
        "`source_texts` is not set; expected a service (`DocumentStore::with_source_texts`): \
         the records hold no texts"
    );
    let shelf = Shelf::default();
    shelf.put("guide", GUIDE);
    let store = store.with_source_texts(shelf);
    let results = store.text_search().search("install", &SearchOptions::top(5)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), [TEXTS[2]]);
}

#[tokio::test]
async fn texts_must_be_embedded_before_they_are_dropped() {
    let mut schema = DocumentSchema::default().with_dimensions(2);
    schema.references = true;
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, chunker(40)).await.unwrap();
    let error = store.upsert([Document::markdown("guide", GUIDE)]).await.unwrap_err();
    assert!(error.message().starts_with("`embedding_generator` is not set"), "{error}");
}

#[tokio::test]
async fn many_results_are_fetched_in_batches_as_they_are_read() {
    let shelf = Shelf::default();
    let store = store(&shelf).await;
    let documents = (0..150).map(|number| {
        let id = format!("d{number}");
        let text = format!("Text {number}.");
        shelf.put(&id, &text);
        Document::plain_text(id, text)
    });
    store.upsert(documents.collect::<Vec<_>>()).await.unwrap();
    let options = SearchOptions::top(1_000).with_total_count(true);
    let mut results = store.text_search().search("x", &options).await.unwrap();
    assert_eq!(results.total_count().map(|count| count.value()), Some(150));
    assert_eq!(shelf.requested(), [64]);
    for _ in 0..65 {
        results.next().await.unwrap().unwrap();
    }
    assert_eq!(shelf.requested(), [64, 64]);
    assert_eq!(results.into_vec().await.unwrap().len(), 85);
    assert_eq!(shelf.requested(), [64, 64, 22]);
}

#[tokio::test]
async fn references_are_searched_by_embedding_and_by_name() {
    let store = filled(&Shelf::default()).await;
    let debug = format!("{:?}", store.text_search());
    assert!(debug.contains("mode: Vector"), "{debug}");
    let by_name = store.text_search().with_mode(SearchMode::FullText);
    let results = by_name.search("install", &SearchOptions::top(5)).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap(), [TEXTS[2]]);
}

#[tokio::test]
async fn namespaces_and_references_work_together() {
    let shelf = Shelf::default();
    let mut schema = DocumentSchema::default().with_dimensions(2);
    (schema.references, schema.namespaces) = (true, true);
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema, chunker(40)).await.unwrap();
    let store = store.with_embedding_generator(Letters).with_source_texts(shelf.clone());
    let [a, b] = ["a", "b"].map(|name| store.clone().with_namespace(name).unwrap());
    shelf.put("x", "Ours.");
    shelf.put("y", "Theirs.");
    a.upsert([Document::plain_text("x", "Ours.")]).await.unwrap();
    b.upsert([Document::plain_text("y", "Theirs.")]).await.unwrap();
    assert_eq!(texts(&a).await, ["Ours."]);
    assert!(shelf.requests.lock().unwrap().iter().flatten().all(|source| source.id == "x"));
}
