//! `textsearch read`: prints a whole document, or lists the documents.

use std::sync::Arc;

use anyhow::{Result, bail};
use serde::Serialize;
use textsearch_core::{
    SearchOptions, TextSearch,
    document::{DocumentInfo, DocumentReader, ReadOptions},
    results::TotalCount,
};
use textsearch_documents::DocumentStore;

use crate::{
    arguments::{DEFAULT_STORE, EmbeddingArguments, OutputFormat, ReadArguments},
    corpus::{self, WithoutDocuments, selector, store::StoreLocation},
    messages,
    output::{Output, in_one_line, written_out},
};

/// The JSON output of a list.
#[derive(Debug, Serialize)]
struct Listing {
    documents: Vec<DocumentInfo>,
    total_count: Option<TotalCount>,
}

pub(crate) async fn run(arguments: &ReadArguments, output: &mut Output) -> Result<()> {
    let documents = open(arguments).await?;
    if let Some(filter) = &arguments.filter {
        let search: Arc<dyn TextSearch> = Arc::new(documents.text_search());
        selector::check_filter("--filter", filter, &search)?;
    }
    match &arguments.id {
        Some(id) => print(&documents, id, arguments, output).await,
        None => list(&documents, arguments, output).await,
    }
}

async fn open(arguments: &ReadArguments) -> Result<DocumentStore> {
    let ReadArguments { from, store, reading, .. } = arguments;
    // No query is embedded.
    let embeddings = EmbeddingArguments::default();
    let opened = if from.is_empty() {
        let location = StoreLocation::from_uri(store.as_deref().unwrap_or(DEFAULT_STORE))?;
        corpus::open_store(&location, &embeddings, WithoutDocuments::Stop).await
    } else {
        corpus::read_files(from, reading, &embeddings, WithoutDocuments::Stop).await
    };
    Ok(opened?.documents)
}

/// As text, prints all pages from the offset on; for programs, one.
async fn print(
    documents: &DocumentStore,
    id: &str,
    arguments: &ReadArguments,
    output: &mut Output,
) -> Result<()> {
    let mut options = ReadOptions::default().with_offset(arguments.offset);
    if let Some(filter) = &arguments.filter {
        options = options.with_filter(filter.clone());
    }
    loop {
        let Some(page) = documents.read(id, &options).await? else {
            let id = written_out(id);
            bail!("there is no document `{id}` at this offset: try `textsearch read --list`");
        };
        if arguments.output == OutputFormat::Json {
            return output.json(&page);
        }
        match page.next_offset {
            Some(next) => {
                output.text(&page.text)?;
                options = options.with_offset(next);
            }
            None => return output.line(&page.text),
        }
    }
}

async fn list(
    documents: &DocumentStore,
    arguments: &ReadArguments,
    output: &mut Output,
) -> Result<()> {
    let top = arguments.top.unwrap_or(usize::MAX);
    let mut options = SearchOptions::top(top).with_skip(arguments.skip);
    if let Some(filter) = &arguments.filter {
        options = options.with_filter(filter.clone());
    }
    let mut documents = DocumentReader::list(documents, &options).await?;
    let total_count = documents.total_count();
    if arguments.output == OutputFormat::Json {
        let documents = documents.into_vec().await?;
        return output.json(&Listing { documents, total_count });
    }
    let mut count = 0;
    while let Some(document) = documents.next().await {
        let document = document?;
        let name = document.name.map(|name| format!("\t{}", in_one_line(&name)));
        output.line(&format!("{}{}", written_out(&document.id), name.unwrap_or_default()))?;
        count += 1;
    }
    if count == 0 {
        messages::say("there are no such documents: try a wider --filter, or a smaller --skip");
    }
    Ok(())
}
