//! Reads files as documents.

use std::{
    collections::HashSet,
    iter,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use textsearch_core::filter::DateTime;

use super::{
    PATH,
    error::{Cause, FileError, IngestError, Result},
    files::{FileKind, SourceFile, Stamp},
    ingestion::Reading,
    json_lines::{JsonLinesConfig, JsonRecord, Records, SchemaInference},
    record_error::RecordError,
};
use crate::{
    Document, Tally,
    read::{Documents, extension_of},
};

/// Returns the documents of a file: one, or those in an archive. Ends with an error if the file changes.
pub(super) async fn read_documents<'a>(
    file: &'a SourceFile,
    reading: &Reading,
) -> Result<impl Iterator<Item = Result<Document, (String, FileError)>> + 'a, FileError> {
    let stamp = Stamp::of(&file.location)?;
    let mut documents = Some(open_documents(file, stamp, reading).await?);
    Ok(iter::from_fn(move || {
        let document = documents.as_mut()?.next()?;
        if let Err(error) = stamp.check(&file.location) {
            documents = None;
            return Some(Err((file.path.clone(), error)));
        }
        Some(document.map_err(|(id, error)| (id, error.into())))
    }))
}

async fn open_documents(
    file: &SourceFile,
    stamp: Stamp,
    reading: &Reading,
) -> Result<Documents, FileError> {
    let path = &file.path;
    let mut document = Document::plain_text(path, "");
    document = document.with_link(reading.link_to(path)).with_metadata(PATH, path.as_str());
    document.facts.size = Some(stamp.bytes);
    // Some systems don't know it.
    document.facts.modified = stamp.modified.and_then(whole_second);
    // The crate's own readers know better.
    let extension = extension_of(&file.location);
    document.facts.kind = Some(extension).filter(|extension| !extension.is_empty());
    let reader = match &file.kind {
        FileKind::Loader(loader) => {
            document.text = loader.load(&file.location)?;
            return Ok(Documents::from(document));
        }
        #[cfg(feature = "http")]
        FileKind::HttpLoader(loader) => {
            loader.load(&file.location, &reading.limits, &mut document).await?;
            return Ok(Documents::from(document));
        }
        FileKind::Reader(reader) => Some(Arc::clone(reader)),
        _ => None,
    };
    Ok(Documents::open(&file.location, document, reader, &reading.limits)?)
}

/// Returns `None` before 1970.
fn whole_second(time: SystemTime) -> Option<DateTime> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(DateTime::from(UNIX_EPOCH + Duration::from_secs(seconds)))
}

/// Returns the records of a file, and how many bytes of it were read for each.
pub(super) fn read_records<'a>(
    file: &'a SourceFile,
    reading: &'a Reading,
) -> Result<impl Iterator<Item = Result<(Document, u64)>> + 'a> {
    let mut records = Records::open(file, &reading.json)?;
    Ok(iter::from_fn(move || {
        let record = records.next()?;
        Some(record.map(|record| (as_document(file, reading, record), records.bytes_read())))
    }))
}

fn as_document(file: &SourceFile, reading: &Reading, record: JsonRecord) -> Document {
    let id = document_id(file, &record.id);
    let link = record.link.unwrap_or_else(|| reading.link_to_record(&file.path, &record.id));
    let name = record.name.unwrap_or(record.id);
    let mut document = Document::plain_text(id, record.text).with_name(name).with_link(link);
    document.metadata = record.fields;
    document.with_metadata(PATH, file.path.as_str())
}

/// Files may use the same ids.
fn document_id(file: &SourceFile, record: &str) -> String {
    format!("{}#{record}", file.path)
}

/// Like [`check_records`]. Fails, too, if the file changes meanwhile.
pub(super) fn check_whole_records(
    file: &SourceFile,
    json: &JsonLinesConfig,
    schema: &mut SchemaInference,
    without_text: &mut Tally,
) -> Result<(), Cause> {
    let stamp = Stamp::of(&file.location).map_err(FileError::Io)?;
    let result = check_records(file, json, schema, without_text);
    stamp.check(&file.location)?;
    Ok(result?)
}

/// Records the fields of all records, and which records have no text. Fails if a line is invalid or
/// an id occurs twice.
fn check_records(
    file: &SourceFile,
    json: &JsonLinesConfig,
    schema: &mut SchemaInference,
    without_text: &mut Tally,
) -> Result<()> {
    let mut ids = HashSet::new();
    for record in Records::open(file, json)? {
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
