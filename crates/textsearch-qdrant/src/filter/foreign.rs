//! What filters can ask of records that stand without columns: those that other programs wrote, or that were written
//! before a field was filterable.
//!
//! Their values are taken to be of the kinds of their fields, since nothing says otherwise.

use textsearch_core::{
    Error, Filter, FilterOperator, FilterValue, Result,
    vector::{DataKind, RecordDefinition},
};

use super::Field;
use crate::{CONNECTOR, path};

use FilterOperator::{Contains, Eq, Exists, Ge, Gt, In, Le, Lt, Ne};

/// # Errors
/// `UnsupportedFilter` for the first comparison that reads columns.
pub(crate) fn check_without_columns(filter: &Filter, definition: &RecordDefinition) -> Result<()> {
    let field = |name| Field::new(name, definition);
    match filter {
        Filter::Compare { field: name, operator, value } => {
            field(name).check_plain((*operator).into(), std::slice::from_ref(value))
        }
        Filter::In { field: name, values } => field(name).check_plain(In, values),
        Filter::Exists { field: name } => field(name).check_plain(Exists, &[]),
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter().try_for_each(|filter| check_without_columns(filter, definition))
        }
        Filter::Not(filter) => check_without_columns(filter, definition),
        // Refused by the translation.
        _ => Ok(()),
    }
}

impl Field<'_> {
    fn check_plain(&self, operator: FilterOperator, values: &[FilterValue]) -> Result<()> {
        let supported = self.plain_operators();
        let is_plain = values.iter().all(|value| self.is_plain_operand(operator, value));
        if supported.contains(&operator) && is_plain {
            return Ok(());
        }
        let (name, others) = (self.name, supported.iter().copied().filter(|one| *one != operator));
        let supported: Vec<FilterOperator> = others.collect();
        let unsupported = Error::unsupported_filter(CONNECTOR, name, operator, &supported);
        let message = format!(
            "cannot apply `{operator}` with such a value to `{name}` in this collection: its records were written by \
             another program, or before `{name}` was filterable as it is now, and lack what the comparison reads; \
             store them in a new collection",
        );
        Err(Error::new(unsupported.kind().clone(), CONNECTOR, message))
    }

    /// The operators that the payload's own field answers.
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
