//! Checks the files before anything is stored.

use std::{fs, io, time::SystemTime};

use crate::CONNECTOR;

use super::{
    catalog::Catalog,
    error::{Cause, IngestError, ReadError, Result, one_line},
    files::{FileKind, FoundFiles, SkipReason, Skipped, SourceFile},
    json_lines::{JsonLinesConfig, SchemaInference},
    read::check_records,
    report::IngestReport,
};

/// Size and modification time.
pub(super) type FileVersion = (u64, SystemTime);

/// The version is from before the file was read.
pub(super) struct ReadableFile {
    pub(super) file: SourceFile,
    pub(super) version: Option<FileVersion>,
}

pub(super) struct ReadableFiles {
    pub(super) files: Vec<ReadableFile>,
    pub(super) report: IngestReport,
}

impl ReadableFiles {
    /// Reads all records once, and adds their fields to `catalog`. Skips unreadable files of
    /// folders. Fails if a line is invalid, because half a file of records is worse than none.
    pub(super) fn check(
        found: FoundFiles,
        json: &JsonLinesConfig,
        catalog: &mut Catalog,
    ) -> Result<Self> {
        let mut schema = SchemaInference::default();
        catalog.fields.iter().for_each(|field| schema.observe_known(field));
        let mut report = IngestReport { skipped: found.skipped, ..IngestReport::default() };
        let mut files = Vec::new();
        for file in found.files {
            let version = version_of(&file);
            let checked = match file.kind {
                FileKind::JsonLines => {
                    check_records(&file, json, &mut schema, &mut report.records_without_text)
                }
                _ => Ok(()),
            };
            match checked {
                Err(IngestError::Unreadable { source, .. }) if !file.is_named => {
                    skip(&file, &ReadError::Io(source).into(), &mut report.skipped);
                }
                checked => {
                    checked?;
                    files.push(ReadableFile { file, version });
                }
            }
        }
        report.has_dropped_fields = schema.is_full();
        catalog.fields = schema.into_fields();
        Ok(Self { files, report })
    }
}

/// Doesn't record a file that was deleted after the walk: its document is removed.
pub(super) fn skip(file: &SourceFile, error: &Cause, skipped: &mut Vec<Skipped>) {
    let reason = match error.downcast_ref::<ReadError>() {
        Some(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return,
        Some(ReadError::NotText(reason)) => SkipReason::NotText(*reason),
        _ => SkipReason::Failed(without_name(one_line(&**error), &file.path)),
    };
    skipped.push(Skipped { path: file.path.clone(), reason });
}

/// The path is next to the reason already.
fn without_name(reason: String, path: &str) -> String {
    let name = format!("{CONNECTOR}: `{path}` ");
    reason.strip_prefix(&name).map(|rest| format!("it {rest}")).unwrap_or(reason)
}

/// Returns `None` if the system doesn't know.
pub(super) fn version_of(file: &SourceFile) -> Option<FileVersion> {
    let metadata = fs::metadata(&file.location).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}
