//! The services behind a server.

use std::{fmt, sync::Arc};

use textsearch_core::{TextSearch, chat::ChatCompletion};
use textsearch_documents::DocumentStore;
use textsearch_kernel::search::OfferedFields;

use crate::DocumentWriter;

/// The services behind a server: searches, and optionally a model and a store to write to.
///
/// ```
/// use textsearch_core::{FixedSearch, TextSearchResult};
/// use textsearch_server::{SearchSource, Services};
///
/// let search = FixedSearch::new([TextSearchResult::new("A connector is a crate for one backend.")]);
/// let services = Services::new().with_source(SearchSource::new("docs", search));
/// assert_eq!(services.sources.len(), 1);
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Services {
    /// The searches. Requests that name no source use the first.
    pub sources: Vec<SearchSource>,
    /// The model that answers questions; none by default.
    pub chat_completion: Option<Arc<dyn ChatCompletion>>,
    /// The store of the retrieval-plugin interface; none by default.
    pub document_writer: Option<DocumentWriter>,
}

/// A search under a name.
#[derive(Clone)]
#[non_exhaustive]
pub struct SearchSource {
    /// The name in requests, and of the plugin in templates: letters, digits and `_`.
    pub name: String,
    /// The searches over the same data by the name of their mode. Example values of their fields are shown to
    /// callers whose token has no filter of its own: read them under
    /// [`ServerConfig::fixed_filter`](crate::ServerConfig::fixed_filter). The first is the default, called
    /// `default` unless [`with_mode_name`](Self::with_mode_name) renames it.
    pub modes: Vec<(String, Arc<dyn TextSearch>)>,
    /// The fields that templates, models and MCP clients may filter on; by default those that the
    /// connector offers. Other requests may filter on every field.
    pub offered_fields: OfferedFields,
    /// Whether the search reaches an open world, such as the web; unknown by default. MCP clients
    /// see it as a hint.
    pub is_open_world: Option<bool>,
    /// The store of the documents behind the results; none by default.
    pub document_store: Option<DocumentStore>,
}

impl Services {
    /// Creates services without any search.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a search.
    #[must_use]
    pub fn with_source(mut self, source: SearchSource) -> Self {
        self.sources.push(source);
        self
    }

    /// Sets the model that answers questions.
    #[must_use]
    pub fn with_chat_completion(mut self, model: impl ChatCompletion + 'static) -> Self {
        self.chat_completion = Some(Arc::new(model));
        self
    }

    /// Sets the store of the retrieval-plugin interface, for holders of tokens.
    #[must_use]
    pub fn with_document_writer(mut self, writer: DocumentWriter) -> Self {
        self.document_writer = Some(writer);
        self
    }
}

impl SearchSource {
    /// Names a search.
    pub fn new(name: impl Into<String>, search: impl TextSearch + 'static) -> Self {
        Self {
            name: name.into(),
            modes: vec![("default".to_owned(), Arc::new(search))],
            offered_fields: OfferedFields::Default,
            is_open_world: None,
            document_store: None,
        }
    }

    /// Renames the default mode.
    #[must_use]
    pub fn with_mode_name(mut self, name: impl Into<String>) -> Self {
        if let Some((first, _)) = self.modes.first_mut() {
            *first = name.into();
        }
        self
    }

    /// Adds a search over the same data in another mode, such as `hybrid`.
    #[must_use]
    pub fn with_mode(mut self, mode: impl Into<String>, search: impl TextSearch + 'static) -> Self {
        self.modes.push((mode.into(), Arc::new(search)));
        self
    }

    /// Sets the store whose chunks all modes find. Requests can then read its documents, and the text
    /// around results.
    #[must_use]
    pub fn with_document_store(mut self, store: DocumentStore) -> Self {
        self.document_store = Some(store);
        self
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.chat_completion.as_ref().map(|model| model.model_id());
        formatter
            .debug_struct("Services")
            .field("sources", &self.sources)
            .field("chat_completion", &model)
            .field("document_writer", &self.document_writer)
            .finish()
    }
}

impl fmt::Debug for SearchSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modes: Vec<&str> = self.modes.iter().map(|(mode, _)| mode.as_str()).collect();
        formatter
            .debug_struct("SearchSource")
            .field("name", &self.name)
            .field("modes", &modes)
            .finish_non_exhaustive()
    }
}
