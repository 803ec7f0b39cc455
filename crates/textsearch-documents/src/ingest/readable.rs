//! Checks the files before anything is stored.

use std::io;

use crate::CONNECTOR;

use super::{
    catalog::Catalog,
    error::{Cause, FileError, IngestError, single_line},
    files::{SourceFile, SourceFiles},
    ingestion::Reading,
    json_lines::SchemaInference,
    read::check_whole_records,
    report::IngestReport,
    skipped::{SkipReason, Skipped},
};

pub(super) struct ReadableFiles {
    pub(super) files: Vec<SourceFile>,
    pub(super) report: IngestReport,
}

impl ReadableFiles {
    /// Reads all records once, and adds their fields to `catalog`. Skips a file with an invalid
    /// line, because half a file of records is worse than none.
    pub(super) fn check(walked: SourceFiles, reading: &Reading, catalog: &mut Catalog) -> Self {
        let mut schema = SchemaInference::default();
        catalog.fields.iter().for_each(|field| schema.observe_known(field));
        let mut report = IngestReport { skipped: walked.skipped, ..IngestReport::default() };
        let mut files = Vec::new();
        for file in walked.files {
            if file.kind.is_records() {
                // A skipped file adds no fields.
                let mut fields = schema.clone();
                let mut blank = report.records_without_text.clone();
                if let Err(error) =
                    check_whole_records(&file, &reading.json, &mut fields, &mut blank)
                {
                    skip(&file.path, error, &mut report.skipped);
                    continue;
                }
                (schema, report.records_without_text) = (fields, blank);
            }
            files.push(file);
        }
        report.has_dropped_fields = schema.is_full();
        catalog.fields = schema.into_fields();
        Self { files, report }
    }
}

/// Doesn't record a file that was deleted after the walk: its document is removed.
pub(super) fn skip(path: &str, error: impl Into<Cause>, skipped: &mut Vec<Skipped>) {
    if let Some(reason) = reason_of(error.into(), path) {
        skipped.push(Skipped { path: path.to_owned(), reason });
    }
}

/// Returns `None` for a missing file.
fn reason_of(error: Cause, path: &str) -> Option<SkipReason> {
    let error: Cause = match error.downcast::<IngestError>().map(|error| *error) {
        Ok(IngestError::Record { line, reason, .. }) => {
            return Some(SkipReason::Record { line, reason });
        }
        Ok(IngestError::Unreadable { source, .. }) => FileError::Io(source).into(),
        Ok(error) => error.into(),
        Err(error) => error,
    };
    match error.downcast_ref() {
        Some(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
        Some(FileError::Content(error)) => Some(SkipReason::Unreadable(error.clone())),
        Some(FileError::Changing) => Some(SkipReason::Changing),
        _ => Some(SkipReason::Failed(without_name(single_line(&*error), path))),
    }
}

/// The path is next to the reason already.
fn without_name(reason: String, path: &str) -> String {
    let name = format!("{CONNECTOR}: `{path}` ");
    reason.strip_prefix(&name).map(|rest| format!("it {rest}")).unwrap_or(reason)
}
