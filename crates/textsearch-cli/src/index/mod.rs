//! `textsearch index`: files into a store; and the documents of stores and files, to be searched.

mod any_text;
mod catalog;
mod load;
mod missing;
mod ownership;
mod summary;
mod update;

use std::{fmt::Display, path::PathBuf, process::ExitCode, time::Instant};

use anyhow::{Context as _, Result, bail};
use textsearch_documents::DocumentStore;
use textsearch_vector_inmemory::InMemoryVectorStore;

use self::{
    any_text::is_without_text,
    catalog::Catalog,
    ownership::{check_replaceable, count, documents, is_empty},
    summary::Summary,
    update::{StartFrom, Updated, update},
};
use crate::{
    arguments::{EmbeddingArguments, IndexArguments, ReadingArguments},
    embeddings::{EmbeddedBy, Embedder},
    files::{find_files, warn_of},
    json_lines::FieldNames,
    messages,
    output::Output,
    progress::Progress,
    store::{OpenStore, StoreLocation, Writing, filling},
};

/// The field of every document that holds the path of its file.
pub(crate) const PATH: &str = "path";

/// What is said of files that hold no documents.
const NO_TEXT: &str = "there is no text in these files: try another --from PATH";

/// Documents that can be searched.
pub(crate) struct Documents {
    /// The documents, with embeddings made of queries if a generator was given.
    pub(crate) documents: DocumentStore,
    /// The model that made the embeddings of the documents.
    pub(crate) embedded_by: Option<EmbeddedBy>,
    /// What `--store` calls their store, or would.
    pub(crate) location: String,
    /// Why there are none of them, and what to do about that.
    pub(crate) why_empty: Option<String>,
}

/// What is done where there are no documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutDocuments {
    /// The command stops.
    Stop,
    /// None of them are searched.
    GoOn,
}

/// Brings a store up to date with the paths that were named, and says what changed.
pub(crate) async fn run(arguments: &IndexArguments, output: &mut Output) -> Result<ExitCode> {
    let began = Instant::now();
    let location = StoreLocation::from_uri(&arguments.store)?;
    let mut found = find_files(&arguments.paths, &arguments.reading)?;
    if let Some(path) = location.file_path() {
        found.leave_out_store(path);
    }
    let mut writing = location.open_to_write(arguments.rebuild)?;
    if let Some(replaced) = writing.take_replaced() {
        check_replaceable(&replaced).await.with_context(|| cannot_be_used(&location))?;
    }
    let store = writing.store().clone();
    let start_from = if arguments.rebuild { StartFrom::Nothing } else { StartFrom::Store };
    let before = match start_from {
        StartFrom::Nothing => None,
        StartFrom::Store => read_catalog(&store).await?,
    };
    let embedder = arguments.embeddings.open(before.as_ref().and_then(Catalog::embedded_by))?;
    let progress = Progress::over_files(found.files.len());
    let updated = update(&store, start_from, embedder, found, &arguments.reading, &progress).await;
    drop(progress);
    let Updated { changes, catalog } = updated.inspect_err(|_| say_what_is_kept(&writing))?;
    writing.save(changes.is_any() || before.as_ref() != Some(&catalog))?;
    warn_of(&changes.skipped);
    let chunks = count(&documents(&store)?).await?;
    let store = location.to_string();
    let summary = Summary { store, changes: &changes, chunks, seconds: began.elapsed() };
    summary.print(arguments.output, output)?;
    Ok(ExitCode::from(u8::from(!changes.skipped.is_empty())))
}

/// Tells the user of a run that failed that its embeddings aren't lost.
fn say_what_is_kept(writing: &Writing) {
    if let Some(path) = writing.kept_embeddings() {
        messages::say(&format!(
            "the embeddings made so far are kept in `{}`: run the same command again to continue",
            path.display()
        ));
    }
}

/// The documents of the store at `location`, whose queries the model that is asked for embeds.
///
/// # Errors
///
/// Where the store cannot be used, where the model is not that of the store, and where nobody made the store; one that
/// is there and has no documents is an error unless the command is to `otherwise` go on.
pub(crate) async fn open_store(
    location: &StoreLocation,
    embeddings: &EmbeddingArguments,
    otherwise: WithoutDocuments,
) -> Result<Documents> {
    open_documents(location.open()?, embeddings, otherwise).await
}

