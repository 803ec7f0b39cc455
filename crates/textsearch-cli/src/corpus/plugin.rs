//! The search plugin that templates and models call.

use std::{collections::HashSet, sync::Arc};

use anyhow::Result;
use textsearch_core::{
    Filter, FilterableField, TextSearch, document::DocumentReader, filter::Comparison,
};
use textsearch_kernel::{
    KernelError, KernelPlugin, TextSearchPlugins as _,
    search::{OfferedFields, SearchPluginOptions, parameter_names},
};

use crate::{
    arguments::{Kind, ResultArguments, SearchSelector},
    corpus::selector::{self, Narrowed, Selected},
    errors::usage,
};

const PLUGIN: &str = "SearchPlugin";
const RECORDS: &str = "GetRecords";

/// The kernel's own maximum; only a larger `--top` exceeds it.
const MAX_RESULTS: usize = 50;

pub(crate) struct SearchFunctions {
    search: Arc<dyn TextSearch>,
    options: SearchPluginOptions,
}

impl SearchFunctions {
    /// Creates the functions of `search`. Omits a field whose parameter would be named like one of
    /// `variables`: a template passes its variables to every function, so they would filter.
    pub(crate) fn new(
        selected: impl Into<Selected>,
        selector: &SearchSelector,
        results: &ResultArguments,
        variables: &[&str],
    ) -> Result<Self> {
        let selected = selected.into();
        let search = &selected.search;
        check(selector, search)?;
        let fields = search.fields().iter();
        let fields = fields.filter(|field| field.offered_to_model);
        let is_free = |name| !selector.fixed_filter.as_ref().is_some_and(|all| holds(all, name));
        let fields: Vec<_> = fields.filter(|field| is_free(&field.name)).collect();
        let offered = offered_fields(&fields, variables);
        let options = options(selector, offered, [&selector.fixed_filter]);
        let narrowed =
            Narrowed::new(results.applied_to(&selected), selector.filter.clone(), results.skip);
        Ok(Self { search: Arc::new(narrowed), options })
    }

    /// Creates the functions of `search` for an untrusted model, which may filter only on `allowed`
    /// fields. Both filters of `selector` apply to every call.
    pub(crate) fn for_model(
        selected: impl Into<Selected>,
        selector: &SearchSelector,
        results: &ResultArguments,
        allowed: &[String],
    ) -> Result<Self> {
        let selected = selected.into();
        check(selector, &selected.search)?;
        check_allowed(&selected.search, allowed)?;
        let fixed = [&selector.filter, &selector.fixed_filter];
        let options = options(selector, allowed.to_vec(), fixed);
        let narrowed = Narrowed::new(results.applied_to(&selected), None, results.skip);
        Ok(Self { search: Arc::new(narrowed), options })
    }

    /// Adds the functions that read `documents`.
    pub(crate) fn with_documents(mut self, documents: Option<Arc<dyn DocumentReader>>) -> Self {
        if let Some(documents) = documents {
            self.options = self.options.with_documents(documents);
        }
        self
    }

    /// Returns the plugin with a function for each kind of results.
    pub(crate) fn plugin(&self) -> Result<KernelPlugin> {
        let options = self.options.clone();
        let later_name = self.search.create_with_get_text_search_results(options);
        let plugins = [
            self.plugin_for(Kind::Text)?,
            self.plugin_for(Kind::Results)?,
            later_name.map_err(refused)?,
            self.plugin_for(Kind::Records)?,
        ];
        let functions = plugins.iter().flat_map(KernelPlugin::functions).cloned();
        Ok(KernelPlugin::new(PLUGIN, plugins[0].description(), functions)?)
    }

    /// Returns the plugin with only the function for results of this kind.
    pub(crate) fn plugin_for(&self, kind: Kind) -> Result<KernelPlugin> {
        let options = self.options.clone();
        let plugin = match kind {
            Kind::Text => self.search.create_with_search(options),
            Kind::Results => self.search.create_with_get_search_results(options),
            Kind::Records => self.search.create_with_records(options, RECORDS),
        };
        plugin.map_err(refused)
    }

