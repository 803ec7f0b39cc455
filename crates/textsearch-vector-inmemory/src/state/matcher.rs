//! Evaluates a filter to the matching rows of a chunk.

use textsearch_core::{Filter, Result};

use super::chunk::Chunk;
use crate::{columns::Column, error::CONNECTOR, rows::Bitmap, schema::Schema};

/// Without a filter, all records match.
pub(crate) struct Matcher<'a> {
    filter: Option<&'a Filter>,
    schema: &'a Schema,
    /// The matching rows of chunks that were queried row by row.
    selected: Vec<Option<Box<Bitmap>>>,
}

impl<'a> Matcher<'a> {
    /// # Errors
    ///
    /// Returns `UnsupportedFilter` if `filter` names a field that is not filterable.
    pub(crate) fn new(filter: Option<&'a Filter>, schema: &'a Schema) -> Result<Self> {
        schema.definition().check_filter(filter, CONNECTOR)?;
        Ok(Self { filter, schema, selected: Vec::new() })
    }

    /// May include rows without a record.
    ///
    /// # Errors
    ///
    /// Returns an error if a column on disk cannot be read.
    pub(crate) fn select(&self, chunk: &Chunk) -> Result<Bitmap> {
        self.filter.map_or(Ok(Bitmap::ALL), |filter| evaluate(filter, self.schema, chunk))
    }

    pub(crate) fn matches(&mut self, number: usize, chunk: &Chunk, offset: usize) -> Result<bool> {
        if self.filter.is_none() {
            return Ok(true);
        }
        if self.selected.len() <= number {
            self.selected.resize(number + 1, None);
        }
        let known = self.selected.get(number).and_then(Option::as_ref);
        if let Some(selected) = known {
            return Ok(selected.contains(offset));
        }
        let selected = self.select(chunk)?;
        if let Some(place) = self.selected.get_mut(number) {
            *place = Some(Box::new(selected));
        }
        Ok(selected.contains(offset))
    }
}

fn evaluate(filter: &Filter, schema: &Schema, chunk: &Chunk) -> Result<Bitmap> {
    // A chunk without records has no column. The field was checked.
    let column = |field: &str| match schema.column(field) {
        Some(place) => chunk.column(place),
        None => chunk.key_column().map(Some),
    };
    let any = |filters: &[Filter]| {
        filters.iter().try_fold(Bitmap::default(), |selected, filter| {
            Ok(selected.or(evaluate(filter, schema, chunk)?))
        })
    };
    match filter {
        Filter::Compare { field, operator, value } => {
            Ok(column(field)?
                .map_or_else(Bitmap::default, |column| column.compare(*operator, value)))
        }
        Filter::In { field, values } => Ok(column(field)?.map_or_else(Bitmap::default, |column| {
            let equal = values.iter().map(|value| column.equal(value));
            equal.fold(Bitmap::default(), Bitmap::or)
        })),
        Filter::Exists { field } => {
            Ok(column(field)?.map_or_else(Bitmap::default, Column::present))
        }
        Filter::And(filters) => filters.iter().try_fold(Bitmap::ALL, |selected, filter| {
            if selected.is_empty() {
                Ok(selected)
            } else {
                Ok(selected.and(evaluate(filter, schema, chunk)?))
            }
        }),
        Filter::Or(filters) => any(filters),
        Filter::Not(filter) => Ok(evaluate(filter, schema, chunk)?.not()),
    }
}