async fn open_documents(
    store: OpenStore,
    embeddings: &EmbeddingArguments,
    otherwise: WithoutDocuments,
) -> Result<Documents> {
    let catalog = read_catalog(&store).await?;
    // A run that failed on a server may have come no further than a collection without documents, or a catalog alone.
    let has_documents = catalog.is_some() && !is_empty(&documents(&store)?).await?;
    let nothing_stored = nothing_stored(&store.location);
    if !has_documents && (otherwise == WithoutDocuments::Stop || !is_made(&store).await?) {
        bail!(nothing_stored);
    }
    let embedder = embeddings.open(catalog.as_ref().and_then(Catalog::embedded_by))?;
    match catalog {
        Some(catalog) if has_documents => {
            if let Some(embedder) = &embedder {
                catalog.check_embeddings(embedder, &store.location)?;
            }
            catalog.into_documents(&store, embedder).await
        }
        catalog => {
            let none = without_documents(catalog, store.location, embedder).await?;
            Ok(Documents { why_empty: Some(nothing_stored), ..none })
        }
    }
}

/// Whether somebody made the store that could be opened.
async fn is_made(store: &OpenStore) -> Result<bool> {
    Ok(!store.is_on_server || Catalog::content(store).await?.is_some())
}

fn nothing_stored(location: &str) -> String {
    format!("nothing is stored in `{location}`: try {}", filling(location))
}

/// No documents at all, to be searched as those would be that the store might hold. The store itself stays as it is: to
/// search it makes no collection.
async fn without_documents(
    catalog: Option<Catalog>,
    location: String,
    embedder: Option<Embedder>,
) -> Result<Documents> {
    let store = OpenStore { location, ..OpenStore::in_memory(InMemoryVectorStore::new()) };
    let mut catalog = catalog.unwrap_or_else(Catalog::new);
    if let Some(embedder) = &embedder {
        catalog = catalog.with_embeddings_by(embedder).await?;
    }
    catalog.into_documents(&store, embedder).await
}

/// The documents in files that are read now and forgotten afterwards, with embeddings by the model that is asked for.
///
/// # Errors
///
/// Where a file that was named cannot be read; and where there is no text in any, unless the command is to `otherwise`
/// go on.
pub(crate) async fn read_files(
    paths: &[PathBuf],
    reading: &ReadingArguments,
    embeddings: &EmbeddingArguments,
    otherwise: WithoutDocuments,
) -> Result<Documents> {
    let embedder = embeddings.open(None)?;
    let store = OpenStore::in_memory(InMemoryVectorStore::new());
    let found = find_files(paths, reading)?;
    // A model that does not know its dimensions is asked before the files are read.
    let asks_first =
        embedder.as_ref().is_some_and(|embedder| embedder.generator.dimensions().is_none());
    let is_check_due = otherwise == WithoutDocuments::Stop && asks_first;
    if is_check_due && is_without_text(&found.files, &FieldNames::new(reading.clone())) {
        warn_of(&found.skipped);
        bail!(NO_TEXT);
    }
    let progress = Progress::over_files(found.files.len());
    let Updated { changes, catalog } =
        update(&store, StartFrom::Store, embedder.clone(), found, reading, &progress).await?;
    drop(progress);
    warn_of(&changes.skipped);
    let why_empty = (changes.added == 0).then(|| NO_TEXT.to_owned());
    if why_empty.is_some() && otherwise == WithoutDocuments::Stop {
        bail!(NO_TEXT);
    }
    let documents = catalog.into_documents(&store, embedder).await?;
    Ok(Documents { why_empty, ..documents })
}

async fn read_catalog(store: &OpenStore) -> Result<Option<Catalog>> {
    Catalog::read(store).await.with_context(|| cannot_be_used(&store.location))
}

fn cannot_be_used(location: impl Display) -> String {
    format!("the store `{location}` cannot be used")
}
