//! A filter, made ready to be asked of many records.

use serde_json::{Map, Value};
use textsearch_core::{Filter, Result};

use crate::{chunk::Chunk, schema::Schema};

/// Says which records a filter lets through; without a filter, all.
///
/// The fields that the filter names are copied into one small object, record by record: that is several times faster
/// than an object for each record, which would be spread over the memory.
pub(crate) struct Matcher<'a> {
    filter: Option<&'a Filter>,
    fields: Map<String, Value>,
    /// Where each of `fields` comes from, in their order.
    sources: Vec<Source>,
}

#[derive(Clone, Copy)]
enum Source {
    Key,
    Column(usize),
}

impl<'a> Matcher<'a> {
    /// Checks that `filter` names filterable fields alone.
    ///
    /// # Errors
    ///
    /// `UnsupportedFilter` where it does not.
    pub(crate) fn new(filter: Option<&'a Filter>, schema: &Schema) -> Result<Self> {
        schema.check_filter(filter)?;
        let names = filter.into_iter().flat_map(Filter::fields);
        let fields: Map<String, Value> = names.map(|name| (name.to_owned(), Value::Null)).collect();
        let source = |name: &String| schema.column(name).map_or(Source::Key, Source::Column);
        Ok(Self { filter, sources: fields.keys().map(source).collect(), fields })
    }

    /// Whether the filter lets the record at `offset` through.
    pub(crate) fn matches(&mut self, chunk: &Chunk, offset: usize) -> bool {
        let Some(filter) = self.filter else { return true };
        for (field, source) in self.fields.values_mut().zip(&self.sources) {
            *field = match source {
                Source::Column(place) => chunk.value(*place, offset).clone(),
                Source::Key => chunk
                    .payload(offset)
                    .map(|payload| Value::from(payload.key()))
                    .unwrap_or_default(),
            };
        }
        filter.matches_object(&self.fields)
    }
}
