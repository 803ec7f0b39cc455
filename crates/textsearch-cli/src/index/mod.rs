//! `textsearch index`: files into a store; and the documents of stores and files, to be searched.

mod catalog;
mod load;
mod missing;
mod summary;
mod update;

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Instant};

use anyhow::{Context as _, Result};
use textsearch_core::{
    TotalCount,
    vector::{EmbeddingGenerator, ScanOptions},
};
use textsearch_documents::DocumentStore;
use textsearch_vector_inmemory::InMemoryVectorStore;

use self::{catalog::Catalog, summary::Summary, update::update};
use crate::{
    arguments::{IndexArguments, ReadingArguments},
    embeddings::{EmbeddedBy, EmbeddingModel},
    files::{Skipped, find_files},
    messages,
    output::Output,
    progress::Progress,
    store::{OpenStore, StoreLocation},
};

/// The field of every document that holds the path of its file.
pub(crate) const PATH: &str = "path";

/// Documents that can be searched.
pub(crate) struct Documents {
    /// The documents, with embeddings made of queries if a generator was given.
    pub(crate) documents: DocumentStore,
    /// The model that made the embeddings of the documents.
    pub(crate) embedded_by: Option<EmbeddedBy>,
}

/// Brings a store up to date with the paths that were named, and says what changed.
pub(crate) async fn run(arguments: &IndexArguments, output: &mut Output) -> Result<ExitCode> {
    let start = Instant::now();
    let location = StoreLocation::from_uri(&arguments.store)?;
    let generator = arguments.embeddings.as_ref().map(EmbeddingModel::open).transpose()?;
    let found = find_files(&arguments.paths)?;
    let writing = location.open_to_write()?;
    let store = writing.store().clone();
    let before = read_catalog(&location, &store).await?;
    let progress = Progress::over_files(found.files.len());
    let changes = update(&store, generator, found, &arguments.reading, &progress).await?;
    drop(progress);
    let catalog = Catalog::read(&store).await?;
    writing.save(changes.is_any() || before != catalog)?;
    warn_of(&changes.skipped);
    let chunks = count_chunks(&store, catalog).await?;
    let store = location.to_string();
    let summary = Summary { store, changes: &changes, chunks, seconds: start.elapsed() };
    summary.print(arguments.output, output)?;
    Ok(ExitCode::from(u8::from(!changes.skipped.is_empty())))
}

/// The documents of the store at `location`, whose queries `generator` embeds.
pub(crate) async fn open_store(
    location: &StoreLocation,
    generator: Option<Arc<dyn EmbeddingGenerator>>,
) -> Result<Documents> {
    let store = location.open()?;
    let catalog = read_catalog(location, &store).await?;
    let catalog = catalog.with_context(|| {
        format!(
            "there are no documents in `{location}`: try `textsearch index PATH --store {location}`"
        )
    })?;
    if let Some(generator) = &generator {
        catalog.check_embeddings(&**generator)?;
    }
    catalog.into_documents(&store, generator).await
}

/// The documents in files that are read now and forgotten afterwards, with embeddings by `generator`.
pub(crate) async fn read_files(
    paths: &[PathBuf],
    reading: &ReadingArguments,
    generator: Option<Arc<dyn EmbeddingGenerator>>,
) -> Result<Documents> {
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    let found = find_files(paths)?;
    let progress = Progress::over_files(found.files.len());
    let changes = update(&store, generator.clone(), found, reading, &progress).await?;
    drop(progress);
    warn_of(&changes.skipped);
    if changes.added == 0 {
        messages::warn("there is no text in these files: try another --from PATH");
    }
    let catalog = Catalog::read(&store).await?.unwrap_or_else(Catalog::new);
    catalog.into_documents(&store, generator).await
}

async fn read_catalog(location: &StoreLocation, store: &OpenStore) -> Result<Option<Catalog>> {
    let catalog = Catalog::read(store).await;
    catalog.with_context(|| format!("the store `{location}` cannot be used"))
}

async fn count_chunks(store: &OpenStore, catalog: Option<Catalog>) -> Result<u64> {
    let catalog = catalog.unwrap_or_else(Catalog::new);
    let documents = catalog.documents(store, None).await?;
    let counted = documents.collection().scan(&ScanOptions::default().with_top(0)).await?;
    Ok(counted.total_count().map_or(0, TotalCount::value))
}

fn warn_of(skipped: &[Skipped]) {
    for Skipped { path, reason } in skipped {
        messages::warn(&format!("`{path}` was skipped: {reason}"));
    }
}
