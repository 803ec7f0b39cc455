//! Converts chunks to records, and back.

use serde_json::{Map, Value};
use textsearch_core::{
    Error, ErrorKind, Result,
    document::DocumentInfo,
    vector::{RecordDefinition, RecordKey, StoredRecord},
};

use super::{
    namespace::Namespace,
    schema::{self, fields},
    source::hash,
};
use crate::{
    CONNECTOR, Chunk, ChunkedDocument, Document,
    chunk::{SEPARATOR, full_name},
    ingest::PATH,
};

/// Keys of two documents never collide: the index has only digits, so the id is everything before
/// the last `#`. Keys of two namespaces begin differently.
pub(super) fn key(namespace: Option<&Namespace>, document_id: &str, index: usize) -> RecordKey {
    let prefix = namespace.map(Namespace::prefix).unwrap_or_default();
    RecordKey::from(format!("{prefix}{document_id}#{index}"))
}

pub(super) fn records(
    namespace: Option<&Namespace>,
    document: &Document,
    facts: &Map<String, Value>,
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
        data.extend(facts.clone());
        let key = key(namespace, &document.id, chunk.index);
        data.insert(fields::KEY.to_owned(), Value::from(&key));
        describe(&mut data, document, name.as_deref(), &chunk);
        data.insert(fields::CHUNKS.to_owned(), count.into());
        // Other records don't need it, and would take 5 % more space.
        if chunk.index == 0 {
            data.insert(fields::FINGERPRINT.to_owned(), fingerprint.into());
        }
        if definition.data_field(fields::CHUNK_HASH).is_some() {
            data.insert(fields::CHUNK_HASH.to_owned(), hash(chunk.own_text()).into());
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
    set(fields::DOCUMENT_ID, document.id.as_str().into());
    if let Some(name) = name {
        set(fields::DOCUMENT_NAME, name.into());
    }
    set(fields::NAME, full_name(name.unwrap_or(&document.id), &chunk.heading_path).into());
    if !chunk.heading_path.is_empty() {
        set(fields::HEADINGS, chunk.heading_path.join(SEPARATOR).into());
    }
    if let Some(link) = document.link.as_deref().filter(|link| !link.trim().is_empty()) {
        let link = link_to(link, is_member(document), chunk.anchor.as_deref());
        set(fields::LINK, link.into());
    }
    set(fields::CHUNK, chunk.index.into());
    if let opening @ 1.. = chunk.opening_characters() {
        set(fields::CHUNK_OPENING, opening.into());
    }
    set(fields::START, chunk.range.start.into());
    set(fields::END, chunk.range.end.into());
}

/// Returns whether a document is inside a file, such as an archive.
fn is_member(document: &Document) -> bool {
    let path = document.metadata.get(PATH).and_then(Value::as_str);
    let rest = path.and_then(|path| document.id.strip_prefix(path));
    rest.is_some_and(|rest| rest.starts_with('#'))
}

fn link_to(link: &str, is_member: bool, anchor: Option<&str>) -> String {
    match anchor {
        // A document in an archive: `reports.zip#may.pdf&page=3`.
        Some(place) if !place.is_empty() && is_member && link.contains('#') => {
            format!("{link}&{place}")
        }
        // A link with a fragment is already more specific.
        Some(anchor) if !anchor.is_empty() && !link.contains('#') => format!("{link}#{anchor}"),
        _ => link.to_owned(),
    }
}

/// A stored document.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredDocument {
    /// The id.
    pub id: String,
    /// The namespace, if the schema has namespaces.
    pub namespace: Option<String>,
    /// The title, if known.
    pub name: Option<String>,
    /// The link, with the fragment of its first section if it has one.
    pub link: Option<String>,
    /// The number of chunks.
    pub chunks: usize,
    /// The metadata, and the facts that the schema stores.
    pub metadata: Map<String, Value>,
    /// Empty if the document wasn't fully written.
    pub(super) fingerprint: String,
}

impl StoredDocument {
    pub(super) fn into_info(self) -> DocumentInfo {
        let mut info = DocumentInfo::new(self.id);
        info.name = self.name;
        info.link = self.link;
        info.metadata = self.metadata;
        info
    }

    pub(super) fn from_head(mut head: StoredRecord, definition: &RecordDefinition) -> Result<Self> {
        let mut text = |field: &str| match head.data.remove(field) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let id = text(fields::DOCUMENT_ID);
        let fingerprint = text(fields::FINGERPRINT);
        let name = text(fields::DOCUMENT_NAME);
        let link = text(fields::LINK);
        let namespace = text(fields::NAMESPACE);
        let chunks = head.data.get(fields::CHUNKS).and_then(Value::as_u64);
        let (Some(id), Some(chunks)) = (id, chunks) else {
            let message = format!("the record `{}` is not of a chunk", head.key);
            return Err(Error::new(ErrorKind::Undecodable, CONNECTOR, message));
        };
        head.data.retain(|name, _| schema::is_metadata(definition, name));
        Ok(Self {
            id,
            namespace,
            name,
            link,
            chunks: usize::try_from(chunks).unwrap_or(usize::MAX),
            metadata: head.data,
            fingerprint: fingerprint.unwrap_or_default(),
        })
    }
}

/// Marks the document as unfinished.
pub(super) fn unfinished(record: &StoredRecord) -> StoredRecord {
    let mut record = record.clone();
    record.data.insert(fields::FINGERPRINT.to_owned(), "".into());
    record
}
