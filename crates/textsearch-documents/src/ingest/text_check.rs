//! Checks for text before work that would be wasted, such as replacing a store.

use super::{
    error::{Cause, IngestError, Result},
    files::SourceFile,
    ingestion::Reading,
    read::{read_documents, read_records},
    readable::skip,
    skipped::Skipped,
};
use crate::Chunker;

/// Fails if no file has text. The error names the `skipped` files, and those that can't be read.
pub(super) async fn check_any_text(
    files: &[SourceFile],
    reading: &Reading,
    skipped: &[Skipped],
) -> Result<()> {
    let mut skipped = skipped.to_vec();
    for file in files {
        match has_text(file, reading).await {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) => skip(&file.path, error, &mut skipped),
        }
    }
    Err(IngestError::NoText { skipped })
}

async fn has_text(file: &SourceFile, reading: &Reading) -> Result<bool, Cause> {
    if file.kind.is_records() {
        // Reading all lines reports records without text.
        return Ok(read_records(file, reading)?.next().is_some());
    }
    let mut failure = None;
    for document in read_documents(file, reading).await? {
        match document {
            Ok(document) if !Chunker::default().chunk(&document)?.chunks.is_empty() => {
                return Ok(true);
            }
            Ok(_) => {}
            Err((_, error)) => failure = Some(error),
        }
    }
    failure.map_or(Ok(false), |error| Err(error.into()))
}
