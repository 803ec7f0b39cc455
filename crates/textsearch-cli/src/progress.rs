//! Progress bars.

use std::{
    io::{self, IsTerminal as _},
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use textsearch_documents::ingest::{IngestEvent, SiteProgress, SourceFiles};
use textsearch_eval::QueryReport;

use crate::{
    bar, logging,
    output::{counted, written_out},
};

/// Often enough to show movement, rarely enough to cost nothing.
const RECORDS_BETWEEN_MESSAGES: usize = 1000;

/// A bar on standard error, shown only on a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn over_files(files: &SourceFiles) -> Self {
        let template =
            "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left, {prefix}{msg}";
        Self::over(files.bytes(), template)
    }

    /// Counts the pages of a site.
    pub(crate) fn over_site(max_pages: usize) -> Self {
        Self::over(max_pages as u64, "{wide_bar} {pos} pages, {prefix} left, {msg}")
    }

    pub(crate) fn over_queries(queries: usize) -> Self {
        Self::over(queries as u64, "{wide_bar} {pos}/{len} queries")
    }

    fn over(number: u64, template: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(number);
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        // The delay hides the bar of a quick run.
        bar.enable_steady_tick(Duration::from_millis(250));
        bar::show(Some(bar.clone()));
        Self { bar }
    }

    pub(crate) fn callback(
        &self,
    ) -> impl Fn(IngestEvent<'_>) -> ControlFlow<()> + Send + Sync + 'static {
        let bar = self.bar.clone();
        let finished_bytes = AtomicU64::new(0);
        let embedded_chunks = AtomicU64::new(0);
        move |event| {
            match event {
                IngestEvent::FileStarted { path } => bar.set_message(written_out(path)),
                IngestEvent::RecordRead { path, records, bytes }
                    if records.is_multiple_of(RECORDS_BETWEEN_MESSAGES) =>
                {
                    bar.set_position(finished_bytes.load(Ordering::Relaxed) + bytes);
                    bar.set_message(format!("{}: {records} records", written_out(path)));
                }
                IngestEvent::FileFinished { bytes, .. } => {
                    bar.set_position(finished_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes);
                }
                IngestEvent::ChunksEmbedded { chunks } => {
                    let chunks = chunks as u64;
                    let chunks = embedded_chunks.fetch_add(chunks, Ordering::Relaxed) + chunks;
                    bar.set_prefix(format!("{} embedded, ", counted(chunks, "chunk")));
                }
                IngestEvent::WaitingForModel => bar.set_message("embedding"),
                IngestEvent::WaitingForStore => bar.set_message("storing"),
                IngestEvent::RemovalStarted { documents } => {
                    bar.set_message(format!("removing {}", counted(documents as u64, "document")));
                }
                _ => {}
            }
            ControlFlow::Continue(())
        }
    }

    pub(crate) fn site_callback(&self) -> impl Fn(&SiteProgress<'_>) + Send + Sync + 'static {
        let bar = self.bar.clone();
        move |progress| {
            bar.set_position(progress.pages as u64);
            bar.set_prefix(counted(progress.links as u64, "link"));
            bar.set_message(written_out(progress.url));
        }
    }

    pub(crate) fn query_callback(&self) -> impl Fn(&QueryReport) + Send + Sync + 'static {
        let bar = self.bar.clone();
        move |_| bar.inc(1)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        bar::show(None);
        logging::print_warnings();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_counts_bytes_read_and_chunks_embedded() {
        let progress = Progress { bar: ProgressBar::hidden() };
        let callback = progress.callback();
        let read = |event| assert_eq!(callback(event), ControlFlow::Continue(()));
        read(IngestEvent::FileFinished { path: "a.md", bytes: 500 });
        read(IngestEvent::RecordRead { path: "b.jsonl", records: 1000, bytes: 70 });
        assert_eq!(progress.bar.position(), 570);
        assert_eq!(progress.bar.message(), "b.jsonl: 1000 records");
        read(IngestEvent::ChunksEmbedded { chunks: 256 });
        read(IngestEvent::ChunksEmbedded { chunks: 4 });
        assert_eq!(progress.bar.prefix(), "260 chunks embedded, ");
        read(IngestEvent::WaitingForModel);
        assert_eq!(progress.bar.message(), "embedding");
        read(IngestEvent::FileFinished { path: "b.jsonl", bytes: 100 });
        assert_eq!(progress.bar.position(), 600);
    }
}
