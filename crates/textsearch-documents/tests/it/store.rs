use serde_json::json;
use textsearch_core::{
    ErrorKind, Filter,
    vector::{DataField, RecordDefinition, ScanOptions, StoredRecord, VectorStoreExt},
};
use textsearch_documents::{
    Chunker, Document, DocumentSchema, DocumentStore, StoredDocument, UpsertReport,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

pub(crate) fn schema() -> DocumentSchema {
    DocumentSchema::default().with_language("en").with_metadata(DataField::string("team"))
}

pub(crate) async fn store() -> DocumentStore {
    open(schema(), 40).await
}

/// In a chunk of a [`large_document`].
pub(crate) const CHARACTERS: usize = 1000;

/// Writes 256 KiB of text at once, because chunks could have embeddings: about 345 of a
/// [`large_document`].
pub(crate) async fn store_to_embed() -> DocumentStore {
    open(schema().with_dimensions(2), CHARACTERS).await
}

async fn open(schema: DocumentSchema, characters: usize) -> DocumentStore {
    let store = InMemoryVectorStore::new();
    DocumentStore::open(&store, "docs", &schema, chunker(characters)).await.unwrap()
}

pub(crate) fn large_document(id: &str, word: &str, chunks: usize) -> Document {
    let text = format!("Of the {word}. ").repeat(62);
    let parts = (0..chunks).map(|number| format!("## Part {number}\n\n{text}\n\n"));
    Document::markdown(id, parts.collect::<String>())
}

pub(crate) fn chunker(max_characters: usize) -> Chunker {
    Chunker::new(crate::chunks::sizes(max_characters, 0)).unwrap()
}

pub(crate) fn document(id: &str, word: &str, chunks: usize) -> Document {
    let parts = (0..chunks).map(|number| format!("## Part {number}\n\nOf the {word}.\n\n"));
    Document::markdown(id, parts.collect::<String>())
}

pub(crate) async fn stored(store: &DocumentStore) -> Vec<(String, String)> {
    let records = store.collection().scan(&ScanOptions::default()).await.unwrap();
    let text = |record: &StoredRecord| record.data["text"].as_str().unwrap().to_owned();
    let records = records.into_vec().await.unwrap();
    records.iter().map(|record| (record.key.to_string(), text(record))).collect()
}

async fn keys(store: &DocumentStore) -> Vec<String> {
    stored(store).await.into_iter().map(|(key, _)| key).collect()
}

async fn list(store: &DocumentStore, options: &ScanOptions) -> Vec<StoredDocument> {
    store.list(options).await.unwrap().into_vec().await.unwrap()
}

fn report(change: impl FnOnce(&mut UpsertReport)) -> UpsertReport {
    let mut report = UpsertReport::default();
    change(&mut report);
    report
}

#[tokio::test]
async fn record_holds_the_data_for_citations() {
    let store = store().await;
    let text = "# Guide\n\nHello.\n\n## Install\n\nRun it.\n";
    let guide =
        Document::markdown("a.md", text).with_link("docs/a.md").with_metadata("team", "search");
    store.upsert([guide]).await.unwrap();
    let records =
        store.collection().scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    let mut data = records[1].data.clone();
    let head = records[0].data["fingerprint"].as_str().unwrap();
    assert_eq!((head.len(), data.remove("fingerprint")), (32, None));
    let expected = json!({
        "id": "a.md#1", "document_id": "a.md", "document_name": "Guide", "name": "Guide > Install",
        "headings": "Guide > Install", "text": "## Install\n\nRun it.", "link": "docs/a.md#install",
        "chunk": 1, "chunks": 2, "start": 17, "end": 36, "team": "search",
    });
    assert_eq!(serde_json::Value::Object(data), expected);
}

#[tokio::test]
async fn name_and_link_use_the_available_data() {
    let store = store().await;
    let text = "# Part\n\nText.\n";
    let documents = [
        Document::markdown("1", text).with_name("Manual").with_link("m.md#given"),
        Document::plain_text("2", "Text.").with_link("m.txt"),
        Document::plain_text("3", "Text."),
    ];
    store.upsert(documents).await.unwrap();
    let records =
        store.collection().scan(&ScanOptions::default()).await.unwrap().into_vec().await.unwrap();
    let presented: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record.data["name"].as_str().unwrap(),
                record.data.get("link").and_then(|link| link.as_str()),
            )
        })
        .collect();
    assert_eq!(
        presented,
        [("Manual > Part", Some("m.md#given")), ("2", Some("m.txt")), ("3", None)]
    );
}

