//! From files to documents.

use std::{collections::HashSet, fs};

use anyhow::{Context as _, Result, bail};
use textsearch_documents::{Document, DocumentFormat};

use super::PATH;
use crate::{
    files::SourceFile,
    json_lines::{FieldKinds, FieldNames, JsonLines, JsonRecord},
};

/// The document that a file of text is.
///
/// # Errors
///
/// Where it cannot be read, or is not UTF-8.
pub(super) fn read_document(file: &SourceFile, format: DocumentFormat) -> Result<Document> {
    let path = &file.path;
    let bytes = fs::read(&file.location).context("it cannot be read")?;
    let Ok(text) = String::from_utf8(bytes) else {
        bail!("it is not UTF-8: try to convert it, with `iconv` for example");
    };
    // Some editors put a mark before the text, which is no part of it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(Document::new(path, format, text).with_link(path).with_metadata(PATH, path.as_str()))
}

/// The documents that the lines of a file are.
pub(super) fn read_records<'a>(
    file: &'a SourceFile,
    names: &'a FieldNames,
) -> Result<impl Iterator<Item = Result<Document>> + 'a> {
    let lines = JsonLines::open(&file.location, &file.path, names)?;
    Ok(lines.map(|record| Ok(as_document(file, record?))))
}

fn as_document(file: &SourceFile, record: JsonRecord) -> Document {
    // Two files may use the same ids.
    let id = format!("{}#{}", file.path, record.id);
    let link = record.link.unwrap_or_else(|| id.clone());
    let name = record.name.unwrap_or(record.id);
    let mut document = Document::plain_text(id, record.text).with_name(name).with_link(link);
    document.metadata = record.fields;
    document.with_metadata(PATH, file.path.as_str())
}

/// Reads all lines of a file once, so that a bad one is found before anything is done, and notes their fields.
///
/// # Errors
///
/// For a line that cannot be read, and for an id that is used twice.
pub(super) fn check_records(
    file: &SourceFile,
    names: &FieldNames,
    kinds: &mut FieldKinds,
) -> Result<()> {
    let mut ids = HashSet::new();
    for record in JsonLines::open(&file.location, &file.path, names)? {
        let record = record?;
        kinds
            .observe(&record.fields)
            .with_context(|| format!("`{}` line {}", file.path, record.line))?;
        if let Some(id) = ids.replace(record.id) {
            bail!(
                "`{}` line {}: the id `{id}` is that of another line: try --id-field with a field that differs",
                file.path,
                record.line
            );
        }
    }
    Ok(())
}
