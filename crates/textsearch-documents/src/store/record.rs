//! Chunks as records, and back.

use serde_json::{Map, Value};
use textsearch_core::{
    Error, ErrorKind, Result,
    vector::{RecordDefinition, RecordKey, StoredRecord},
};

use super::schema::{self, fields};
use crate::{CONNECTOR, Chunk, ChunkedDocument, Document};

/// Between two headings, and between the title and the first.
const SEPARATOR: &str = " > ";

/// The key of a chunk.
///
/// Two documents never share one, whatever their ids: the place has digits only, so what is before the last `#` is
/// the id.
pub(super) fn key(document_id: &str, index: usize) -> RecordKey {
    RecordKey::from(format!("{document_id}#{index}"))
}

/// The records of a document's chunks, in their order.
pub(super) fn records(
    document: &Document,
    chunked: ChunkedDocument<'_>,
    fingerprint: &str,
    definition: &RecordDefinition,
) -> Result<Vec<StoredRecord>> {
    check(document, definition)?;
    let name = chunked.name;
    let count = chunked.chunks.len();
    let chunks = chunked.chunks.into_iter();
    let records = chunks.map(|chunk| {
        let mut data = document.metadata.clone();
        describe(&mut data, document, name.as_deref(), &chunk);
        data.insert(fields::CHUNKS.to_owned(), count.into());
        // The others are never asked for it, and would take a twentieth more room.
        if chunk.index == 0 {
            data.insert(fields::FINGERPRINT.to_owned(), fingerprint.into());
        }
        data.insert(fields::TEXT.to_owned(), chunk.text.into());
        StoredRecord::new(data, definition)
    });
    records.collect()
}

fn check(document: &Document, definition: &RecordDefinition) -> Result<()> {
    let invalid = |message: String| {
        Err(Error::new(ErrorKind::invalid_record(&document.id), CONNECTOR, message))
    };
    if document.id.is_empty() {
        return invalid("a document needs an id that is not empty".to_owned());
    }
    let unknown = document.metadata.keys().find(|name| !schema::is_metadata(definition, name));
    match unknown {
        Some(name) => invalid(format!(
            "`{}` has metadata `{name}`, which the schema of the collection does not name",
            document.id,
        )),
        None => Ok(()),
    }
}

fn describe(data: &mut Map<String, Value>, document: &Document, name: Option<&str>, chunk: &Chunk) {
    let mut set = |field: &str, value: Value| data.insert(field.to_owned(), value);
    set(fields::KEY, Value::from(&key(&document.id, chunk.index)));
    set(fields::DOCUMENT_ID, document.id.as_str().into());
    if let Some(name) = name {
        set(fields::DOCUMENT_NAME, name.into());
    }
    set(fields::NAME, full_name(name.unwrap_or(&document.id), &chunk.heading_path).into());
    if !chunk.heading_path.is_empty() {
        set(fields::HEADINGS, chunk.heading_path.join(SEPARATOR).into());
    }
    if let Some(link) = document.link.as_deref().filter(|link| !link.trim().is_empty()) {
        set(fields::LINK, link_to(link, chunk.anchor.as_deref()).into());
    }
    set(fields::CHUNK, chunk.index.into());
    set(fields::START, chunk.range.start.into());
    set(fields::END, chunk.range.end.into());
}

/// The title and the headings, once where the first heading is the title.
fn full_name(title: &str, headings: &[String]) -> String {
    let repeated = headings.first().is_some_and(|first| first == title);
    let headings = headings.iter().skip(usize::from(repeated)).map(String::as_str);
    std::iter::once(title).chain(headings).collect::<Vec<_>>().join(SEPARATOR)
}

fn link_to(link: &str, anchor: Option<&str>) -> String {
    match anchor {
        // A link that leads to a place already says more than a heading does.
        Some(anchor) if !anchor.is_empty() && !link.contains('#') => format!("{link}#{anchor}"),
        _ => link.to_owned(),
    }
}

/// A document as the store knows it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredDocument {
    /// What identifies the document.
    pub id: String,
    /// The title, where one is known.
    pub name: Option<String>,
    /// Where the document can be read.
    pub link: Option<String>,
    /// The number of chunks.
    pub chunks: usize,
    /// The facts to filter on.
    pub metadata: Map<String, Value>,
    /// What tells this version from another; empty where it was not written to the end.
    pub(super) fingerprint: String,
}

impl StoredDocument {
    /// Reads the document from the record of its first chunk.
    pub(super) fn from_head(mut head: StoredRecord, definition: &RecordDefinition) -> Result<Self> {
        let mut text = |field: &str| match head.data.remove(field) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (id, fingerprint) = (text(fields::DOCUMENT_ID), text(fields::FINGERPRINT));
        let (name, link) = (text(fields::DOCUMENT_NAME), text(fields::LINK));
        let chunks = head.data.get(fields::CHUNKS).and_then(Value::as_u64);
        let (Some(id), Some(chunks)) = (id, chunks) else {
            let message = format!("the record `{}` is not of a chunk", head.key);
            return Err(Error::new(ErrorKind::Undecodable, CONNECTOR, message));
        };
        head.data.retain(|name, _| schema::is_metadata(definition, name));
        Ok(Self {
            id,
            name,
            link,
            chunks: usize::try_from(chunks).unwrap_or(usize::MAX),
            metadata: head.data,
            fingerprint: fingerprint.unwrap_or_default(),
        })
    }
}

/// The same record, marked as of a document that is not written to the end.
pub(super) fn unfinished(record: &StoredRecord) -> StoredRecord {
    let mut record = record.clone();
    record.data.insert(fields::FINGERPRINT.to_owned(), "".into());
    record
}
