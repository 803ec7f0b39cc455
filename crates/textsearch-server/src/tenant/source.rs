//! A source as a tenant sees it.

use std::sync::Arc;

use textsearch_compose::PerDocument;
use textsearch_core::{
    Filter, TextSearch,
    chat::ChatHistory,
    document::{DocumentReader, FilteredReader},
};
use textsearch_documents::{Around, DocumentStore, Surroundings};
use textsearch_kernel::{
    KernelPlugin, TextSearchPlugins as _,
    search::{OfferedFields, SearchPluginOptions},
    transform::{QueryTransform, Transformed},
};
use textsearch_mcp::McpDocuments;

use super::{Identity, SELECTED, view::View};
use crate::{
    Result, SearchSource, ServerConfig, ServerError,
    config::DEFAULT_TOP,
    problem::{Answer, Kind, Problem},
};

const RECORDS: &str = "GetRecords";

/// The mode of searches by vector alone.
const VECTOR: &str = "vector";

pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) modes: Vec<(String, Arc<dyn TextSearch>)>,
    pub(crate) is_open_world: Option<bool>,
    documents: Option<Arc<dyn DocumentReader>>,
    /// The store that shows the text around results.
    store: Option<DocumentStore>,
    /// The searches as nobody sees them.
    unrestricted: Vec<Arc<dyn TextSearch>>,
    identity: Identity,
    /// The functions under the source's name.
    pub(super) named: KernelPlugin,
    /// The functions as `SearchPlugin`.
    pub(super) selected: KernelPlugin,
    pub(super) without_fields: KernelPlugin,
    without_fields_options: SearchPluginOptions,
}

impl Source {
    pub(super) fn new(
        source: &SearchSource,
        identity: &Identity,
        config: &ServerConfig,
    ) -> Result<Self> {
        let SearchSource { name, modes, offered_fields, is_open_world, .. } = source;
        if name.eq_ignore_ascii_case(SELECTED) {
            let message = "holds the name `SearchPlugin`, which stands for the selected source";
            return Err(ServerError::setting("sources", message));
        }
        let unsupported = |error| ServerError::UnsupportedFilter {
            token: identity.name.clone(),
            source_name: name.clone(),
            source: error,
        };
        let common = config.fixed_filter.as_ref();
        let view = |(mode, search): &(String, Arc<dyn TextSearch>)| {
            let view = View::restrict(search, identity, common).map_err(unsupported)?;
            Ok((mode.clone(), view))
        };
        let unrestricted = modes.iter().map(|(_, search)| Arc::clone(search)).collect();
        let modes = modes.iter().map(view).collect::<Result<Vec<_>>>()?;
        let documents = source.document_store.as_ref();
        let documents = documents.and_then(|store| readable(store, identity));
        let Some((_, search)) = modes.first() else {
            return Err(ServerError::setting("modes", format!("of `{name}` are empty")));
        };
        let mut options =
            SearchPluginOptions::new(name).with_offered_fields(offered_fields.clone());
        options.default_count = DEFAULT_TOP.min(config.max_top);
        options.max_count = config.max_top;
        options.is_open_world = *is_open_world;
        if let Some(documents) = &documents {
            options = options.with_documents(Arc::clone(documents));
        }
        let named = plugin(search, &options)?;
        SELECTED.clone_into(&mut options.plugin_name);
        let selected = plugin(search, &options)?;
        options.offered_fields = OfferedFields::None;
        let without_fields = plugin(search, &options)?;
        Ok(Self {
            name: name.clone(),
            modes,
            is_open_world: *is_open_world,
            documents,
            store: source.document_store.clone(),
            unrestricted,
            identity: identity.clone(),
            named,
            selected,
            without_fields,
            without_fields_options: options,
        })
    }

    /// Returns the search of `mode`, or of the default mode, wrapped by `wrap`, with the text `around` its
    /// results.
    pub(crate) fn search(
        &self,
        mode: Option<&str>,
        around: Around,
        wrap: impl Fn(Arc<dyn TextSearch>) -> Arc<dyn TextSearch>,
    ) -> Answer<Arc<dyn TextSearch>> {
        let place = match mode {
            Some(mode) => self.modes.iter().position(|(known, _)| known == mode),
            None => Some(0),
        };
        let searches = place.and_then(|place| Some((place, self.modes.get(place)?)));
        let Some((place, (_, search))) = searches else {
            return Err(Problem::invalid("mode", "the source has no such mode")
                .with_allowed(self.modes.iter().map(|(mode, _)| mode.as_str())));
        };
        if around == Around::None {
            return Ok(wrap(Arc::clone(search)));
        }
        let (Some(store), Some(unrestricted)) = (&self.store, self.unrestricted.get(place)) else {
            let detail = "the source has no documents to show around its results";
            return Err(Problem::invalid("around", detail).with_allowed(["none"]));
        };
        // Inside the view, so that the tenant's filter holds for what is added.
        let search = Surroundings::new(wrap(Arc::clone(unrestricted)), store.clone(), around);
        let search: Arc<dyn TextSearch> = Arc::new(search);
        Ok(View::restrict(&search, &self.identity, None)?)
    }

