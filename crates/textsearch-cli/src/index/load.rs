//! From files to documents.

use std::{collections::HashSet, fs};

use anyhow::{Context as _, Result, anyhow, bail};
use textsearch_documents::{Document, DocumentFormat, NotText, decode_text};

use super::PATH;
use crate::{
    files::SourceFile,
    json_lines::{FieldKinds, FieldNames, JsonLines, JsonRecord},
};

/// The document that a file of text is.
///
/// # Errors
///
/// Where it cannot be read, or is not text.
pub(super) fn read_document(file: &SourceFile, format: DocumentFormat) -> Result<Document> {
    let path = &file.path;
    let text = match &file.loader {
        Some(loader) => {
            // Whether the file is there is not for the loader to say.
            fs::metadata(&file.location).context("it cannot be read")?;
            loader.load(&file.location)?
        }
        None => {
            let bytes = fs::read(&file.location).context("it cannot be read")?;
            decode_text(bytes).map_err(|reason| anyhow!("{reason}: {}", advice(reason)))?
        }
    };
    Ok(Document::new(path, format, text).with_link(path).with_metadata(PATH, path.as_str()))
}

fn advice(reason: NotText) -> &'static str {
    match reason {
        NotText::Pdf => "try --loader EXT='pdftotext {} -' with its ending",
        NotText::RichText | NotText::Zip => {
            "try --loader EXT='pandoc --to plain {}' with its ending"
        }
        NotText::UnknownEncoding => "try to convert it, with `iconv` for example",
        _ => "try --loader EXT='PROGRAM {}' with its ending and a program that prints its text",
    }
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
