//! Keeps documents in memory up to date with their files.

use std::path::PathBuf;

use textsearch_documents::{
    ReadLimits,
    ingest::{DocumentIndex, Embedder, IngestReport},
};
use tokio::{runtime::Handle, task::spawn_blocking};

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
            // A walk and an index in memory don't pause. Searches need the runtime's threads.
            let runtime = Handle::current();
            let round = spawn_blocking(move || {
                runtime.block_on(self.update());
                self
            });
            self = match round.await {
                Ok(watched) => watched,
                Err(error) => return messages::say(&format!("{error}: changes are missed")),
            };
        }
    }

    async fn update(&mut self) {
        // The documents of a path that was deleted go, too.
        let exists = |path: &&PathBuf| path.try_exists().unwrap_or(true);
        let paths: Vec<_> = self.paths.iter().filter(exists).cloned().collect();
        let walked = self.reading.walk(&paths).map_err(Into::into);
        let ingestion =
            |changed| self.reading.ingestion(changed, self.embedder.clone(), self.limits.clone());
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
