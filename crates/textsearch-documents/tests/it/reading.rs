//! Whole documents, page by page.

use std::sync::{Arc, atomic::Ordering};

use proptest::prelude::*;
use textsearch_core::{
    ErrorKind, Filter, SearchOptions,
    document::{DocumentInfo, DocumentPage, DocumentReader, FilteredReader, ReadOptions},
};
use textsearch_documents::{Chunker, ChunkerConfig, Document, DocumentSchema, DocumentStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::{
    properties::{formats, sizes, texts},
    store::{document, schema, store},
    wrapper::Failing,
};

async fn store_of(document: Document, config: ChunkerConfig) -> DocumentStore {
    let chunker = Chunker::new(config).unwrap();
    let store = InMemoryVectorStore::new();
    let store = DocumentStore::open(&store, "docs", &schema(), chunker).await.unwrap();
    store.upsert([document]).await.unwrap();
    store
}

async fn read(store: &DocumentStore, id: &str, options: &ReadOptions) -> Option<DocumentPage> {
    store.read(id, options).await.unwrap()
}

async fn pages(store: &DocumentStore, id: &str, mut options: ReadOptions) -> Vec<String> {
    let mut pages = Vec::new();
    while let Some(page) = read(store, id, &options).await {
        pages.push(page.text);
        let Some(next) = page.next_offset else { break };
        assert!(next > options.offset, "the next page is further on");
        options = options.with_offset(next);
    }
    pages
}

async fn text(store: &DocumentStore, id: &str) -> String {
    pages(store, id, ReadOptions::default()).await.concat()
}

async fn listed(store: &DocumentStore, options: &SearchOptions) -> Vec<String> {
    let documents = DocumentReader::list(store, options).await.unwrap().into_vec().await.unwrap();
    documents.into_iter().map(|document| document.id).collect()
}

#[tokio::test]
async fn a_document_is_put_together_from_its_chunks() {
    let text_of_guide = "# Guide\n\nHello there. This is a longer sentence that makes two chunks.\n\n\
                         ```rust\nfn one() {}\n    fn two() {}\nfn three() {}\nfn four() {}\n```\n\n\
                         ## Install\n\nRun it.";
    for overlap in [0, 15] {
        let guide = Document::markdown("guide", text_of_guide);
        let store = store_of(guide, crate::chunks::sizes(48, overlap)).await;
        // Without overlap, white space between chunks isn't stored.
        let read = text(&store, "guide").await.replace("sentence\nthat", "sentence that");
        assert_eq!(read, text_of_guide, "overlap {overlap}");
    }
}

#[tokio::test]
async fn a_page_has_title_link_and_metadata() {
    let guide = document("a.md", "cat", 2).with_name("Cats").with_link("docs/a.md");
    let store = store().await;
    store.upsert([guide.with_metadata("team", "search")]).await.unwrap();
    let page = read(&store, "a.md", &ReadOptions::default()).await.unwrap();
    let mut expected = DocumentInfo::new("a.md").with_name("Cats").with_link("docs/a.md#part-0");
    expected.metadata.insert("team".to_owned(), "search".into());
    assert_eq!(page.document, expected);
    assert_eq!((page.offset, page.next_offset), (0, None));
}

#[tokio::test]
async fn large_documents_are_read_in_pages_of_64_kib() {
    let line = "Ein Satz über das Wetter an der Küste. ";
    let original = line.repeat(8_000);
    let store = store_of(Document::plain_text("a", &original), ChunkerConfig::default()).await;
    let pages = pages(&store, "a", ReadOptions::default()).await;
    assert_eq!(pages.len(), 6);
    assert!(pages.iter().all(|page| page.len() <= 65_536));
    assert_eq!(pages.concat(), original.trim_end());
}

#[tokio::test]
async fn pages_have_whole_chunks_and_join_to_the_text() {
    let text_of_guide = "# Guide\n\nHello there. This sentence is long enough for two.\n\n\
                         ```rust\nfn one() {}\n    fn two() {}\nfn three() {}\nfn four() {}\n```\n\n\
                         ## Install\n\nRun it.";
    for overlap in [0, 15] {
        let config = crate::chunks::sizes(48, overlap);
        let store = store_of(Document::markdown("guide", text_of_guide), config).await;
        let whole = text(&store, "guide").await;
        for max in 1..80 {
            let pages = pages(&store, "guide", ReadOptions::default().with_max_bytes(max)).await;
            assert_eq!(pages.concat(), whole, "overlap {overlap}, {max} bytes");
        }
    }
}

#[tokio::test]
async fn of_a_hidden_document_nothing_is_read() {
    let store = store().await;
    store.upsert([document("theirs", "cat", 9).with_metadata("team", "theirs")]).await.unwrap();
    let (collection, records) = Failing::counting(Arc::clone(store.collection().stored()));
    let store = DocumentStore::new(collection, Chunker::default()).unwrap();
    for filter in
        [Filter::eq("team", "mine"), Filter::ge("chunk", 0).and(Filter::eq("team", "mine"))]
    {
        let options = ReadOptions::default().with_filter(filter);
        assert_eq!(read(&store, "theirs", &options).await, None);
        assert_eq!(read(&store, "theirs#1", &options).await, None);
    }
    assert_eq!(records.load(Ordering::Relaxed), 0);
    assert!(read(&store, "theirs", &ReadOptions::default()).await.is_some());
    assert_eq!(records.load(Ordering::Relaxed), 9);
}

#[tokio::test]
async fn hidden_and_unknown_documents_are_both_missing() {
    let store = store().await;
    let documents = ["mine", "theirs"].map(|id| document(id, "cat", 2).with_metadata("team", id));
    store.upsert(documents).await.unwrap();
    let options = ReadOptions::default().with_filter(Filter::eq("team", "mine"));
    assert!(read(&store, "mine", &options).await.is_some());
    for id in ["theirs", "theirs#0", "theirs#1", "unknown", "", "#", "#0", "mine#x", "mine#"] {
        assert_eq!(read(&store, id, &options).await, None, "{id}");
    }
    assert_eq!(read(&store, &"x".repeat(1 << 20), &options).await, None);
    assert_eq!(read(&store, "mine", &options.with_offset(u64::MAX)).await, None);
}

#[tokio::test]
async fn a_result_is_read_by_its_own_id() {
    let store = store().await;
    store.upsert([document("a", "cat", 3), document("a#1", "dog", 1)]).await.unwrap();
    assert!(text(&store, "a#2").await.starts_with("## Part 0\n\nOf the cat."));
    // A document's id comes first.
    assert!(text(&store, "a#1").await.ends_with("Of the dog."));
}

#[tokio::test]
async fn a_mark_stands_for_chunks_that_the_filter_hides() {
    let store = store().await;
    store.upsert([document("a", "cat", 3)]).await.unwrap();
    let options = ReadOptions::default().with_filter(Filter::ne("headings", "Part 1"));
    let page = read(&store, "a", &options).await.unwrap();
    assert_eq!(page.text, "## Part 0\n\nOf the cat.\n\n…\n\n## Part 2\n\nOf the cat.");
    let late = ReadOptions::default().with_filter(Filter::ge("chunk", 2)).with_max_bytes(512);
    assert_eq!(read(&store, "a", &late).await.unwrap().text, "## Part 2\n\nOf the cat.");
    let pages = pages(&store, "a", options.with_max_bytes(1)).await;
    assert_eq!(pages, ["## Part 0\n\nOf the cat.", "\n\n…\n\n## Part 2\n\nOf the cat."]);
}

#[tokio::test]
async fn a_filter_on_an_unknown_field_is_refused() {
    let store = store().await;
    let options = ReadOptions::default().with_filter(Filter::eq("text", "x"));
    let error = store.read("a", &options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnsupportedFilter { .. }), "{error}");
}

