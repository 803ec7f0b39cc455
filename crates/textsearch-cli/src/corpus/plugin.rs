//! The search plugin that templates and models call.

use std::{collections::HashSet, sync::Arc};

use anyhow::Result;
use textsearch_core::{Filter, FilterableField, TextSearch, filter::Comparison};
use textsearch_kernel::{
    KernelFunction, KernelPlugin, TextSearchPlugins as _,
    search::{OfferedFields, SearchFunctionOptions},
};

use crate::{
    arguments::{Kind, ResultArguments, SearchSelector},
    corpus::selector::{self, Narrowed},
    errors::usage,
};

const PLUGIN: &str = "SearchPlugin";
const RECORDS: &str = "GetRecords";

/// The kernel's own maximum; only a larger `--top` exceeds it.
const MAX_RESULTS: usize = 50;

pub(crate) struct SearchFunctions {
    search: Arc<dyn TextSearch>,
    options: SearchFunctionOptions,
}

impl SearchFunctions {
    /// Creates the functions of `search`. Omits a field whose parameter would be named like one of
    /// `variables`: a template passes its variables to every function, so they would filter.
    pub(crate) fn new(
        search: Arc<dyn TextSearch>,
        selector: &SearchSelector,
        results: &ResultArguments,
        variables: &[&str],
    ) -> Result<Self> {
        check(selector, &search)?;
        let fields = search.fields().iter();
        let fields = fields.filter(|field| can_be_offered(&search, field));
        let is_free = |name| !selector.fixed_filter.as_ref().is_some_and(|all| holds(all, name));
        let fields: Vec<_> = fields.filter(|field| is_free(&field.name)).collect();
        let offered = offered_fields(&fields, variables);
        let options = options(selector, offered, [&selector.fixed_filter]);
        let narrowed = Narrowed::new(search, selector.filter.clone(), results.skip);
        Ok(Self { search: Arc::new(narrowed), options })
    }

    /// Creates the functions of `search` for an untrusted model, which may filter only on `allowed`
    /// fields. Both filters of `selector` apply to every call.
    pub(crate) fn for_model(
        search: Arc<dyn TextSearch>,
        selector: &SearchSelector,
        results: &ResultArguments,
        allowed: &[String],
    ) -> Result<Self> {
        check(selector, &search)?;
        check_allowed(&search, allowed)?;
        let fixed = [&selector.filter, &selector.fixed_filter];
        let options = options(selector, allowed.to_vec(), fixed);
        let narrowed = Narrowed::new(search, None, results.skip);
        let functions = Self { search: Arc::new(narrowed), options };
        // Each field is valid by itself, so this fails only if two share a parameter name.
        functions
            .function(results.kind)
            .map_err(|error| usage(format!("--allow-filter: {error}")))?;
        Ok(functions)
    }

    pub(crate) fn plugin(&self) -> Result<KernelPlugin> {
        let later_name = self.search.create_get_text_search_results(self.options.clone())?;
        let functions = [
            self.function(Kind::Text)?,
            self.function(Kind::Results)?,
            later_name,
            self.function(Kind::Records)?,
        ];
        self.plugin_of(functions)
    }

    /// Returns the plugin with only the function for results of this kind.
    pub(crate) fn plugin_for(&self, kind: Kind) -> Result<KernelPlugin> {
        self.plugin_of([self.function(kind)?])
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

    fn function(&self, kind: Kind) -> Result<KernelFunction> {
        let options = self.options.clone();
        let function = match kind {
            Kind::Text => self.search.create_search(options),
            Kind::Results => self.search.create_get_search_results(options),
            Kind::Records => self.search.create_records(RECORDS, options),
        };
        Ok(function?)
    }

    fn plugin_of(
        &self,
        functions: impl IntoIterator<Item = KernelFunction>,
    ) -> Result<KernelPlugin> {
        let description = format!("Searches with {}.", self.search.name());
        Ok(KernelPlugin::new(PLUGIN, description, functions)?)
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
    let fields = fields.filter(|field| has_parameters(search, field));
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
) -> SearchFunctionOptions {
    let options = SearchFunctionOptions::new()
        .with_default_count(selector.top)
        .with_max_count(selector.top.max(MAX_RESULTS))
        .with_open_world(selector.source.is_some())
        .with_offered_fields(OfferedFields::list(offered));
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

fn can_be_offered(search: &Arc<dyn TextSearch>, field: &FilterableField) -> bool {
    field.offered_to_model && has_parameters(search, field)
}

/// Returns whether the connector compares the field with a value or a range, as parameters do.
fn has_parameters(search: &Arc<dyn TextSearch>, field: &FilterableField) -> bool {
    let alone = OfferedFields::list([field.name.clone()]);
    let options = SearchFunctionOptions::new().with_offered_fields(alone);
    search.create_search(options).is_ok()
}

/// Returns the fields without a conflict of parameter names. A JSON Lines field can have any name,
/// such as `count`, or `a.b` next to `a_b`.
fn offered_fields(fields: &[&FilterableField], variables: &[&str]) -> Vec<String> {
    let own = ["query", "count", "skip"].into_iter().chain(variables.iter().copied());
    let mut taken: HashSet<String> = own.map(str::to_ascii_lowercase).collect();
    let mut offered = Vec::new();
    for field in fields {
        let names = parameter_names(&field.name);
        if names.iter().any(|name| taken.contains(name)) {
            tracing::debug!(field = field.name, "not offered: a parameter has this name already");
        } else {
            taken.extend(names);
            offered.push(field.name.clone());
        }
    }
    offered
}

fn parameter_names(field: &str) -> [String; 3] {
    let plain =
        |one: char| if one.is_ascii_alphanumeric() { one.to_ascii_lowercase() } else { '_' };
    let name: String = field.chars().map(plain).collect();
    [format!("{name}_min"), format!("{name}_max"), name]
}

#[cfg(test)]
mod tests {
    use textsearch_core::{FixedSearch, TextSearchResult, filter::FilterOperator};

    use super::*;

    #[test]
    fn a_field_named_like_a_parameter_is_not_offered() {
        let names = ["Count", "a.b", "a_b", "year", "year_min", "audience"];
        let fields = names.map(|name| FilterableField::string(name, ""));
        let fields: Vec<_> = fields.iter().collect();
        assert_eq!(offered_fields(&fields, &["audience"]), ["a.b", "year"]);
    }

    #[test]
    fn fields_without_parameter_are_not_offered_to_models() {
        let words =
            FilterableField::string("intitle", "").with_operators([FilterOperator::Contains]);
        let internal = FilterableField::string("chunk", "").offered_to_model(false);
        let fields = [words, internal, FilterableField::string("site", "")];
        let search = FixedSearch::<TextSearchResult>::new([]).with_fields(fields.clone());
        let search: Arc<dyn TextSearch> = Arc::new(search);
        assert_eq!(fields.map(|field| can_be_offered(&search, &field)), [false, false, true]);
    }
}
