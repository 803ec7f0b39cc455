//! `textsearch index`: files into a store; and the searches over stores and files.

mod catalog;
mod load;
mod summary;
mod update;

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Instant};

use anyhow::{Context as _, Result};
use textsearch_core::{
    TextSearch, TotalCount,
    vector::{EmbeddingGenerator, ScanOptions},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use self::{catalog::Catalog, summary::Summary, update::update};
use crate::{
    arguments::{IndexArguments, ReadingArguments},
    embeddings::EmbeddingModel,
    files::{Skipped, find_files},
    messages,
    output::Output,
    progress::Progress,
    store_file::StoreFile,
};

/// The field of every document that holds the path of its file.
pub(crate) const PATH: &str = "path";

/// Brings a store up to date with the paths that were named, and says what changed.
pub(crate) async fn run(arguments: &IndexArguments, output: &mut Output) -> Result<ExitCode> {
    let start = Instant::now();
    let file = StoreFile::from_uri(&arguments.store)?;
    let generator = arguments.embeddings.as_ref().map(EmbeddingModel::open).transpose()?;
    let found = find_files(&arguments.paths)?;
    let _lock = file.lock()?;
    let is_new = !file.exists();
    let store = if is_new { InMemoryVectorStore::new() } else { file.open()? };
    let before = read_catalog(&file, &store).await?;
    let progress = Progress::over_files(found.files.len());
    let changes = update(&store, generator, found, &arguments.reading, &progress).await?;
    drop(progress);
    if is_new || changes.is_any() || before != Catalog::read(&store).await? {
        file.save(&store)?;
    }
    warn_of(&changes.skipped);
    let chunks = count_chunks(&store).await?;
    let store = file.path().display().to_string();
    let summary = Summary { store, changes: &changes, chunks, seconds: start.elapsed() };
    summary.print(arguments.output, output)?;
    Ok(ExitCode::from(u8::from(!changes.skipped.is_empty())))
}

/// The search over the store in `file`, by meaning where there is a `generator`.
pub(crate) async fn search_store(
    file: &StoreFile,
    generator: Option<Arc<dyn EmbeddingGenerator>>,
) -> Result<Arc<dyn TextSearch>> {
    let store = file.open()?;
    let catalog = read_catalog(file, &store).await?.unwrap_or_else(Catalog::new);
    if let Some(generator) = &generator {
        catalog.check_embeddings(&**generator)?;
    }
    Ok(Arc::new(catalog.documents(&store, generator).await?.text_search()))
}

/// The search over files that are read now and forgotten afterwards, by meaning where there is a `generator`.
pub(crate) async fn search_files(
    paths: &[PathBuf],
    reading: &ReadingArguments,
    generator: Option<Arc<dyn EmbeddingGenerator>>,
) -> Result<Arc<dyn TextSearch>> {
    let store = InMemoryVectorStore::new();
    let found = find_files(paths)?;
    let progress = Progress::over_files(found.files.len());
    let changes = update(&store, generator.clone(), found, reading, &progress).await?;
    drop(progress);
    warn_of(&changes.skipped);
    if changes.added == 0 {
        messages::warn("there is no text in these files: try another --from PATH");
    }
    let catalog = Catalog::read(&store).await?.unwrap_or_else(Catalog::new);
    Ok(Arc::new(catalog.documents(&store, generator).await?.text_search()))
}

async fn read_catalog(file: &StoreFile, store: &InMemoryVectorStore) -> Result<Option<Catalog>> {
    let catalog = Catalog::read(store).await;
    catalog.with_context(|| format!("the store `{}` cannot be used", file.path().display()))
}

async fn count_chunks(store: &InMemoryVectorStore) -> Result<u64> {
    let catalog = Catalog::read(store).await?.unwrap_or_else(Catalog::new);
    let documents = catalog.documents(store, None).await?;
    let counted = documents.collection().scan(&ScanOptions::default().with_top(0)).await?;
    Ok(counted.total_count().map_or(0, TotalCount::value))
}

fn warn_of(skipped: &[Skipped]) {
    for Skipped { path, reason } in skipped {
        messages::warn(&format!("`{path}` was skipped: {reason}"));
    }
}
