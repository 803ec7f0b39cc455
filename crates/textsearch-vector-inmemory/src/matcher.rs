//! A filter, evaluated to the rows of chunks.

use textsearch_core::{Filter, Result};

use crate::{chunk::Chunk, columns::Column, rows::Bitmap, schema::Schema};

/// Says which records a filter lets through; without a filter, all.
pub(crate) struct Matcher<'a> {
    filter: Option<&'a Filter>,
    schema: &'a Schema,
    /// The rows of the chunks that were asked for row by row.
    selected: Vec<Option<Box<Bitmap>>>,
}

impl<'a> Matcher<'a> {
    /// Checks that `filter` names filterable fields alone.
    ///
    /// # Errors
    ///
    /// `UnsupportedFilter` where it does not.
    pub(crate) fn new(filter: Option<&'a Filter>, schema: &'a Schema) -> Result<Self> {
        schema.check_filter(filter)?;
        Ok(Self { filter, schema, selected: Vec::new() })
    }

    /// The rows of a chunk that the filter lets through; rows without a record may be among them.
    pub(crate) fn select(&self, chunk: &Chunk) -> Bitmap {
        self.filter.map_or(Bitmap::ALL, |filter| self.evaluate(filter, chunk))
    }

    /// Whether the filter lets the record at `offset` of the chunk at place `number` through.
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
            Filter::And(filters) => {
                filters.iter().fold(Bitmap::ALL, |selected, filter| match selected.is_empty() {
                    true => selected,
                    false => selected.and(self.evaluate(filter, chunk)),
                })
            }
            Filter::Or(filters) => {
                let selected = filters.iter().map(|filter| self.evaluate(filter, chunk));
                selected.fold(Bitmap::default(), Bitmap::or)
            }
            Filter::Not(filter) => self.evaluate(filter, chunk).not(),
            // An operator that this version does not know was refused before.
            _ => Bitmap::default(),
        }
    }

    /// The values of a field that was checked to be filterable, or of the key; `None` for a chunk without records.
    fn column<'c>(&self, field: &str, chunk: &'c Chunk) -> Option<&'c Column> {
        match self.schema.column(field) {
            Some(place) => chunk.column(place),
            None => Some(chunk.key_column()),
        }
    }
}
