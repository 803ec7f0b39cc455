//! Checks for text before work that would be wasted, such as replacing a store.

use super::{
    error::{Cause, IngestError, Result},
    files::SourceFile,
    json_lines::JsonLinesConfig,
    read::{read_document, read_records},
    readable::skip,
    skipped::Skipped,
};
use crate::Chunker;

/// Fails if no file has text. The error names the `skipped` files, and those that can't be read.
pub(super) fn check_any_text(
    files: &[SourceFile],
    json: &JsonLinesConfig,
    skipped: &[Skipped],
) -> Result<()> {
    let mut skipped = skipped.to_vec();
    for file in files {
        match has_text(file, json) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) => skip(file, error, &mut skipped),
        }
    }
    Err(IngestError::NoText { skipped })
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
