//! `textsearch index`: reads files into a store.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Result;
use serde_json::json;
use textsearch_documents::ingest::{IngestError, IngestReport, SkipReason, Skipped};

use crate::{
    arguments::{IndexArguments, OutputFormat},
    corpus::{
        cannot_be_used, explain, read_catalog, reason_of,
        store::{OpenStore, StoreLocation, Writing},
        warn_of_report,
    },
    errors::SOME_FILES_FAILED,
    messages,
    output::{Output, counted},
    pdf,
    progress::Progress,
};

pub(crate) async fn run(arguments: &IndexArguments, output: &mut Output) -> Result<ExitCode> {
    let began = Instant::now();
    let location = StoreLocation::from_uri(&arguments.store)?;
    let mut files = arguments.reading.walk(&arguments.paths)?;
    if let Some(path) = location.file_path() {
        files = files.without_store(path);
    }
    let mut writing = location.open_to_write(arguments.rebuild).await?;
    if let Some(replaced) = writing.take_replaced() {
        let owned = replaced.check_owned().await;
        owned.map_err(|error| explain_rebuild(error, &location.to_string()))?;
    }
    let OpenStore { index, location, .. } = writing.store().clone();
    let before = if arguments.rebuild { None } else { read_catalog(&index, &location).await? };
    let embedder =
        arguments.embeddings.open(before.and_then(|known| known.embedded_by).as_ref())?;
    let progress = Progress::over_files(files.len());
    let mut ingestion = arguments
        .reading
        .ingestion(files, embedder, pdf::limits()?)?
        .with_progress(progress.callback());
    if let Some(path) = writing.embeddings_path() {
        ingestion = ingestion.with_embedding_cache(path);
    }
    let updated = if arguments.rebuild {
        let rebuilt = index.rebuild(ingestion).await;
        rebuilt.map_err(|error| explain_rebuild(error, &location))
    } else {
        index.update(ingestion).await.map_err(|error| explain(error, &location))
    };
    drop(progress);
    let report = updated.inspect_err(|_| say_what_is_kept(&writing))?;
    writing.save(report.is_changed())?;
    warn_of_report(&report, &arguments.reading);
    let chunks = index.chunk_count().await?;
    Summary { location, report: &report, chunks, time: began.elapsed() }
        .print(arguments.output, output)?;
    Ok(match report.failed().next() {
        Some(_) => ExitCode::from(SOME_FILES_FAILED),
        None if chunks == 0 && report.skipped.iter().any(is_unread) => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    })
}

/// Returns whether another argument would read the file.
fn is_unread(skipped: &Skipped) -> bool {
    matches!(&skipped.reason, SkipReason::Unreadable(error) if error.is_unsupported_format())
}

fn explain_rebuild(error: IngestError, location: &str) -> anyhow::Error {
    match error {
        IngestError::OtherProgram => anyhow::anyhow!(
            "{}: it was not made by `textsearch index`, and --rebuild replaces only what was: try another --store",
            cannot_be_used(location)
        ),
        error => explain(error, location),
    }
}

fn say_what_is_kept(writing: &Writing) {
    if let Some(path) = writing.embedding_cache() {
        messages::say(&format!(
            "the embeddings made so far are kept in `{}`: run the same command again to continue",
            path.display()
        ));
    }
}

struct Summary<'a> {
    location: String,
    report: &'a IngestReport,
    /// In the whole store.
    chunks: u64,
    time: Duration,
}

impl Summary<'_> {
    fn print(&self, format: OutputFormat, output: &mut Output) -> Result<()> {
        match format {
            OutputFormat::Json => output.json(&self.json()),
            OutputFormat::Text => output.line(&self.sentence()),
        }
    }

    fn json(&self) -> serde_json::Value {
        let report = self.report;
        let in_json = |skipped: &Skipped| json!({ "path": skipped.path, "reason": reason_of(&skipped.reason) });
        let others = report.skipped.iter().filter(|skipped| !skipped.reason.is_failure());
        json!({
            "store": self.location,
            "added": report.added,
            "changed": report.changed,
            "unchanged": report.unchanged,
            "removed": report.removed,
            "files_without_text": report.files_without_text.count,
            "records_without_text": report.records_without_text.count,
            "failed": report.failed().map(in_json).collect::<Vec<_>>(),
            "skipped": others.map(in_json).collect::<Vec<_>>(),
            "chunks": self.chunks,
            "seconds": (self.time.as_secs_f64() * 1e3).round() / 1e3,
        })
    }

    fn sentence(&self) -> String {
        let IngestReport { added, changed, unchanged, removed, skipped, .. } = self.report;
        let documents = counted((added + changed + unchanged) as u64, "document");
        let chunks = counted(self.chunks, "chunk");
        let failed = self.report.failed().count();
        let counts = [
            (failed, "failed"),
            (skipped.len() - failed, "skipped"),
            (self.report.without_text(), "without text"),
        ];
        let more = counts.into_iter().filter(|(number, _)| *number > 0);
        let more: String = more.map(|(number, what)| format!(", {number} {what}")).collect();
        format!(
            "{documents} in {}: {added} added, {changed} changed, {unchanged} unchanged, {removed} \
             removed{more}; {chunks} in all; {:.2} s",
            self.location,
            self.time.as_secs_f64(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(report: &IngestReport) -> String {
        let location = "s".to_owned();
        let time = Duration::from_millis(1234);
        Summary { location, report, chunks: 9, time }.sentence()
    }

    #[test]
    fn the_sentence_counts_documents_and_chunks() {
        let mut report = IngestReport::default();
        (report.added, report.changed, report.unchanged, report.removed) = (1, 2, 3, 4);
        assert_eq!(
            sentence(&report),
            "6 documents in s: 1 added, 2 changed, 3 unchanged, 4 removed; 9 chunks in all; 1.23 s"
        );
        report.records_without_text.count = 7;
        assert!(sentence(&report).contains("4 removed, 7 without text; 9 chunks"));
    }
}
