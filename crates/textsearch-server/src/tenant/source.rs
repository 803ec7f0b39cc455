//! A source as a tenant sees it.

use std::sync::Arc;

use textsearch_core::TextSearch;
use textsearch_kernel::{
    KernelPlugin,
    search::{OfferedFields, SearchFunctionOptions},
};

use super::{Identity, SELECTED, plugins, view::View};
use crate::{
    Result, SearchSource, ServerConfig, ServerError,
    config::DEFAULT_TOP,
    problem::{Answer, Problem},
};

pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) modes: Vec<(String, Arc<dyn TextSearch>)>,
    pub(crate) is_open_world: Option<bool>,
    /// The functions under the source's name.
    pub(super) named: KernelPlugin,
    /// The functions as `SearchPlugin`.
    pub(super) selected: KernelPlugin,
    pub(super) without_fields: KernelPlugin,
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
            let view = View::of(search, identity);
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
        let mut options = SearchFunctionOptions::new()
            .with_default_count(DEFAULT_TOP.min(config.max_top))
            .with_max_count(config.max_top)
            .with_offered_fields(offered_fields.clone());
        options.is_open_world = *is_open_world;
        let named = plugins::plugin(name, search, &options)?;
        let selected = plugins::plugin(SELECTED, search, &options)?;
        options.offered_fields = OfferedFields::None;
        let without_fields = plugins::plugin(SELECTED, search, &options)?;
        let (name, is_open_world) = (name.clone(), *is_open_world);
        Ok(Self { name, modes, is_open_world, named, selected, without_fields })
    }

    /// Returns the search of `mode`, or of the default mode.
    pub(crate) fn search(&self, mode: Option<&str>) -> Answer<&Arc<dyn TextSearch>> {
        let found = match mode {
            Some(mode) => self.modes.iter().find(|(known, _)| known == mode),
            None => self.modes.first(),
        };
        let found = found.map(|(_, search)| search);
        found.ok_or_else(|| {
            Problem::invalid("mode", "the source has no such mode")
                .with_allowed(self.modes.iter().map(|(mode, _)| mode.as_str()))
        })
    }

    /// Returns the name of the function that models call.
    pub(crate) fn function(&self) -> String {
        format!("{}-GetSearchResults", self.name)
    }
}
