//! `textsearch index`: reads files into a store.

mod site;

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::ControlFlow,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use serde_json::json;
use textsearch_core::{ErrorKind, invisible::escape_json};
use textsearch_documents::{
    ReadLimits,
    ingest::{EmbeddedBy, Embedder, IngestError, IngestReport, SkipReason, Skipped, SourceFiles},
};

use crate::{
    arguments::{IndexArguments, OutputFormat, is_of_web},
    changes::{Changes, Rounds},
    corpus::{
        cannot_be_used, explain, open_to_write, read_catalog, reason_of,
        store::{OpenStore, StoreLocation, StoreWriter},
        warn_of_report,
    },
    errors::{Interrupted, OWN_LIBRARIES, SOME_FILES_FAILED, usage},
    messages,
    output::{Output, counted},
    progress::Progress,
    read_file,
    signals::Interruption,
};

pub(crate) async fn run(arguments: &IndexArguments, output: &mut Output) -> Result<ExitCode> {
    let interruption = Interruption::listen().context("the command cannot listen for signals")?;
    let began = Instant::now();
    let location = StoreLocation::from_uri(&arguments.store)?;
    if arguments.watch
        && let Some(site) = sites(arguments).next()
    {
        return Err(usage(format!(
            "--watch can't see changes of `{site}`: run the command again instead"
        )));
    }
    let start = || Changes::below(&arguments.paths, location.file_path());
    // Before the first walk, so that no change is missed.
    let changes = arguments.watch.then(start).transpose()?;
    // Before a store is made, so that a wrong path makes none.
    let mut files = walk(arguments, &location)?;
    for site in sites(arguments) {
        files =
            files.merged_with(site::walk(site, arguments, &location, interruption.clone()).await?);
    }
    let mut indexer = Indexer::open(arguments, location, interruption).await?;
    let report = match indexer.ingest(files.clone(), arguments.rebuild).await {
        Ok(report) => report,
        Err(error) => {
            indexer.end_early().await;
            return Err(error);
        }
    };
    warn_of_report(&report, &arguments.reading);
    let chunks = indexer.print(&report, began, output).await?;
    if let Some(changes) = changes {
        watch(indexer, Rounds::new(changes, files, report), output).await?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(match report.failed().next() {
        Some(_) => ExitCode::from(SOME_FILES_FAILED),
        None if chunks == 0 && report.skipped.iter().any(is_unread) => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    })
}

/// Returns the URLs among the paths.
fn sites(arguments: &IndexArguments) -> impl Iterator<Item = &str> {
    arguments.paths.iter().filter_map(|path| path.to_str()).filter(|path| is_of_web(path))
}

fn walk(arguments: &IndexArguments, location: &StoreLocation) -> Result<SourceFiles> {
    let is_path = |path: &&PathBuf| !path.to_str().is_some_and(is_of_web);
    let paths: Vec<PathBuf> = arguments.paths.iter().filter(is_path).cloned().collect();
    let files = arguments.reading.walk(&paths)?;
    Ok(match location.file_path() {
        Some(path) => files.without_store(path),
        None => files,
    })
}

/// Updates the store after each change, until a signal.
async fn watch(mut indexer: Indexer<'_>, mut rounds: Rounds, output: &mut Output) -> Result<()> {
    messages::say("watching for changes; stop with Ctrl-C");
    let mut interruption = indexer.interruption.clone();
    loop {
        tokio::select! {
            settled = rounds.settled() => settled?,
            () = interruption.requested() => return Ok(()),
        }
        let began = Instant::now();
        let walked = walk(indexer.arguments, &indexer.location);
        let updated = rounds.update(walked, |changed| indexer.ingest(changed, false)).await?;
        if let Some(report) = updated {
            indexer.print(&report, began, output).await?;
        }
    }
}

/// What stays open between the rounds.
struct Indexer<'a> {
    arguments: &'a IndexArguments,
    location: StoreLocation,
    writer: StoreWriter,
    embedder: Option<Embedder>,
    limits: ReadLimits,
    interruption: Interruption,
    /// Chunks in the store before the last round.
    chunks_before: u64,
}

impl<'a> Indexer<'a> {
    async fn open(
        arguments: &'a IndexArguments,
        location: StoreLocation,
        interruption: Interruption,
    ) -> Result<Self> {
        if arguments.rebuild
            && let Some(replaced) = location.open_to_replace()?
        {
            match replaced.check_owned().await {
                Err(IngestError::Backend(error)) if *error.kind() == ErrorKind::Undecodable => {
                    tracing::debug!(%error, "a damaged store is replaced");
                }
                owned => owned.map_err(|error| explain_rebuild(error, &location.to_string()))?,
            }
        }
        // Before a store is made, so that a wrong model makes none.
        let open_embedder = |stored: Option<&EmbeddedBy>| arguments.embeddings.open(stored);
        let (writer, embedder) = if arguments.rebuild {
            let embedder = open_embedder(None)?;
            (location.open_to_rebuild(&key(arguments)).await?, embedder)
        } else if location.is_missing()? {
            let embedder = open_embedder(None)?;
            (open_to_write(&location).await?, embedder)
        } else {
            let writer = open_to_write(&location).await?;
            let OpenStore { index, location: name, .. } = writer.store();
            let embedded_by = read_catalog(index, name).await?.and_then(|known| known.embedded_by);
            let embedder = open_embedder(embedded_by.as_ref())?;
            (writer, embedder)
        };
        let limits = read_file::limits()?;
        Ok(Self { arguments, location, writer, embedder, limits, interruption, chunks_before: 0 })
    }