#[tokio::test]
async fn blank_link_is_left_out() {
    let store = store().await;
    let mut set = Document::markdown("2", "# Title\n\nText.");
    set.link = Some(" \n".to_owned());
    let documents = [Document::markdown("1", "# Title\n\nText.").with_link(" "), set];
    assert_eq!(documents[0].link, None);
    store.upsert(documents).await.unwrap();
    let links =
        list(&store, &ScanOptions::default()).await.into_iter().map(|document| document.link);
    assert_eq!(links.collect::<Vec<_>>(), [None, None]);
}

#[tokio::test]
async fn unchanged_documents_are_skipped_and_changed_ones_replaced() {
    let store = store().await;
    let first = store.upsert([document("a", "cat", 2), document("b", "dog", 1)]).await.unwrap();
    assert_eq!(first, report(|report| (report.added, report.chunks) = (2, 3)));
    let again = store.upsert([document("a", "cat", 2), document("b", "fox", 2)]).await.unwrap();
    assert_eq!(
        again,
        report(|report| (report.unchanged, report.changed, report.chunks) = (1, 1, 2))
    );
    assert_eq!(keys(&store).await, ["a#0", "a#1", "b#0", "b#1"]);
    assert!(stored(&store).await[2].1.contains("fox"));
}

#[tokio::test]
async fn metadata_and_sizes_count_as_changes() {
    let store = store().await;
    store.upsert([document("a", "cat", 1)]).await.unwrap();
    let changed = store.upsert([document("a", "cat", 1).with_metadata("team", "x")]).await.unwrap();
    assert_eq!(changed.changed, 1);
    let other_sizes = DocumentStore::new(store.collection().clone(), chunker(50)).unwrap();
    let changed =
        other_sizes.upsert([document("a", "cat", 1).with_metadata("team", "x")]).await.unwrap();
    assert_eq!(changed.changed, 1);
}

#[tokio::test]
async fn obsolete_chunks_are_removed() {
    let store = store().await;
    store.upsert([document("a", "cat", 4), document("b", "dog", 1)]).await.unwrap();
    store.upsert([document("a", "cow", 2)]).await.unwrap();
    assert_eq!(keys(&store).await, ["a#0", "a#1", "b#0"]);
    assert_eq!(store.upsert([document("a", "cow", 2)]).await.unwrap().unchanged, 1);
}

#[tokio::test]
async fn a_document_without_text_leaves_nothing() {
    let store = store().await;
    let empty = || Document::plain_text("a", " \n");
    let stored = store.upsert([empty()]).await.unwrap();
    assert_eq!((stored.without_text.count, stored.removed), (1, 0));
    assert_eq!(stored.without_text.first, ["a"]);
    store.upsert([document("a", "cat", 2)]).await.unwrap();
    let emptied = store.upsert([empty()]).await.unwrap();
    assert_eq!((emptied.without_text.count, emptied.removed), (1, 1));
    assert!(keys(&store).await.is_empty());
}

#[tokio::test]
async fn last_document_with_an_id_wins() {
    let store = store().await;
    let both = store.upsert([document("a", "cat", 3), document("a", "dog", 1)]).await.unwrap();
    assert_eq!(both, report(|report| (report.added, report.changed, report.chunks) = (1, 1, 4)));
    assert_eq!(stored(&store).await, [("a#0".to_owned(), "## Part 0\n\nOf the dog.".to_owned())]);
}

#[tokio::test]
async fn ids_resembling_keys_do_not_collide() {
    let store = store().await;
    let ids = ["a", "a#0", "a#0#0", "a#1", "#", "a##0"];
    let added = store.upsert(ids.map(|id| document(id, "cat", 2))).await.unwrap();
    assert_eq!((added.added, keys(&store).await.len()), (6, 12));
    assert_eq!(store.upsert(ids.map(|id| document(id, "cat", 2))).await.unwrap().unchanged, 6);
    assert_eq!(store.remove(["a"]).await.unwrap(), 1);
    assert_eq!(keys(&store).await.len(), 10);
}

