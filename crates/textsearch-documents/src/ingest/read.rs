//! Reads files as documents.

use std::{
    collections::HashSet,
    fs,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use textsearch_core::filter::DateTime;

use super::{
    PATH,
    error::{FileError, IngestError, Result},
    files::{FileKind, SourceFile},
    json_lines::{JsonLines, JsonLinesConfig, JsonRecord, SchemaInference},
    record_error::RecordError,
    report::Tally,
};
use crate::{
    Document, ReadLimits,
    read::{Documents, extension_of},
};

/// Returns the documents of a file: one, or those in an archive.
pub(super) fn read_documents(
    file: &SourceFile,
    limits: &Arc<ReadLimits>,
) -> Result<Documents, FileError> {
    let path = &file.path;
    // A loader can't report a missing file.
    let metadata = fs::metadata(&file.location)?;
    let mut document = Document::plain_text(path, "");
    document = document.with_link(path).with_metadata(PATH, path.as_str());
    document.facts.size = Some(metadata.len());
    // Some systems don't know it.
    document.facts.modified = metadata.modified().ok().and_then(whole_second);
    // The crate's own readers know better.
    let extension = extension_of(&file.location);
    document.facts.kind = Some(extension).filter(|extension| !extension.is_empty());
    let reader = match &file.kind {
        FileKind::Loader(loader) => {
            document.text = loader.load(&file.location)?;
            return Ok(Documents::from(document));
        }
        FileKind::Reader(reader) => Some(Arc::clone(reader)),
        FileKind::Document | FileKind::JsonLines => None,
    };
    Ok(Documents::open(&file.location, document, reader, limits)?)
}

/// Returns `None` before 1970.
fn whole_second(time: SystemTime) -> Option<DateTime> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(DateTime::from(UNIX_EPOCH + Duration::from_secs(seconds)))
}

pub(super) fn read_records<'a>(
    file: &'a SourceFile,
    json: &'a JsonLinesConfig,
) -> Result<impl Iterator<Item = Result<Document>> + 'a> {
    let lines = JsonLines::open(&file.location, &file.path, json)?;
    Ok(lines.map(|record| Ok(as_document(file, record?))))
}

fn as_document(file: &SourceFile, record: JsonRecord) -> Document {
    let id = document_id(file, &record.id);
    let link = record.link.unwrap_or_else(|| id.clone());
    let name = record.name.unwrap_or(record.id);
    let mut document = Document::plain_text(id, record.text).with_name(name).with_link(link);
    document.metadata = record.fields;
    document.with_metadata(PATH, file.path.as_str())
}

/// Files may use the same ids.
fn document_id(file: &SourceFile, record: &str) -> String {
    format!("{}#{record}", file.path)
}

/// Records the fields of all records, and which records have no text. Fails if a line is invalid or
/// an id occurs twice.
pub(super) fn check_records(
    file: &SourceFile,
    json: &JsonLinesConfig,
    schema: &mut SchemaInference,
    without_text: &mut Tally,
) -> Result<()> {
    let mut ids = HashSet::new();
    for record in JsonLines::open(&file.location, &file.path, json)? {
        let record = record?;
        let line = record.line;
        let named = |reason| IngestError::Record { path: file.path.clone(), line, reason };
        schema.observe(&record.fields).map_err(named)?;
        if !record.has_text {
            without_text.add(1, [document_id(file, &record.id)]);
        }
        if let Some(id) = ids.replace(record.id) {
            return Err(named(RecordError::DuplicateId(id)));
        }
    }
    Ok(())
}
