//! Faults in filters.

use textsearch_conformance::core::{
    Filter,
    filter::{Comparison, FilterValue},
    vector::RecordDefinition,
};

use super::fault::Fault;

/// Returns the filter as the store applies it.
pub(super) fn changed(fault: Fault, filter: Filter, definition: &RecordDefinition) -> Filter {
    let each = |filters: Vec<Filter>| -> Vec<Filter> {
        filters.into_iter().map(|filter| changed(fault, filter, definition)).collect()
    };
    let everything = || Filter::And(Vec::new());
    match (filter, fault) {
        (_, Fault::DropsFilters) => everything(),
        (Filter::And(filters), Fault::AppliesTheFirstOfAnd) => {
            Filter::And(each(filters).into_iter().take(1).collect())
        }
        (Filter::Or(filters), Fault::AppliesTheFirstOfOr) => {
            Filter::Or(each(filters).into_iter().take(1).collect())
        }
        (Filter::In { field, values }, Fault::AppliesTheFirstOfIn) => {
            Filter::In { field, values: values.into_iter().take(1).collect() }
        }
        (Filter::Not(inner), Fault::IgnoresNot) => changed(fault, *inner, definition),
        (Filter::Exists { .. }, Fault::FindsNullToExist) => everything(),
        (Filter::Compare { field, operator, value }, _) => {
            compared(fault, field, operator, value, definition)
        }
        (Filter::And(filters), _) => Filter::And(each(filters)),
        (Filter::Or(filters), _) => Filter::Or(each(filters)),
        (Filter::Not(inner), _) => Filter::Not(Box::new(changed(fault, *inner, definition))),
        (filter, _) => filter,
    }
}

fn compared(
    fault: Fault,
    field: String,
    operator: Comparison,
    value: FilterValue,
    definition: &RecordDefinition,
) -> Filter {
    let is_known = field == definition.key.name
        || definition.data_field(&field).is_some_and(|field| field.filterable);
    match (fault, operator, value) {
        (Fault::MissesFieldsWithQuotes, ..) if field.contains(['"', '\'']) => {
            Filter::Or(Vec::new())
        }
        (Fault::IgnoresUnknownFields | Fault::DeletesByUnknownFields, ..) if !is_known => {
            Filter::And(Vec::new())
        }
        (Fault::LeavesOutMissingFields, Comparison::Ne, value) => {
            Filter::exists(&field).and(Filter::ne(field, value))
        }
        (Fault::ComparesDatesAsTexts, operator, FilterValue::DateTime(date)) => {
            Filter::compare(field, operator, date.to_string())
        }
        (Fault::TakesLessAsAtMost, Comparison::Lt, value) => Filter::le(field, value),
        (Fault::FoldsCaseOfValues, operator, FilterValue::String(text)) => {
            Filter::compare(field, operator, text.to_lowercase())
        }
        (Fault::TakesContainsAsStartsWith, Comparison::Contains, value) => {
            Filter::compare(field, Comparison::StartsWith, value)
        }
        (_, operator, value) => Filter::Compare { field, operator, value },
    }
}
