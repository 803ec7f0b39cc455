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
    pub(crate) fn select(&self, chunk: &Chunk) -> Bitmap {
        self.filter.map_or(Bitmap::ALL, |filter| self.evaluate(filter, chunk))
    }

    pub(crate) fn matches(&mut self, number: usize, chunk: &Chunk, offset: usize) -> bool {
        if self.filter.is_none() {
            return true;
        }
        if self.selected.len() <= number {
            self.selected.resize(number + 1, None);
        }
        let known = self.selected.get(number).and_then(Option::as_ref);
        if let Some(selected) = known {
            return selected.contains(offset);
        }
        let selected = self.select(chunk);
        if let Some(place) = self.selected.get_mut(number) {
            *place = Some(Box::new(selected));
        }
        selected.contains(offset)
    }

    fn evaluate(&self, filter: &Filter, chunk: &Chunk) -> Bitmap {
        let column = |field| self.column(field, chunk);
        match filter {
            Filter::Compare { field, operator, value } => column(field)
                .map_or_else(Bitmap::default, |column| column.compare(*operator, value)),
            Filter::In { field, values } => column(field).map_or_else(Bitmap::default, |column| {
                let equal = values.iter().map(|value| column.equal(value));
                equal.fold(Bitmap::default(), Bitmap::or)
            }),
            Filter::Exists { field } => {
                column(field).map_or_else(Bitmap::default, |column| column.present())
            }
            Filter::And(filters) => filters.iter().fold(Bitmap::ALL, |selected, filter| {
                if selected.is_empty() {
                    selected
                } else {
                    selected.and(self.evaluate(filter, chunk))
                }
            }),
            Filter::Or(filters) => {
                let selected = filters.iter().map(|filter| self.evaluate(filter, chunk));
                selected.fold(Bitmap::default(), Bitmap::or)
            }
            Filter::Not(filter) => self.evaluate(filter, chunk).not(),
        }
    }

    /// Returns `None` for a chunk without records. The field was checked.
    fn column<'c>(&self, field: &str, chunk: &'c Chunk) -> Option<&'c Column> {
        match self.schema.column(field) {
            Some(place) => chunk.column(place),
            None => Some(chunk.key_column()),
        }
    }
}