#[tokio::test]
async fn sync_removes_only_missing_documents_in_scope() {
    let store = store().await;
    store.upsert(["docs/a", "docs/b", "notes/a"].map(|id| document(id, "cat", 1))).await.unwrap();
    let scope = Filter::starts_with("document_id", "docs/");
    let synced = store
        .sync([document("docs/b", "cat", 1), document("docs/c", "cat", 2)], &scope)
        .await
        .unwrap();
    let expected = report(|report| {
        (report.added, report.unchanged, report.removed, report.chunks) = (1, 1, 1, 2);
    });
    assert_eq!(synced, expected);
    assert_eq!(keys(&store).await, ["docs/b#0", "docs/c#0", "docs/c#1", "notes/a#0"]);
    let nothing: [Document; 0] = [];
    assert_eq!(store.sync(nothing, &Filter::all([])).await.unwrap().removed, 3);
}

#[tokio::test]
async fn documents_are_listed_with_filter_skip_top_and_count() {
    let store = store().await;
    let documents = ["a", "b", "c", "d"].map(|id| {
        let team = if id == "c" { "other" } else { "search" };
        document(id, "cat", 2)
            .with_name(id.to_uppercase())
            .with_link("l.md")
            .with_metadata("team", team)
    });
    store.upsert(documents).await.unwrap();
    let options =
        ScanOptions::default().with_filter(Filter::eq("team", "search")).with_skip(1).with_top(1);
    let page = store.list(&options).await.unwrap();
    assert_eq!(page.total_count().map(|count| count.value()), Some(3));
    let page = page.into_vec().await.unwrap();
    assert_eq!(page.len(), 1);
    let document = &page[0];
    assert_eq!(
        (document.id.as_str(), document.chunks, document.name.as_deref()),
        ("b", 2, Some("B"))
    );
    assert_eq!(json!(document.metadata), json!({ "team": "search" }));
    assert_eq!(list(&store, &ScanOptions::default()).await.len(), 4);
}

#[tokio::test]
async fn many_documents_and_large_ones_go_in_many_batches() {
    let store = store_to_embed().await;
    let small =
        |count: usize| (0..count).map(|number| document(&format!("small/{number}"), "cat", 1));
    let first =
        store.upsert(small(300).chain([large_document("large", "cat", 600)])).await.unwrap();
    assert_eq!((first.added, first.chunks), (301, 900));
    assert_eq!(keys(&store).await.len(), 900);
    let again =
        store.upsert(small(300).chain([large_document("large", "cat", 600)])).await.unwrap();
    assert_eq!(again.unchanged, 301);
    let changed = store.upsert([large_document("large", "dog", 300)]).await.unwrap();
    assert_eq!((changed.changed, keys(&store).await.len()), (1, 600));
    assert_eq!(store.remove((0..300).map(|number| format!("small/{number}"))).await.unwrap(), 300);
}

#[tokio::test]
async fn a_document_that_cannot_be_stored_is_named() {
    let store = store().await;
    for (document, message) in [
        (Document::plain_text("", "x"), "documents: a document needs an id that is not empty"),
        (
            Document::plain_text("a", "x").with_metadata("tema", "x"),
            "documents: `a` has metadata `tema`, which the schema of the collection does not name",
        ),
    ] {
        let key = document.id.clone();
        let error = store.upsert([document]).await.unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(*error.kind(), ErrorKind::invalid_record(key));
    }
}

#[tokio::test]
async fn a_collection_without_the_fields_is_refused() {
    let collection = InMemoryVectorStore::new()
        .dynamic_collection(
            "docs",
            RecordDefinition::new("id").with_data(DataField::string("text")),
        )
        .unwrap();
    let error = DocumentStore::new(collection, Chunker::default()).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "definition"),
        "{error}"
    );
}

#[test]
fn metadata_cannot_use_reserved_names() {
    let error = DocumentSchema::default()
        .with_metadata(DataField::string("text"))
        .definition()
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "metadata"),
        "{error}"
    );
}