    /// Returns whether searches can show the text around their results.
    pub(crate) fn has_surroundings(&self) -> bool {
        self.store.is_some()
    }

    /// Checks a caller's filter. Fields that the tenant doesn't see don't exist.
    pub(crate) fn check_filter(&self, filter: &Filter) -> Answer<()> {
        let search = self.modes.first().map(|(_, search)| search);
        Ok(search.map_or(Ok(()), |search| filter.check(search.name(), search.fields()))?)
    }

    /// Returns the documents behind the results.
    pub(crate) fn documents(&self) -> Answer<&Arc<dyn DocumentReader>> {
        let missing = || Problem::new(Kind::NotFound, "the source has no documents to read");
        self.documents.as_ref().ok_or_else(missing)
    }

    /// Returns the documents that MCP clients search and fetch.
    pub(super) fn mcp_documents(&self) -> Option<McpDocuments> {
        let (_, search) = self.modes.first()?;
        let documents = self.documents.clone()?;
        Some(McpDocuments::new(PerDocument::new(Arc::clone(search)), documents))
    }

    /// Returns whether a mode searches by vector alone.
    pub(crate) fn has_vector_search(&self) -> bool {
        self.modes.iter().any(|(mode, _)| mode == VECTOR)
    }

    /// Returns the functions of the default mode, as `SearchPlugin` and without parameters for fields,
    /// which search for the queries of `transform`, at most `max`.
    pub(crate) fn transformed(
        &self,
        (transform, max): (impl QueryTransform + 'static, usize),
        history: ChatHistory,
        around: Around,
    ) -> Answer<KernelPlugin> {
        let search = self.search(None, around, |search| search)?;
        let transformed = Transformed::new(search, transform).with_history(history);
        let mut transformed = transformed.with_max_queries(max);
        if self.is_open_world == Some(true) {
            // Each result may cost a page.
            transformed = transformed.with_min_depth(0);
        }
        if self.has_vector_search() {
            transformed =
                transformed.with_vector_search(self.search(Some(VECTOR), around, |search| search)?);
        }
        Ok(transformed.create_with_get_search_results(self.without_fields_options.clone())?)
    }

    /// Like [`transformed`](Self::transformed), for the question as it is.
    pub(crate) fn surrounded(&self, around: Around) -> Answer<KernelPlugin> {
        let search = self.search(None, around, |search| search)?;
        Ok(search.create_with_get_search_results(self.without_fields_options.clone())?)
    }

    /// Returns the names of the functions that models call in an answer.
    pub(crate) fn tools(&self) -> impl Iterator<Item = String> {
        let readers = self.documents.iter().flat_map(|_| ["GetDocument", "ListDocuments"]);
        let readers = readers.map(|name| format!("{}-{name}", self.name));
        [self.function()].into_iter().chain(readers)
    }

    /// Returns the name of the function that models call.
    pub(crate) fn function(&self) -> String {
        format!("{}-GetSearchResults", self.name)
    }
}

/// Returns the documents as the tenant sees them. A tenant whose filter they can't apply reads none.
fn readable(store: &DocumentStore, identity: &Identity) -> Option<Arc<dyn DocumentReader>> {
    match identity.filter.clone() {
        Some(filter) => Some(Arc::new(FilteredReader::new(store.clone(), filter).ok()?)),
        None => Some(Arc::new(store.clone())),
    }
}

/// Returns a plugin with a function for each kind of results, for templates, models and MCP clients.
fn plugin(search: &Arc<dyn TextSearch>, options: &SearchPluginOptions) -> Result<KernelPlugin> {
    let with_documents = search.create_with_search(options.clone())?;
    let mut options = options.clone();
    options.documents = None;
    let plugins = [
        with_documents,
        search.create_with_get_search_results(options.clone())?,
        search.create_with_get_text_search_results(options.clone())?,
        search.create_with_records(options, RECORDS)?,
    ];
    let functions = plugins.iter().flat_map(KernelPlugin::functions).cloned();
    Ok(KernelPlugin::new(plugins[0].name(), plugins[0].description(), functions)?)
}
