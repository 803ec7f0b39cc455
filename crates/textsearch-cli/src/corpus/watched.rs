//! Keeps documents in memory up to date with their files.

use std::path::PathBuf;

use textsearch_documents::{
    ReadLimits,
    ingest::{DocumentIndex, Embedder, IngestReport},
};

use super::{advice::explain, store::ANY_PLACE};
use crate::{arguments::ReadingArguments, changes::Rounds, errors, messages};

pub(super) struct WatchedFiles {
    pub(super) rounds: Rounds,
    pub(super) index: DocumentIndex,
    pub(super) paths: Vec<PathBuf>,
    pub(super) reading: ReadingArguments,
    pub(super) embedder: Option<Embedder>,
    pub(super) limits: ReadLimits,
}

impl WatchedFiles {
    /// Updates the documents after each change. Ends only if the files can't be watched any longer.
    pub(super) async fn keep_up(mut self) {
        loop {
            if let Err(error) = self.rounds.settled().await {
                messages::say(&format!("{}: changes are missed", errors::one_line(&error)));
                return;
            }
            let walked = self.reading.walk(&self.paths).map_err(Into::into);
            let ingestion = |changed| {
                self.reading.ingestion(changed, self.embedder.clone(), self.limits.clone())
            };
            let index = &self.index;
            let updated = self.rounds.update(walked, async |changed| {
                let updated = index.update(ingestion(changed)?).await;
                updated.map_err(|error| explain(error, ANY_PLACE))
            });
            if let Ok(Some(IngestReport { added, changed, removed, .. })) = updated.await {
                messages::say(&format!(
                    "documents: {added} added, {changed} changed, {removed} removed"
                ));
            }
        }
    }
}
