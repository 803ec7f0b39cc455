//! Conditions on lists: equality of all elements, and membership.

use textsearch_core::{
    Result,
    filter::{FilterOperator, FilterValue},
    vector::DataKind,
};

use super::{Expression, Field, keyword};
use crate::columns::{self, canonical_filter};

const DATES_IN_LISTS: &str = "dates in a list have many spellings";

impl Field<'_> {
    pub(super) fn equal_list(&self, value: &FilterValue) -> Result<Expression> {
        let FilterValue::List(items) = value else { return Ok(Expression::False) };
        self.check_dates(items, FilterOperator::Eq)?;
        // A list without a canonical text contains a number that equals nothing.
        let Some(text) = canonical_filter(value) else { return Ok(Expression::False) };
        Ok(keyword(self.column(columns::LIST), text).into())
    }

    pub(super) fn contains(&self, value: &FilterValue) -> Result<Expression> {
        if let FilterValue::List(items) = value {
            self.check_dates(items, FilterOperator::Contains)?;
        }
        let Some(text) = canonical_filter(value) else { return Ok(Expression::False) };
        let element = || keyword(self.column(columns::ELEMENTS), text.clone());
        let in_columns = self.in_columns(element());
        Ok(match value {
            FilterValue::String(part) => {
                let plain = self.plain(&[DataKind::Strings]);
                let plain = plain.map(|path| keyword(path, part.clone()).into());
                Expression::any(plain.into_iter().chain([in_columns, self.contains_text(part)]))
            }
            // For lists of plain texts, the column also contains the dates.
            FilterValue::DateTime(_) => element().into(),
            _ => in_columns,
        })
    }

    fn check_dates(&self, items: &[FilterValue], operator: FilterOperator) -> Result<()> {
        let has_date = items.iter().any(|item| match item {
            FilterValue::DateTime(_) => true,
            FilterValue::List(items) => self.check_dates(items, operator).is_err(),
            _ => false,
        });
        if has_date { Err(self.unsupported(operator, DATES_IN_LISTS)) } else { Ok(()) }
    }
}
