//! Facts of documents, from their files to filters.

use std::{fs, time::SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;
use textsearch_core::{
    Filter, SearchOptions, TextSearch as _,
    vector::{DataField, GetOptions, RecordDefinition, StoredRecord, VectorStoreExt as _},
};
use textsearch_documents::{
    Document, Facts, ReadLimits,
    ingest::{DocumentIndex, FileWalker, IngestReport, Ingestion},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

const NOTE: &str = "---\nauthor: [Ada, Bob]\ntags: engines, maths\ndate: 1843-07-10\nlang: en-GB\n---\n\
                    Engines weave patterns.\n";

fn facts_of(name: &str, bytes: impl Into<Vec<u8>>) -> Facts {
    Document::from_file(name, name, bytes.into(), &ReadLimits::default()).unwrap().facts
}

fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    folder
}

async fn update(index: &DocumentIndex, folder: &TempDir) -> IngestReport {
    let files = FileWalker::new().walk(&[folder.path()]).unwrap();
    index.update(Ingestion::new(files)).await.unwrap()
}

/// The texts of the results that match `filter`.
async fn texts(index: &DocumentIndex, filter: &str) -> Vec<String> {
    let search = index.open(None).await.unwrap().text_search();
    let filter: Filter = filter.parse().unwrap();
    let options = SearchOptions::top(5).with_filter(filter);
    let results = search.search("patterns pears", &options).await.unwrap();
    results.into_vec().await.unwrap()
}

#[test]
fn front_matter_has_facts() {
    let facts = facts_of("a.md", NOTE);
    assert_eq!(facts.author.as_deref(), Some("Ada, Bob"));
    assert_eq!(facts.tags, ["engines", "maths"]);
    assert_eq!(facts.date.unwrap().to_string(), "1843-07-10T00:00:00Z");
    assert_eq!(facts.language.as_deref(), Some("en"));
    assert_eq!((facts.kind.as_deref(), facts.size), (Some("markdown"), Some(NOTE.len() as u64)));
}

#[test]
fn head_of_a_page_has_facts() {
    let page = "<!doctype html><html lang=de><meta name=DC.creator content=Ada>\
                <meta name=keywords content='maths, engines'>\
                <meta property=article:published_time content='2024-08-14T10:00:00+02:00'>\
                <body><meta name=author content=Nobody>Words.";
    let facts = facts_of("a.html", page);
    assert_eq!(facts.author.as_deref(), Some("Ada"));
    assert_eq!(facts.tags, ["maths", "engines"]);
    assert_eq!(facts.date.unwrap().to_string(), "2024-08-14T08:00:00Z");
    assert_eq!((facts.language.as_deref(), facts.kind.as_deref()), (Some("de"), Some("html")));
}

#[tokio::test]
async fn facts_are_stored_and_filtered_on() {
    let folder = folder_with(&[("a.md", NOTE), ("b.txt", "Pears are green.\n")]);
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    assert_eq!(update(&index, &folder).await.added, 2);
    for filter in [
        "author = \"Ada, Bob\"",
        "tags contains \"maths\"",
        "date < date \"1900-01-01\"",
        "language = \"en\"",
        "kind = \"markdown\"",
        "size > 50",
        "modified > date \"2020-01-01\" and author exists",
    ] {
        assert_eq!(texts(&index, filter).await, ["Engines weave patterns."], "{filter}");
    }
    assert_eq!(texts(&index, "kind = \"text\"").await, ["Pears are green."]);
}

#[tokio::test]
async fn touched_file_is_unchanged() {
    let folder = folder_with(&[("a.md", NOTE)]);
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    update(&index, &folder).await;
    let file = fs::File::options().append(true).open(folder.path().join("a.md")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(update(&index, &folder).await.unchanged, 1);
    fs::write(folder.path().join("a.md"), NOTE.replace("maths", "looms")).unwrap();
    assert_eq!(update(&index, &folder).await.changed, 1);
    assert_eq!(texts(&index, "tags contains \"looms\"").await.len(), 1);
}

#[tokio::test]
async fn field_of_records_leaves_out_the_fact() {
    let record = "{\"text\": \"Pears.\", \"author\": 7}\n";
    let folder = folder_with(&[("a.md", NOTE), ("b.jsonl", record)]);
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    update(&index, &folder).await;
    assert_eq!(texts(&index, "author = 7").await, ["Pears."]);
    assert_eq!(texts(&index, "author = \"Ada, Bob\"").await, Vec::<String>::new());
    assert_eq!(texts(&index, "tags contains \"maths\"").await, ["Engines weave patterns."]);
}

#[tokio::test]
async fn index_of_an_earlier_version_stores_no_facts() {
    let folder = folder_with(&[("a.md", NOTE)]);
    let store = InMemoryVectorStore::new();
    let index = DocumentIndex::new(store.clone(), "docs");
    update(&index, &folder_with(&[])).await;
    let definition = RecordDefinition::new("id");
    let catalog = store.dynamic_collection("docs-catalog", definition.clone()).unwrap();
    let mut records = catalog.get(&["documents".into()], &GetOptions::default()).await.unwrap();
    let content = records[0].data["content"].as_object_mut().unwrap();
    content.remove("facts");
    let record = json!({ "id": "documents", "content": content });
    let Value::Object(record) = record else { panic!("an object") };
    let record = StoredRecord::new(record, &definition).unwrap();
    catalog.upsert(vec![record]).await.unwrap();

    assert_eq!(update(&index, &folder).await.added, 1);
    assert_eq!(texts(&index, "true").await, ["Engines weave patterns."]);
    assert!(!index.catalog().await.unwrap().unwrap().facts);
    let files = FileWalker::new().walk(&[folder.path()]).unwrap();
    index.rebuild(Ingestion::new(files)).await.unwrap();
    assert_eq!(texts(&index, "kind = \"markdown\"").await, ["Engines weave patterns."]);
}

#[tokio::test]
async fn written_metadata_comes_before_a_fact() {
    let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
    let documents = index.open_for_writing([DataField::string("author")], None).await.unwrap();
    let mut document = Document::plain_text("a", "Pears.").with_metadata("author", "Cy");
    document.facts.author = Some("Ada".to_owned());
    let mut other = Document::plain_text("b", "Patterns.");
    other.facts.author = Some("Ada".to_owned());
    documents.upsert([document, other]).await.unwrap();
    assert_eq!(texts(&index, "author = \"Cy\"").await, ["Pears."]);
    assert_eq!(texts(&index, "author = \"Ada\"").await, ["Patterns."]);
}
