//! Translates a filter into Acme's request parameters.

use textsearch_core::{
    Filter, FilterableField, Result,
    web::{Condition, Conditions},
};

use crate::NAME;

/// Fields that a filter may name, with descriptions for models.
pub(crate) fn fields() -> Vec<FilterableField> {
    // Reference 4 of 5: add a line for each parameter that narrows a search, such as
    //     FilterableField::string("site", "Only results from this domain")
    //         .with_operators([FilterOperator::Eq]),
    // Also add a case in `parameter` and a `with_filter` in tests/it/conformance.rs. If a parameter
    // takes only one value, reject a second one or send the narrower. If no query can widen the
    // filter, override `supports_fixed_filter` in src/search.rs.
    Vec::new()
}

/// Returns the request parameters for `filter`. Each one narrows the search. Returns `None` if no
/// result can match.
///
/// # Errors
/// Rejects any filter that Acme can't express, before a request is sent. Never drops a part of it.
pub(crate) fn parameters(
    filter: &Filter,
    fields: &[FilterableField],
) -> Result<Option<Vec<(&'static str, String)>>> {
    let conditions = Conditions::of(NAME, filter, fields)?;
    let each = conditions.all.iter().map(parameter).collect::<Result<Vec<_>>>()?;
    Ok((!conditions.are_never_met).then_some(each))
}

/// A case for a site would be:
/// `if condition.field == "site" { return Ok(("site", condition.single()?.to_owned())); }`
fn parameter(condition: &Condition) -> Result<(&'static str, String)> {
    Err(condition.unsupported(condition.operator))
}