#[tokio::test]
async fn a_filtered_reader_has_only_documents_that_match() {
    let store = store().await;
    let documents = ["mine", "theirs"].map(|id| document(id, "cat", 1).with_metadata("team", id));
    store.upsert(documents).await.unwrap();
    let mine = FilteredReader::new(store.clone(), Filter::eq("team", "mine")).unwrap();
    let options = ReadOptions::default().with_filter(Filter::eq("team", "theirs"));
    for id in ["mine", "theirs"] {
        assert_eq!(mine.read(id, &options).await.unwrap(), None, "{id}");
    }
    let options = ReadOptions::default();
    assert!(mine.read("mine", &options).await.unwrap().is_some());
    assert_eq!(mine.read("theirs", &options).await.unwrap(), None);
    let listed = mine.list(&SearchOptions::default()).await.unwrap().into_vec().await.unwrap();
    assert_eq!(listed.iter().map(|document| &document.id).collect::<Vec<_>>(), ["mine"]);
    assert!(FilteredReader::new(store, Filter::eq("text", "x")).is_err());
}

#[tokio::test]
async fn lists_stay_inside_the_fixed_filter() {
    let store = store().await;
    let documents = ["a", "b", "c", "d"].map(|id| {
        document(id, "cat", 2).with_metadata("team", if id == "b" { "other" } else { "search" })
    });
    store.upsert(documents).await.unwrap();
    let options = SearchOptions::top(2).with_fixed_filter(Filter::eq("team", "search"));
    assert_eq!(listed(&store, &options).await, ["a", "c"]);
    let wider = options.clone().with_filter(Filter::eq("document_id", "b"));
    assert!(listed(&store, &wider).await.is_empty());
    assert_eq!(listed(&store, &options.with_skip(2)).await, ["d"]);
}

