//! `#[derive(VectorRecord)]`: conversions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use textsearch_core::schemars::{self, JsonSchema};
use textsearch_core::{
    ErrorKind, Filter, TextSearchResult,
    filter::DateTime,
    vector::{
        Collection, CollectionRecord, GetOptions, RecordDefinition, SearchInput, StoredRecord,
        VectorRecord, VectorSearchOptions, VectorStoreExt,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, VectorRecord)]
struct Note {
    #[record(key)]
    #[schemars(with = "String")]
    id: Uuid,
    #[record(name, filterable)]
    title: Option<String>,
    #[record(value)]
    text: String,
    #[record(link)]
    place: Option<u32>,
    #[record(published)]
    written: Option<DateTime>,
    author: Author,
    #[record(vector(dimensions = 2, distance = "dot_product"))]
    list: Vec<f32>,
    #[record(vector(dimensions = 2, distance = "dot_product"))]
    optional: Option<Vec<f32>>,
    #[record(vector(dimensions = 2, distance = "dot_product"))]
    #[serde(skip, default = "nothing")]
    shared: Arc<[f32]>,
    #[record(vector(distance = "euclidean"))]
    array: [f32; 2],
}

fn nothing() -> Arc<[f32]> {
    Arc::from([])
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Author {
    name: String,
    born: Option<i32>,
}

fn note() -> Note {
    Note {
        id: Uuid::from_u128(7),
        title: Some("Title".into()),
        text: "What it says.".into(),
        place: Some(12),
        written: DateTime::parse("2024-05-01").ok(),
        author: Author { name: "Ada".into(), born: Some(1815) },
        list: vec![0.1, 0.2],
        optional: Some(vec![0.3, 0.4]),
        shared: Arc::from([0.5, 0.6]),
        array: [0.7, 0.8],
    }
}

fn bare() -> Note {
    let nothing = Note { list: vec![], optional: None, shared: nothing(), ..note() };
    Note { title: None, place: None, written: None, array: [0.0; 2], ..nothing }
}

async fn notes() -> Collection<Note> {
    let notes = InMemoryVectorStore::new().collection::<Note>("notes").unwrap();
    notes.ensure_exists().await.unwrap();
    notes
}

#[tokio::test]
async fn reads_a_record_with_all_its_vectors() {
    let notes = notes().await;
    notes.upsert(vec![note()]).await.unwrap();
    let keys = [Uuid::from_u128(7).into()];
    let records = notes.get(&keys, &GetOptions::default().with_vectors(true)).await.unwrap();
    assert_eq!(records, [note()]);
}

#[tokio::test]
async fn reads_a_record_without_vectors() {
    let notes = notes().await;
    notes.upsert(vec![note()]).await.unwrap();
    let options = VectorSearchOptions::top(1).with_filter(Filter::eq("title", "Title"));
    let results = notes.search(&SearchInput::from(vec![1.0, 0.0]), &options).await.unwrap();
    let records = results.into_vec().await.unwrap();
    let expected =
        Note { title: note().title, place: note().place, written: note().written, ..bare() };
    assert_eq!(records[0].record, expected);
}

#[test]
fn a_record_without_vectors_is_stored_without_them() {
    let definition = Note::definition();
    let stored = VectorRecord::into_stored(bare(), &definition).unwrap();
    assert!(stored.vectors.is_empty());
    let names: Vec<&String> = stored.data.keys().collect();
    assert_eq!(names, ["author", "id", "place", "text", "title", "written"]);
    let back: Note = VectorRecord::from_stored(stored).unwrap();
    assert_eq!(back, bare());
}

#[test]
fn a_shared_vector_is_moved_and_not_copied() {
    let vector: Arc<[f32]> = Arc::from([0.5, 0.6]);
    let place = vector.as_ptr();
    let stored =
        VectorRecord::into_stored(Note { shared: vector, ..note() }, &Note::definition()).unwrap();
    assert_eq!(stored.vectors["shared"].as_ptr(), place);
    let back: Note = VectorRecord::from_stored(stored).unwrap();
    assert_eq!(back.shared.as_ptr(), place);
}

#[test]
fn error_names_a_vector_too_long_for_its_array() {
    let mut stored = VectorRecord::into_stored(note(), &Note::definition()).unwrap();
    stored.vectors.insert("array".to_owned(), Arc::from([1.0; 5]));
    let error = <Note as VectorRecord>::from_stored(stored).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(
        error.message().contains("`array`") && error.message().contains("2 elements"),
        "{error}"
    );
}

#[test]
fn error_names_the_key_of_an_undecodable_record() {
    let data = json!({ "id": Uuid::nil(), "text": 7 }).as_object().cloned().unwrap();
    let stored = StoredRecord::new(data, &Note::definition()).unwrap();
    let error = <Note as VectorRecord>::from_stored(stored).unwrap_err();
    assert!(error.message().contains(&Uuid::nil().to_string()), "{error}");
}

fn by_json(record: Note, definition: &RecordDefinition) -> (String, TextSearchResult) {
    let stored = VectorRecord::into_stored(record, definition).unwrap();
    let text = CollectionRecord::text(&stored, definition).into_owned();
    (text, CollectionRecord::to_result(&stored, definition))
}

#[test]
fn texts_and_results_match_the_stored_form() {
    let usual = Note::definition();
    let mut nested = usual.clone();
    nested.name_field = Some("author.name".into());
    nested.value_field = Some("author".into());
    nested.link_field = Some("text".into());
    let mut worded = usual.clone();
    worded.value_field = None;
    worded.data = worded.data.into_iter().map(|field| field.full_text()).collect();
    for definition in [usual, nested, worded] {
        for record in [note(), bare()] {
            let (text, result) = by_json(record.clone(), &definition);
            assert_eq!(CollectionRecord::text(&record, &definition), text);
            assert_eq!(CollectionRecord::to_result(&record, &definition), result);
        }
    }
}

#[test]
fn text_is_borrowed_from_the_record() {
    let note = note();
    let text = CollectionRecord::text(&note, &Note::definition());
    assert!(matches!(text, std::borrow::Cow::Borrowed("What it says.")));
}

#[derive(Serialize, Deserialize, VectorRecord)]
#[expect(clippy::box_collection, reason = "what a user may have")]
struct Owned {
    #[record(key)]
    id: Arc<String>,
    #[record(name)]
    title: Option<Arc<String>>,
    #[record(value)]
    text: Option<Box<String>>,
}

#[test]
fn text_is_borrowed_through_smart_pointers() {
    let definition = Owned::definition();
    let text = Some(Box::new("Text".to_owned()));
    let record = Owned { id: Arc::new("1".to_owned()), title: None, text };
    assert!(matches!(record.text_by(&definition), std::borrow::Cow::Borrowed("Text")));
    let record = Owned { title: Some(Arc::new("Title".to_owned())), ..record };
    let expected = TextSearchResult::new("Text").with_name("Title").with_id("1");
    assert_eq!(record.result_by(&definition), expected);
}

/// One field is read but not written.
#[derive(Debug, PartialEq, Serialize, Deserialize, VectorRecord)]
struct Secretive {
    #[record(key)]
    id: String,
    #[serde(skip_serializing)]
    unwritten: String,
    #[record(vector(dimensions = 2))]
    list: Vec<f32>,
    #[record(vector(dimensions = 2))]
    optional: Option<Box<[f32]>>,
    #[record(vector)]
    array: [f32; 2],
    /// Longer than any array that serde knows.
    #[record(vector)]
    #[serde(skip, default = "zeros")]
    long: [f32; 40],
}

fn zeros() -> [f32; 40] {
    [0.0; 40]
}

#[test]
fn splits_vectors_off_and_keeps_the_other_fields() {
    let record = |list, optional, array| Secretive {
        id: "1".to_owned(),
        unwritten: "kept".to_owned(),
        list,
        optional,
        array,
        long: zeros(),
    };
    let original = record(vec![0.1, 0.2], Some(Box::from([0.3, 0.4])), [0.0; 2]);
    let (rest, vectors) = VectorRecord::split_vectors(original, &Secretive::definition()).unwrap();
    assert_eq!(rest, record(vec![], None, [0.0; 2]));
    let vectors: Vec<(&str, &[f32])> =
        vectors.iter().map(|(name, vector)| (name.as_str(), &**vector)).collect();
    assert_eq!(vectors, [("list", [0.1, 0.2].as_slice()), ("optional", [0.3, 0.4].as_slice())]);
}

#[test]
fn stores_a_long_array_that_serde_skips() {
    let definition = Secretive::definition();
    let long = definition.vectors.iter().find(|field| field.name == "long");
    assert_eq!(long.map(|field| field.dimensions), Some(40));
    let data = json!({ "id": "1", "unwritten": "kept" }).as_object().cloned().unwrap();
    let stored = StoredRecord::new(data, &definition).unwrap().with_vector("long", [0.5; 40]);
    let record: Secretive = VectorRecord::from_stored(stored).unwrap();
    assert_eq!((record.unwritten.as_str(), record.long), ("kept", [0.5; 40]));
    let stored = VectorRecord::into_stored(record, &definition).unwrap();
    assert_eq!(*stored.vectors["long"], [0.5; 40]);
}