    /// Reads and stores the files.
    async fn ingest(&mut self, files: SourceFiles, is_rebuild: bool) -> Result<IngestReport> {
        let OpenStore { index, location, .. } = self.writer.store().clone();
        let progress = Progress::over_files(&files);
        let observe = progress.callback();
        let interruption = self.interruption.clone();
        let reading = &self.arguments.reading;
        let mut ingestion = reading.ingestion(files, self.embedder.clone(), self.limits.clone())?;
        // Only for messages: an error would come again.
        self.chunks_before = index.chunk_count().await.unwrap_or(0);
        ingestion = ingestion.with_progress(move |event| {
            if interruption.is_requested() { ControlFlow::Break(()) } else { observe(event) }
        });
        let is_continued = self.writer.is_continued();
        let result = if is_rebuild && !is_continued {
            index.rebuild(ingestion).await
        } else {
            index.update(ingestion).await
        };
        drop(progress);
        drop(index);
        match result {
            Ok(IngestReport { added: 0, changed: 0, unchanged: 0, skipped, .. })
                if self.writer.is_beside() =>
            {
                Err(explain_rebuild(IngestError::NoText { skipped }, &location))
            }
            Ok(report) => {
                self.writer.finish()?;
                Ok(report)
            }
            Err(error) if is_continued && prevents_continuation(&error) => {
                match self.writer.discard() {
                    Ok(()) => messages::say(
                        "what the interrupted rebuild had stored can't be used: run the same command again to begin anew",
                    ),
                    Err(error) => messages::warn(&format!("{error:#}")),
                }
                Err(explain_rebuild(error, &location))
            }
            Err(IngestError::Cancelled) => Err(Interrupted.into()),
            Err(error) if is_rebuild => Err(explain_rebuild(error, &location)),
            Err(error) => Err(explain(error, &location)),
        }
    }

    /// Prints what an interrupted or failed run has stored. Ignores errors, because the caller prints
    /// the error that ended the run.
    async fn end_early(mut self) {
        let OpenStore { index, location, .. } = self.writer.store();
        let chunks = index.chunk_count().await;
        let Some(next) = self.writer.next() else {
            if chunks.is_ok_and(|chunks| chunks != self.chunks_before) {
                messages::say(&format!(
                    "what was finished is in `{location}`: run the same command again for the rest"
                ));
            }
            return;
        };
        messages::say(&format!("the store `{location}` is what it was before"));
        if matches!(chunks, Ok(0)) {
            // If that fails, the next run does it.
            let _ignored = self.writer.discard();
        } else {
            messages::say(&format!(
                "what was finished is kept in `{}`: run the same command again for the rest, or delete the folder",
                next.display()
            ));
        }
    }

    /// Prints the summary, and returns the number of chunks in the whole store.
    async fn print(
        &self,
        report: &IngestReport,
        began: Instant,
        output: &mut Output,
    ) -> Result<u64> {
        let OpenStore { index, location, .. } = self.writer.store();
        let chunks = index.chunk_count().await?;
        let summary = Summary { location: location.clone(), report, chunks, time: began.elapsed() };
        match self.arguments.output {
            // A line for each round.
            OutputFormat::Json if self.arguments.watch => {
                output.line(&escape_json(&summary.json().to_string()))?;
            }
            OutputFormat::Json => output.json(&summary.json())?,
            OutputFormat::Text => output.line(&summary.sentence())?,
        }
        output.flush()?;
        Ok(chunks)
    }
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

/// Returns whether what an interrupted rebuild has stored is damaged, or doesn't fit any more.
fn prevents_continuation(error: &IngestError) -> bool {
    match error {
        IngestError::Model(_) | IngestError::Schema(_) | IngestError::OtherVersion(_) => true,
        IngestError::Backend(error) | IngestError::File { source: error, .. } => {
            match error.kind() {
                ErrorKind::InvalidRecord { .. } => true,
                // Not the answer of an embedding service.
                ErrorKind::Undecodable => OWN_LIBRARIES.contains(&error.connector()),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Identifies a rebuild: an interrupted one continues only if what shapes the store is the same. After
/// an update of the program it may begin anew.
fn key(arguments: &IndexArguments) -> String {
    let IndexArguments { paths, embeddings, reading, max_pages, allow_host, .. } = arguments;
    let mut hasher = DefaultHasher::new();
    format!("{paths:?} {embeddings:?} {reading:?} {max_pages:?} {allow_host:?}").hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

struct Summary<'a> {
    location: String,
    report: &'a IngestReport,
    /// In the whole store.
    chunks: u64,
    time: Duration,
}

impl Summary<'_> {
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
