//! Opens the services of the server.

use std::sync::Arc;

use anyhow::Result;
use textsearch_core::TextSearch;
use textsearch_kernel::search::OfferedFields;
use textsearch_server::{DocumentWriter, SearchSource, ServerConfig, Services, retrieval_metadata};

use crate::{
    arguments::{DEFAULT_STORE, SearchSelector, ServeArguments},
    commands::ask,
    corpus::{
        self, Documents,
        plugin::check_allowed,
        selector,
        store::{StoreLocation, StoreWriter},
    },
};

const DOCUMENTS: &str = "docs";

/// Returns also what keeps other writers out, if requests may write.
pub(super) async fn services(
    arguments: &ServeArguments,
    config: &ServerConfig,
) -> Result<(Services, Option<StoreWriter>)> {
    let mut services = Services::new();
    let mut writer = None;
    let (modes, store) = if arguments.writable {
        let (documents, store_writer) = open_writable(&arguments.selector, config).await?;
        writer = Some(store_writer);
        services = services.with_document_writer(DocumentWriter::new(documents.documents.clone()));
        // Requests change the documents, so example values would soon be wrong.
        let modes = selector::modes_of(&documents, &arguments.selector, &[]).await?;
        (modes, Some(documents.documents))
    } else {
        selector::open_modes(&arguments.selector, &arguments.allow_filter).await?
    };
    for (_, search) in &modes {
        selector::check_filters(&arguments.selector, search)?;
        check_allowed(search, &arguments.allow_filter)?;
    }
    if let Some(mut source) = source(arguments, modes) {
        if let Some(store) = store {
            source = source.with_document_store(store);
        }
        services = services.with_source(source);
    }
    // Without a model, there are no answers; with a wrong one, the server doesn't start.
    if ask::named_by()?.is_some() {
        services = services.with_chat_completion(ask::from_environment()?);
    }
    Ok((services, writer))
}

fn source(
    arguments: &ServeArguments,
    modes: Vec<(&'static str, Arc<dyn TextSearch>)>,
) -> Option<SearchSource> {
    let name = match &arguments.selector.source {
        // A plugin's name has no hyphen.
        Some(connector) => connector.replace('-', "_"),
        None => DOCUMENTS.to_owned(),
    };
    let mut modes = modes.into_iter();
    let (mode, search) = modes.next()?;
    let mut source = SearchSource::new(name, search).with_mode_name(mode);
    source.is_open_world = Some(arguments.selector.source.is_some());
    source.offered_fields = OfferedFields::list(&arguments.allow_filter);
    Some(modes.fold(source, |source, (mode, search)| source.with_mode(mode, search)))
}

async fn open_writable(
    selector: &SearchSelector,
    config: &ServerConfig,
) -> Result<(Documents, StoreWriter)> {
    let location = StoreLocation::from_uri(selector.store.as_deref().unwrap_or(DEFAULT_STORE))?;
    let fields = retrieval_metadata(config);
    corpus::open_store_for_writing(&location, &selector.ranking.embeddings, fields).await
}
