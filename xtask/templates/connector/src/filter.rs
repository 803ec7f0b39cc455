//! From a filter to the parameters that say the same to Acme.

use textsearch_core::{
    Filter, FilterableField, Result,
    web::{Condition, Conditions},
};

use crate::NAME;

/// The fields that a filter may name, described for a model.
pub(crate) fn fields() -> Vec<FilterableField> {
    // Reference 4 of 5: one line for each parameter that narrows a search, such as
    // FilterableField::string("site", "Only results from this domain").with_operators([FilterOperator::Eq]),
    // one case in `parameter` for each, and one `with_filter` in tests/it/conformance.rs. Two values for one parameter
    // are refused, or the narrower is sent. When nothing in a query can widen the filter, `supports_fixed_filter` in
    // src/search.rs says so.
    Vec::new()
}

/// The parameters of a request that say what `filter` says, each of which narrows the search further; `None` where
/// nothing could ever match.
///
/// # Errors
/// Whatever Acme cannot do is refused here, before anything is sent, and never left out.
pub(crate) fn parameters(
    filter: &Filter,
    fields: &[FilterableField],
) -> Result<Option<Vec<(&'static str, String)>>> {
    let conditions = Conditions::of(NAME, filter, fields)?;
    let each = conditions.all.iter().map(parameter).collect::<Result<Vec<_>>>()?;
    Ok((!conditions.are_never_met).then_some(each))
}

/// `if condition.field == "site" { return Ok(("site", condition.single()?.to_owned())); }` would be the case of a site.
fn parameter(condition: &Condition) -> Result<(&'static str, String)> {
    Err(condition.unsupported(condition.operator))
}
