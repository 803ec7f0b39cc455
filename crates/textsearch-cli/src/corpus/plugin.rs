//! The search plugin that templates and models call.

use std::{collections::HashSet, sync::Arc};

use anyhow::Result;
use textsearch_core::{Filter, FilterableField, TextSearch};
use textsearch_kernel::{
    KernelFunction, KernelPlugin, TextSearchPlugins as _,
    search::{OfferedFields, SearchFunctionOptions},
};

use crate::{
    arguments::{Kind, SearchSelector},
    corpus::selector::{self, Narrowed},
    errors::usage,
};

const PLUGIN: &str = "SearchPlugin";
const RECORDS: &str = "GetRecords";

/// More than the kernel's own maximum only where the user asks for more.
const MOST_RESULTS: usize = 50;

/// The search that a command selects, ready to become functions.
pub(crate) struct SearchFunctions {
    search: Arc<dyn TextSearch>,
    options: SearchFunctionOptions,
}

impl SearchFunctions {
    /// The functions of `search`, as `selector` says. A field is not offered as a parameter where it would have the name
    /// of one of `variables`: those reach every function that a template calls, and would become conditions unasked.
    pub(crate) fn new(
        search: Arc<dyn TextSearch>,
        selector: &SearchSelector,
        variables: &[&str],
    ) -> Result<Self> {
        check(selector, &search)?;
        let fields = search.filterable_fields().iter();
        let fields: Vec<_> = fields.filter(|field| can_be_offered(&search, field)).collect();
        let offered = offered_fields(&fields, variables);
        let options = options(selector, offered, [&selector.fixed_filter]);
        let narrowed = Narrowed::new(search, selector.filter.clone(), selector.skip);
        Ok(Self { search: Arc::new(narrowed), options })
    }

    /// The functions of `search` for a model that is not trusted: it may filter on the fields `allowed` alone, and both
    /// filters of `selector` hold whatever it asks for, its words for the engine included.
    #[cfg(feature = "ask")]
    pub(crate) fn for_model(
        search: Arc<dyn TextSearch>,
        selector: &SearchSelector,
        allowed: &[String],
    ) -> Result<Self> {
        check(selector, &search)?;
        check_allowed(&search, allowed)?;
        let fixed = [&selector.filter, &selector.fixed_filter];
        let options = options(selector, allowed.to_vec(), fixed);
        let narrowed = Narrowed::new(search, None, selector.skip);
        let functions = Self { search: Arc::new(narrowed), options };
        // Each of the fields is right by itself: what is left is two of them with one parameter.
        functions
            .function(selector.kind)
            .map_err(|error| usage(format!("--allow-filter: {error}")))?;
        Ok(functions)
    }

    /// The plugin with every function.
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

    /// The plugin with the one function that returns results of this kind.
    pub(crate) fn plugin_for(&self, kind: Kind) -> Result<KernelPlugin> {
        self.plugin_of([self.function(kind)?])
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
        let description = format!("Searches with {}.", self.search.connector_name());
        Ok(KernelPlugin::new(PLUGIN, description, functions)?)
    }
}

fn check(selector: &SearchSelector, search: &Arc<dyn TextSearch>) -> Result<()> {
    if selector.top == 0 {
        return Err(usage("--top is 0, so nothing would be found: try 1 or more"));
    }
    selector::check_filters(selector, search)
}

/// Checks that a function can have parameters for each of the fields that the user names.
#[cfg(feature = "ask")]
fn check_allowed(search: &Arc<dyn TextSearch>, allowed: &[String]) -> Result<()> {
    let fields = search.filterable_fields().iter();
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
        .with_max_count(selector.top.max(MOST_RESULTS))
        .with_offered_fields(OfferedFields::list(offered));
    let fixed = fixed.into_iter().flatten();
    fixed.fold(options, |options, filter| options.with_fixed_filter(filter.clone()))
}

/// Whether a model is offered the field unasked.
fn can_be_offered(search: &Arc<dyn TextSearch>, field: &FilterableField) -> bool {
    field.offered_to_model && has_parameters(search, field)
}

/// Whether a function can have parameters for the field: it cannot where the connector compares it with words alone.
fn has_parameters(search: &Arc<dyn TextSearch>, field: &FilterableField) -> bool {
    let alone = OfferedFields::list([field.name.clone()]);
    let options = SearchFunctionOptions::new().with_offered_fields(alone);
    search.create_search(options).is_ok()
}

/// Those of the fields whose parameters have names of their own.
///
/// The fields of JSON Lines are called whatever their author liked: `count` too, and `a.b` beside `a_b`.
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

/// Every name that a parameter of the field may have.
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
    fn a_field_that_would_take_the_name_of_another_parameter_is_not_offered() {
        let names = ["Count", "a.b", "a_b", "year", "year_min", "audience"];
        let fields = names.map(|name| FilterableField::string(name, ""));
        let fields: Vec<_> = fields.iter().collect();
        assert_eq!(offered_fields(&fields, &["audience"]), ["a.b", "year"]);
    }

    #[test]
    fn a_field_that_is_not_meant_for_models_or_has_no_parameter_is_not_offered() {
        let words =
            FilterableField::string("intitle", "").with_operators([FilterOperator::Contains]);
        let internal = FilterableField::string("chunk", "").offered_to_model(false);
        let fields = [words, internal, FilterableField::string("site", "")];
        let search = FixedSearch::<TextSearchResult>::new([]).with_fields(fields.clone());
        let search: Arc<dyn TextSearch> = Arc::new(search);
        assert_eq!(fields.map(|field| can_be_offered(&search, &field)), [false, false, true]);
    }
}
