//! Progress bars.

use std::{
    io::{self, IsTerminal as _},
    ops::ControlFlow,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use textsearch_documents::ingest::IngestEvent;
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
    pub(crate) fn over_files(files: usize) -> Self {
        Self::over(files, "{wide_bar} {pos}/{len} files, {msg}")
    }

    pub(crate) fn over_queries(queries: usize) -> Self {
        Self::over(queries, "{wide_bar} {pos}/{len} queries")
    }

    fn over(number: usize, template: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(number as u64);
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
        move |event| {
            match event {
                IngestEvent::FileStarted { path } => bar.set_message(written_out(path)),
                IngestEvent::RecordRead { path, records }
                    if records.is_multiple_of(RECORDS_BETWEEN_MESSAGES) =>
                {
                    bar.set_message(format!("{}: {records} records", written_out(path)));
                }
                IngestEvent::FileFinished { .. } => bar.inc(1),
                IngestEvent::BatchStarted { documents } => {
                    bar.set_message(format!("storing {}", counted(documents as u64, "document")));
                }
                IngestEvent::RemovalStarted { documents } => {
                    bar.set_message(format!("removing {}", counted(documents as u64, "document")));
                }
                _ => {}
            }
            ControlFlow::Continue(())
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
