//! The documents to search, from a store or from files read for one run.

mod advice;
pub(crate) mod embeddings;
pub(crate) mod plugin;
pub(crate) mod reranker;
pub(crate) mod selector;
mod skipped;
pub(crate) mod store;
pub(crate) mod template;
mod watched;

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use textsearch_core::{ErrorKind, vector::DataField};
use textsearch_documents::{
    Chunker, DocumentStore,
    ingest::{Catalog, DocumentIndex, Embedder, IngestError, IngestReport},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

pub(crate) use self::skipped::loader;
use self::watched::WatchedFiles;
pub(crate) use self::{
    advice::explain,
    skipped::{reason_of, warn_of, warn_of_report},
};
use crate::{
    arguments::{EmbeddingArguments, ReadingArguments},
    changes::{Changes, Rounds},
    corpus::store::{
        ANY_PLACE, DOCUMENTS, OpenStore, StoreLocation, StoreWriter, filling, rebuilding,
    },
    progress::Progress,
    read_file,
};

const NO_TEXT: &str = "there is no text in these files: try another --from PATH";

pub(crate) struct Documents {
    /// Embeds queries if a model was given.
    pub(crate) documents: DocumentStore,
    /// The model that embedded the documents.
    pub(crate) model: Option<String>,
    /// Their store in advice: its `--store` argument, or a placeholder for files.
    pub(crate) location: String,
    /// The reason for having no documents, with advice.
    pub(crate) why_empty: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutDocuments {
    Stop,
    GoOn,
}

/// Opens the store at `location`. An empty store is an error if the command needs documents.
pub(crate) async fn open_store(
    location: &StoreLocation,
    embeddings: &EmbeddingArguments,
    otherwise: WithoutDocuments,
) -> Result<Documents> {
    open_documents(location.open().await?, embeddings, otherwise).await
}

/// Opens the documents of `store`, as [`open_store`] does.
pub(crate) async fn open_documents(
    store: OpenStore,
    embeddings: &EmbeddingArguments,
    otherwise: WithoutDocuments,
) -> Result<Documents> {
    let OpenStore { index, location, on_server } = store;
    let catalog = read_catalog(&index, &location).await?;
    // A failed run on a server may leave a collection without documents, or only a catalog.
    if let Some(catalog) = &catalog
        && index.chunk_count().await? > 0
    {
        let embedder = embeddings.open(catalog.embedded_by.as_ref())?;
        let documents = index.open_with(catalog, embedder).await;
        let documents = documents.map_err(|error| explain(error, &location))?;
        return Ok(Documents { documents, model: model_of(catalog), location, why_empty: None });
    }
    let nothing_stored = format!("nothing is stored in `{location}`: try {}", filling(&location));
    if otherwise == WithoutDocuments::Stop || (on_server && !index.exists().await?) {
        bail!(nothing_stored);
    }
    let catalog = catalog.unwrap_or_default();
    let embedder = embeddings.open(catalog.embedded_by.as_ref())?;
    let (documents, model) = without_documents(catalog, embedder).await?;
    Ok(Documents { documents, model, location, why_empty: Some(nothing_stored) })
}

/// Opens the store for writing, or creates it.
pub(crate) async fn open_to_write(location: &StoreLocation) -> Result<StoreWriter> {
    let opened = location.open_to_write().await;
    opened.map_err(|error| match error.downcast::<IngestError>() {
        Ok(error) => {
            let location = location.to_string();
            explain(error, &location).context(cannot_be_used(&location))
        }
        Err(error) => error,
    })
}

/// Opens the store for writing document by document, and creates it if it doesn't exist. Documents
/// may have these metadata `fields`, too. The returned writer keeps other writers out of a folder.
pub(crate) async fn open_store_for_writing(
    location: &StoreLocation,
    embeddings: &EmbeddingArguments,
    fields: Vec<DataField>,
) -> Result<(Documents, StoreWriter)> {
    let writer = open_to_write(location).await?;
    let OpenStore { index, location, .. } = writer.store().clone();
    let catalog = read_catalog(&index, &location).await?;
    let embedder =
        embeddings.open(catalog.as_ref().and_then(|catalog| catalog.embedded_by.as_ref()))?;
    let documents = index.open_for_writing(fields, embedder).await;
    let documents = documents.map_err(|error| explain(error, &location))?;
    let model = read_catalog(&index, &location).await?.as_ref().and_then(model_of);
    Ok((Documents { documents, model, location, why_empty: None }, writer))
}

/// Returns an empty collection in memory with the schema of `catalog`, and the model: a search must
/// create no collection in the store.
async fn without_documents(
    mut catalog: Catalog,
    embedder: Option<Embedder>,
) -> Result<(DocumentStore, Option<String>)> {
    if let Some(embedder) = &embedder {
        catalog = catalog.with_embedder(embedder).await?;
    }
    let store = InMemoryVectorStore::new();
    let schema = catalog.schema();
    let documents = DocumentStore::open(&store, DOCUMENTS, &schema, Chunker::default()).await?;
    let documents = match embedder {
        Some(embedder) => documents.with_embedding_generator(embedder.generator),
        None => documents,
    };
    Ok((documents, model_of(&catalog)))
}

fn model_of(catalog: &Catalog) -> Option<String> {
    catalog.embedded_by.as_ref().map(|embedded_by| embedded_by.model.clone())
}

/// Reads files for this run only, and again after changes if the command watches them. Files without text are an
/// error if the command needs documents.
pub(crate) async fn read_files(
    paths: &[PathBuf],
    reading: &ReadingArguments,
    embeddings: &EmbeddingArguments,
    otherwise: WithoutDocuments,
) -> Result<Documents> {
    let embedder = embeddings.open(None)?;
    // Before the first walk, so that no change is missed.
    let changes = reading.watch.then(|| Changes::below(paths, None)).transpose()?;
    let files = reading.walk(paths)?;
    let model = embedder.as_ref().map(|embedder| embedder.generator.model_id().to_owned());
    let limits = read_file::limits()?;
    let ingestion = reading.ingestion(files.clone(), embedder.clone(), limits.clone())?;
    let progress = Progress::over_files(ingestion.files());
    let index = DocumentIndex::new(InMemoryVectorStore::new(), DOCUMENTS);
    let read = index.update(ingestion.with_progress(progress.callback())).await;
    drop(progress);
    let report = read.map_err(|error| explain(error, ANY_PLACE))?;
    let documents = index.open(embedder.clone()).await;
    let documents = documents.map_err(|error| explain(error, ANY_PLACE))?;
    let why_empty = why_empty(&report, reading, otherwise)?;
    if let Some(changes) = changes {
        let rounds = Rounds::new(changes, files, report);
        let paths = paths.to_vec();
        let reading = reading.clone();
        let watched = WatchedFiles { rounds, index, paths, reading, embedder, limits };
        tokio::spawn(watched.keep_up());
    }
    Ok(Documents { documents, model, location: ANY_PLACE.to_owned(), why_empty })
}

/// Prints the warnings of `report`, and returns why a search finds nothing.
fn why_empty(
    report: &IngestReport,
    reading: &ReadingArguments,
    otherwise: WithoutDocuments,
) -> Result<Option<String>> {
    if report.added > 0 {
        warn_of_report(report, reading);
        return Ok(None);
    }
    warn_of(&report.skipped);
    if otherwise == WithoutDocuments::Stop || report.failed().next().is_some() {
        bail!(NO_TEXT);
    }
    Ok(Some(NO_TEXT.to_owned()))
}

pub(crate) async fn read_catalog(index: &DocumentIndex, location: &str) -> Result<Option<Catalog>> {
    let catalog = index.catalog().await.map_err(|error| match error {
        IngestError::Backend(error) if *error.kind() == ErrorKind::Undecodable => {
            anyhow!("{}: try {}, or another --store", error.message(), rebuilding(location, ""))
        }
        error => explain(error, location),
    });
    catalog.with_context(|| cannot_be_used(location))
}

pub(crate) fn cannot_be_used(location: &str) -> String {
    format!("the store `{location}` cannot be used")
}

#[cfg(test)]
mod tests {

    use textsearch_documents::ingest::{Ingestion, SourceFiles};

    use super::*;

    #[tokio::test]
    async fn a_server_without_catalog_has_no_store() {
        let index = DocumentIndex::new(InMemoryVectorStore::new(), "docs");
        let location = ANY_PLACE.to_owned();
        let server = OpenStore { index: index.clone(), location, on_server: true };
        let embeddings = EmbeddingArguments::default();
        let open = |otherwise| open_documents(server.clone(), &embeddings, otherwise);
        let advice = "nothing is stored in `FILE`: try `textsearch index PATH --store FILE`";
        let error = open(WithoutDocuments::GoOn).await.err().unwrap();
        assert_eq!(error.to_string(), advice);
        index.update(Ingestion::new(SourceFiles::default())).await.unwrap();
        let opened = open(WithoutDocuments::GoOn).await.unwrap();
        assert_eq!(opened.why_empty.as_deref(), Some(advice));
        let error = open(WithoutDocuments::Stop).await.err().unwrap();
        assert_eq!(error.to_string(), advice);
    }
}