#[tokio::test]
async fn namespaces_read_only_their_own_documents() {
    let mut schema = DocumentSchema::default();
    schema.namespaces = true;
    let store = InMemoryVectorStore::new();
    let all = DocumentStore::open(&store, "docs", &schema, Chunker::default()).await.unwrap();
    let a = all.clone().with_namespace("a").unwrap();
    let b = all.clone().with_namespace("b").unwrap();
    a.upsert([Document::plain_text("plan", "Of a.")]).await.unwrap();
    b.upsert([Document::plain_text("notes", "Of b.")]).await.unwrap();
    assert_eq!(text(&a, "plan").await, "Of a.");
    assert_eq!(text(&a, "1:a:plan#0").await, "Of a.");
    for id in ["notes", "notes#0", "1:b:notes#0"] {
        assert_eq!(read(&a, id, &ReadOptions::default()).await, None, "{id}");
    }
    let error = all.read("plan", &ReadOptions::default()).await.unwrap_err();
    assert!(error.message().starts_with("`namespace` is not set"), "{error}");
}

proptest! {
    #[test]
    fn pages_have_the_text_of_all_chunks_once(
        text in texts(), format in formats(), config in sizes(), max in 1_usize..200,
    ) {
        let document = Document::new("a", format, text);
        let chunked = Chunker::new(config.clone()).unwrap().chunk(&document).unwrap();
        let mut is_held = vec![false; chunked.text.chars().count()];
        for chunk in &chunked.chunks {
            is_held[chunk.range.clone()].fill(true);
        }
        let held = chunked.text.chars().zip(is_held).filter(|(_, is_held)| *is_held);
        let solid = |text: &mut dyn Iterator<Item = char>| -> String {
            text.filter(|character| !character.is_whitespace()).collect()
        };
        let expected = solid(&mut held.map(|(character, _)| character));
        let read = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
            let store = store_of(document.clone(), config).await;
            pages(&store, "a", ReadOptions::default().with_max_bytes(max)).await
        });
        prop_assert_eq!(solid(&mut read.concat().chars()), expected);
    }
}