    /// Returns the name of the function for results of this kind, as models call it.
    pub(crate) fn name_for(kind: Kind) -> String {
        let function = match kind {
            Kind::Text => "Search",
            Kind::Results => "GetSearchResults",
            Kind::Records => RECORDS,
        };
        format!("{PLUGIN}-{function}")
    }
}

/// Each field is valid by itself, so a name is invalid only if two allowed fields share a parameter.
fn refused(error: KernelError) -> anyhow::Error {
    match error {
        KernelError::InvalidName { .. } => usage(format!("--allow-filter: {error}")),
        error => error.into(),
    }
}

fn check(selector: &SearchSelector, search: &Arc<dyn TextSearch>) -> Result<()> {
    if selector.top == 0 {
        return Err(usage("--top is 0, so nothing would be found: try 1 or more"));
    }
    selector::check_filters(selector, search)
}

pub(crate) fn check_allowed(search: &Arc<dyn TextSearch>, allowed: &[String]) -> Result<()> {
    let fields = search.fields().iter();
    let fields = fields.filter(|field| !parameter_names(field).is_empty());
    let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
    let Some(unknown) = allowed.iter().find(|name| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let known = match names.as_slice() {
        [] => "this search has none: try it without --allow-filter".to_owned(),
        names => format!("try one of {}", names.join(", ")),
    };
    Err(usage(format!("--allow-filter: a model cannot filter on `{unknown}`: {known}")))
}

fn options<'a>(
    selector: &SearchSelector,
    offered: Vec<String>,
    fixed: impl IntoIterator<Item = &'a Option<Filter>>,
) -> SearchPluginOptions {
    let mut options =
        SearchPluginOptions::new(PLUGIN).with_offered_fields(OfferedFields::list(offered));
    options.default_count = selector.top;
    options.max_count = selector.top.max(MAX_RESULTS);
    options.is_open_world = Some(selector.source.is_some());
    let fixed = fixed.into_iter().flatten();
    fixed.fold(options, |options, filter| options.with_fixed_filter(filter.clone()))
}

/// Returns whether the filter allows one value of the field alone, so that no call can narrow it.
fn holds(filter: &Filter, name: &str) -> bool {
    match filter {
        Filter::Compare { field, operator: Comparison::Eq, .. } => field == name,
        Filter::And(filters) => filters.iter().any(|filter| holds(filter, name)),
        _ => false,
    }
}

/// Returns the fields that have parameters, without a conflict of their names. A JSON Lines field can
/// have any name, such as `count`, or `a.b` next to `a_b`.
fn offered_fields(fields: &[&FilterableField], variables: &[&str]) -> Vec<String> {
    let own = ["query", "count", "skip"].into_iter().chain(variables.iter().copied());
    let mut taken: HashSet<String> = own.map(str::to_ascii_lowercase).collect();
    let mut offered = Vec::new();
    for field in fields {
        let mut names = parameter_names(field);
        names.iter_mut().for_each(|name| name.make_ascii_lowercase());
        if names.iter().any(|name| taken.contains(name)) {
            tracing::debug!(field = field.name, "not offered: a parameter has this name already");
        } else if !names.is_empty() {
            taken.extend(names);
            offered.push(field.name.clone());
        }
    }
    offered
}

#[cfg(test)]
mod tests {
    use textsearch_core::filter::FilterOperator;

    use super::*;

    #[test]
    fn a_field_named_like_a_parameter_is_not_offered() {
        let names = ["Count", "a.b", "a_b", "year", "year_min", "audience"];
        let fields = names.map(|name| FilterableField::integer(name, "").with_all_operators());
        let fields: Vec<_> = fields.iter().collect();
        assert_eq!(offered_fields(&fields, &["audience"]), ["a.b", "year"]);
    }

    #[test]
    fn a_field_without_parameters_is_not_offered() {
        let words =
            FilterableField::string("intitle", "").with_operators([FilterOperator::Contains]);
        let site = FilterableField::string("site", "");
        assert_eq!(offered_fields(&[&words, &site], &[]), ["site"]);
    }
}
