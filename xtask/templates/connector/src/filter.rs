//! From a filter to the parameters that say the same to Acme.

use textsearch_core::{Error, Filter, FilterOperator, FilterableField, Result};

use crate::NAME;

/// The fields that a filter may name, described for a model.
pub(crate) fn fields() -> Vec<FilterableField> {
    // Reference 4 of 5: one line for each parameter that narrows a search, such as
    // FilterableField::string("site", "Only results from this domain").with_operators([FilterOperator::Eq]),
    // one arm in `parameters` for each, and one `with_filter` in tests/it/conformance.rs. Two values for one parameter
    // are refused, or the narrower is sent. When nothing in a query can widen the filter, `supports_fixed_filter` in
    // src/search.rs says so.
    Vec::new()
}

/// The parameters of a request that say what `filter` says, each of which narrows the search further.
///
/// # Errors
/// Whatever Acme cannot do is refused here, before anything is sent, and never left out.
pub(crate) fn parameters(
    filter: &Filter,
    fields: &[FilterableField],
) -> Result<Vec<(&'static str, String)>> {
    filter.check(NAME, fields)?;
    match filter {
        Filter::And(filters) => {
            let each = filters.iter().map(|filter| parameters(filter, fields));
            Ok(each.collect::<Result<Vec<_>>>()?.concat())
        }
        Filter::Or(_) => Err(unsupported(FilterOperator::Or)),
        Filter::Not(_) => Err(unsupported(FilterOperator::Not)),
        filter => Err(Error::invalid_options(NAME, "filter", filter, "no filter")),
    }
}

fn unsupported(operator: FilterOperator) -> Error {
    Error::unsupported_filter(NAME, "filter", operator, &[FilterOperator::And])
}
