//! A source as a tenant sees it.

use std::sync::Arc;

use textsearch_core::{TextSearch, chat::ChatHistory};
use textsearch_kernel::{
    KernelPlugin, TextSearchPlugins as _,
    search::{OfferedFields, SearchPluginOptions},
    transform::{QueryTransform, Transformed},
};

use super::{Identity, SELECTED, view::View};
use crate::{
    Result, SearchSource, ServerConfig, ServerError,
    config::DEFAULT_TOP,
    problem::{Answer, Problem},
};

const RECORDS: &str = "GetRecords";

/// The mode of searches by vector alone.
const VECTOR: &str = "vector";

pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) modes: Vec<(String, Arc<dyn TextSearch>)>,
    pub(crate) is_open_world: Option<bool>,
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
        let SearchSource { name, modes, offered_fields, is_open_world } = source;
        if name.eq_ignore_ascii_case(SELECTED) {
            let message = "holds the name `SearchPlugin`, which stands for the selected source";
            return Err(ServerError::setting("sources", message));
        }
        let view = |(mode, search): &(String, Arc<dyn TextSearch>)| {
            let view = View::restrict(search, identity);
            let view = view.map_err(|error| ServerError::UnsupportedFilter {
                token: identity.name.clone(),
                source_name: name.clone(),
                source: error,
            })?;
            Ok((mode.clone(), view))
        };
        let modes = modes.iter().map(view).collect::<Result<Vec<_>>>()?;
        let Some((_, search)) = modes.first() else {
            return Err(ServerError::setting("modes", format!("of `{name}` are empty")));
        };
        let mut options =
            SearchPluginOptions::new(name).with_offered_fields(offered_fields.clone());
        options.default_count = DEFAULT_TOP.min(config.max_top);
        options.max_count = config.max_top;
        options.is_open_world = *is_open_world;
        let named = plugin(search, &options)?;
        SELECTED.clone_into(&mut options.plugin_name);
        let selected = plugin(search, &options)?;
        options.offered_fields = OfferedFields::None;
        let without_fields = plugin(search, &options)?;
        Ok(Self {
            name: name.clone(),
            modes,
            is_open_world: *is_open_world,
            named,
            selected,
            without_fields,
            without_fields_options: options,
        })
    }

    /// Returns the search of `mode`, or of the default mode.
    pub(crate) fn search(&self, mode: Option<&str>) -> Answer<&Arc<dyn TextSearch>> {
        let entry = match mode {
            Some(mode) => self.modes.iter().find(|(known, _)| known == mode),
            None => self.modes.first(),
        };
        let entry = entry.map(|(_, search)| search);
        entry.ok_or_else(|| {
            Problem::invalid("mode", "the source has no such mode")
                .with_allowed(self.modes.iter().map(|(mode, _)| mode.as_str()))
        })
    }

    /// Returns the functions of the default mode, as `SearchPlugin` and without parameters for fields,
    /// which search for the queries of `transform`.
    pub(crate) fn transformed(
        &self,
        transform: impl QueryTransform + 'static,
        history: ChatHistory,
    ) -> Answer<KernelPlugin> {
        let search = Arc::clone(self.search(None)?);
        let mut transformed = Transformed::new(search, transform).with_history(history);
        if let Ok(vector) = self.search(Some(VECTOR)) {
            transformed = transformed.with_vector_search(Arc::clone(vector));
        }
        Ok(transformed.create_with_get_search_results(self.without_fields_options.clone())?)
    }

    /// Returns the name of the function that models call.
    pub(crate) fn function(&self) -> String {
        format!("{}-GetSearchResults", self.name)
    }
}

/// Returns a plugin with a function for each kind of results, for templates, models and MCP clients.
fn plugin(search: &Arc<dyn TextSearch>, options: &SearchPluginOptions) -> Result<KernelPlugin> {
    let plugins = [
        search.create_with_search(options.clone())?,
        search.create_with_get_search_results(options.clone())?,
        search.create_with_get_text_search_results(options.clone())?,
        search.create_with_records(options.clone(), RECORDS)?,
    ];
    let functions = plugins.iter().flat_map(KernelPlugin::functions).cloned();
    Ok(KernelPlugin::new(plugins[0].name(), plugins[0].description(), functions)?)
}
