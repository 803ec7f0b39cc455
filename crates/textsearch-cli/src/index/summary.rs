//! What a run of `textsearch index` did.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::{arguments::OutputFormat, files::Skipped, output::Output};

/// How many documents a run touched, and how. A record of JSON Lines is a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Changes {
    /// New ones.
    pub(crate) added: usize,
    /// Those that were replaced.
    pub(crate) changed: usize,
    /// Those that are what they were.
    pub(crate) unchanged: usize,
    /// Those that are gone.
    pub(crate) removed: usize,
    /// What was left out, and why.
    pub(crate) skipped: Vec<Skipped>,
}

/// The whole report.
#[derive(Debug, Serialize)]
pub(crate) struct Summary<'a> {
    /// Where the store is.
    pub(crate) store: String,
    /// What happened to the documents.
    #[serde(flatten)]
    pub(crate) changes: &'a Changes,
    /// How many chunks the store holds now, those of other paths among them.
    pub(crate) chunks: u64,
    /// How long it took.
    #[serde(serialize_with = "as_seconds")]
    pub(crate) seconds: Duration,
}

impl Changes {
    /// Whether the store is another than before.
    pub(crate) fn is_any(&self) -> bool {
        self.added + self.changed + self.removed > 0
    }
}

impl Summary<'_> {
    /// Prints the report for whoever asked.
    pub(crate) fn print(&self, format: OutputFormat, output: &mut Output) -> Result<()> {
        match format {
            OutputFormat::Json => output.json(self),
            OutputFormat::Text => output.line(&self.sentence()),
        }
    }

    fn sentence(&self) -> String {
        let Changes { added, changed, unchanged, removed, skipped } = self.changes;
        let documents = counted((added + changed + unchanged) as u64, "document");
        let chunks = counted(self.chunks, "chunk");
        let skipped = match skipped.len() {
            0 => String::new(),
            number => format!(", {number} skipped"),
        };
        format!(
            "{documents} in {}: {added} added, {changed} changed, {unchanged} unchanged, {removed} \
             removed{skipped}; {chunks} in all; {:.2} s",
            self.store,
            self.seconds.as_secs_f64(),
        )
    }
}

fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn as_seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    // Milliseconds are as exact as the time of one run is worth.
    serializer.serialize_f64((time.as_secs_f64() * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(changes: &Changes) -> String {
        let seconds = Duration::from_millis(1234);
        Summary { store: "s".to_owned(), changes, chunks: 9, seconds }.sentence()
    }

    #[test]
    fn the_sentence_counts_documents_and_chunks() {
        let mut changes =
            Changes { added: 1, changed: 2, unchanged: 3, removed: 4, ..Changes::default() };
        assert_eq!(
            sentence(&changes),
            "6 documents in s: 1 added, 2 changed, 3 unchanged, 4 removed; 9 chunks in all; 1.23 s"
        );
        let (path, reason) = ("a".to_owned(), "b".to_owned());
        changes.skipped.push(Skipped { path, reason, unread_kind: None });
        assert!(sentence(&changes).contains("4 removed, 1 skipped; 9 chunks"));
    }
}
