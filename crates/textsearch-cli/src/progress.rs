//! How far a run has come, for people who watch.

use std::{
    io::{self, IsTerminal as _},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::written_out;

/// Often enough to see that something moves, and rare enough to cost nothing.
const RECORDS_BETWEEN_MESSAGES: usize = 1000;

/// A bar on standard error; it is shown only where that is a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for this number of files.
    pub(crate) fn over_files(files: usize) -> Self {
        Self::over(files, "{wide_bar} {pos}/{len} files, {msg}")
    }

    /// A bar for this number of queries.
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
        // A quick run is over before anybody can read a bar.
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    /// Says which file is being read.
    pub(crate) fn begin(&self, path: &str) {
        self.bar.set_message(written_out(path));
    }

    /// Says how many records of the file were read so far, now and then.
    pub(crate) fn count_records(&self, path: &str, records: usize) {
        if records.is_multiple_of(RECORDS_BETWEEN_MESSAGES) {
            self.bar.set_message(format!("{}: {records} records", written_out(path)));
        }
    }

    /// One file or query more is done.
    pub(crate) fn finish_one(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
