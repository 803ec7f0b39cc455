//! Checks filters on records without columns, written by other programs or before a field became
//! filterable, and on fields that another program indexed for words.
//!
//! Values are assumed to have the kind of their field.

use textsearch_core::{
    Error, Filter, Result,
    filter::{FilterOperator, FilterValue},
    vector::{DataKind, RecordDefinition},
};

use super::{Field, text::TEXTS};
use crate::{CONNECTOR, path, schema::Readable};

use FilterOperator::{Contains, Eq, Exists, Ge, Gt, In, Le, Lt, Ne};

/// # Errors
/// Returns `UnsupportedFilter` for the first comparison that needs missing columns, or for a
/// substring search on a field where the server finds only words.
pub(crate) fn check_readable(
    filter: &Filter,
    definition: &RecordDefinition,
    collection: &Readable,
) -> Result<()> {
    let field = |name| Field::new(name, definition);
    match filter {
        Filter::Compare { field: name, operator, value } => {
            let values = std::slice::from_ref(value);
            field(name).check_readable((*operator).into(), values, collection)
        }
        Filter::In { field: name, values } => field(name).check_readable(In, values, collection),
        Filter::Exists { field: name } => field(name).check_readable(Exists, &[], collection),
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter().try_for_each(|filter| check_readable(filter, definition, collection))
        }
        Filter::Not(filter) => check_readable(filter, definition, collection),
    }
}

impl Field<'_> {
    fn check_readable(
        &self,
        operator: FilterOperator,
        values: &[FilterValue],
        collection: &Readable,
    ) -> Result<()> {
        let plain = self.plain_operators();
        let is_plain = values.iter().all(|value| self.is_plain_operand(operator, value));
        let is_answered = collection.has_columns || (plain.contains(&operator) && is_plain);
        let supported =
            if collection.has_columns { FilterOperator::ALL_COMPARISONS } else { plain };
        if !is_answered {
            let reason = format!(
                "with such a value to `{name}` in this collection: its records were written by another program, or \
                 before `{name}` was filterable as it is now, and lack what the comparison reads; store them in a new \
                 collection",
                name = self.name
            );
            return Err(self.unreadable(operator, supported, &reason));
        }
        if self.looks_for_part(operator, values) && collection.read_by_words.contains(self.name) {
            let reason = format!(
                "to `{}` in this collection: the field's text index finds words, not substrings; replace it by a \
                 keyword index",
                self.name
            );
            return Err(self.unreadable(operator, supported, &reason));
        }
        Ok(())
    }

    fn looks_for_part(&self, operator: FilterOperator, values: &[FilterValue]) -> bool {
        operator == Contains
            && self.plain(TEXTS).is_some()
            && values.iter().any(|value| matches!(value, FilterValue::String(_)))
    }

    fn unreadable(
        &self,
        operator: FilterOperator,
        supported: &[FilterOperator],
        reason: &str,
    ) -> Error {
        let others = supported.iter().copied().filter(|other| *other != operator);
        let others: Vec<FilterOperator> = others.collect();
        let unsupported = Error::unsupported_filter(CONNECTOR, self.name, operator, &others);
        let message = format!("cannot apply `{operator}` {reason}");
        Error::new(unsupported.kind().clone(), CONNECTOR, message)
    }

    fn plain_operators(&self) -> &'static [FilterOperator] {
        if self.key.is_some() {
            return &[Eq, Ne, In, Exists];
        }
        if !path::is_plain(self.name) {
            return &[];
        }
        match self.kind {
            DataKind::String => &[Eq, Ne, In, Contains, Exists],
            DataKind::Integer | DataKind::Number | DataKind::DateTime => {
                &[Eq, Ne, Lt, Le, Gt, Ge, In, Exists]
            }
            DataKind::Boolean => &[Eq, Ne, In, Exists],
            DataKind::Strings => &[Contains, Exists],
            _ => &[Exists],
        }
    }

    fn is_plain_operand(&self, operator: FilterOperator, value: &FilterValue) -> bool {
        match value {
            _ if self.key.is_some() => true,
            FilterValue::List(_) => false,
            FilterValue::DateTime(_) => self.kind == DataKind::DateTime,
            FilterValue::String(_) => !FilterOperator::ORDERING.contains(&operator),
            _ => true,
        }
    }
}
