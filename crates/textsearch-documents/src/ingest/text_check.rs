//! Checks for text before work that would be wasted, such as replacing a store.

use super::{
    error::{Cause, IngestError, Result},
    files::SourceFile,
    json_lines::JsonLinesConfig,
    read::{read_document, read_records},
};
use crate::Chunker;

/// Fails if no file has text, or a file given by its own path is unreadable.
pub(super) fn check_any_text<'a>(
    files: impl Iterator<Item = &'a SourceFile>,
    json: &JsonLinesConfig,
) -> Result<()> {
    let mut is_any = false;
    for file in files {
        // The update skips and reports an unreadable file of a folder.
        if file.is_named {
            let has_text = has_text(file, json);
            is_any |=
                has_text.map_err(|source| IngestError::File { path: file.path.clone(), source })?;
        } else if !is_any {
            is_any = has_text(file, json).unwrap_or_default();
        }
    }
    if is_any { Ok(()) } else { Err(IngestError::NoText) }
}

pub(super) fn is_without_text(files: &[SourceFile], json: &JsonLinesConfig) -> bool {
    files.iter().all(|file| matches!(has_text(file, json), Ok(false)))
}

fn has_text(file: &SourceFile, json: &JsonLinesConfig) -> Result<bool, Cause> {
    match file.kind.format() {
        Some(format) => {
            let document = read_document(file, format)?;
            Ok(!Chunker::default().chunk(&document)?.chunks.is_empty())
        }
        // Reading all lines reports records without text.
        None => Ok(read_records(file, json)?.next().is_some()),
    }
}
