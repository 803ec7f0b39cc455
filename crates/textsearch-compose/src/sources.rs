//! Several searches as one.

use std::{collections::HashSet, fmt, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use textsearch_core::{
    Error, ErrorKind, FilterableField, Result, SearchOptions, TextSearch, filter::FilterOperator,
    schemars::Schema, serde_json::Value,
};

use crate::schema::any_of;

/// The searches of a [`Fallback`](crate::Fallback) or a [`FanOut`](crate::FanOut), in order, each
/// with a name.
///
/// Metadata and errors name the sources, so a name should be short and no secret.
///
/// ```
/// use textsearch_compose::Sources;
/// use textsearch_core::{FixedSearch, TextSearchResult};
///
/// let notes = FixedSearch::new([TextSearchResult::new("From a note.")]);
/// let pages = FixedSearch::new([TextSearchResult::new("From a page.")]);
/// let sources = Sources::new("notes", notes).with_source("pages", pages);
/// ```
#[derive(Clone)]
pub struct Sources {
    list: Vec<Source>,
}

#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) connector: Arc<str>,
    pub(crate) search: Arc<dyn TextSearch>,
}

impl Sources {
    /// Creates a list of one search.
    pub fn new(name: impl Into<String>, search: impl TextSearch + 'static) -> Self {
        Self { list: Vec::new() }.with_source(name, search)
    }

    /// Adds a search.
    #[must_use]
    pub fn with_source(
        mut self,
        name: impl Into<String>,
        search: impl TextSearch + 'static,
    ) -> Self {
        let (name, connector) = (name.into().into(), search.name().into());
        self.list.push(Source { name, connector, search: Arc::new(search) });
        self
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let searches = self.list.iter().map(|source| (&*source.name, &*source.connector));
        formatter.debug_map().entries(searches).finish()
    }
}

/// What sources have in common. A filter must hold in each of them.
pub(crate) struct Combined {
    pub(crate) sources: Vec<Source>,
    connector: &'static str,
    pub(crate) data_source: String,
    pub(crate) fields: Vec<FilterableField>,
    pub(crate) supports_fixed_filter: bool,
}

impl Combined {
    pub(crate) fn new(connector: &'static str, sources: Sources) -> Result<Self> {
        let Sources { list: sources } = sources;
        let names: Vec<&str> = sources.iter().map(|source| &*source.name).collect();
        let mut known = HashSet::new();
        if let Some(name) =
            names.iter().find(|name| name.trim().is_empty() || !known.insert(**name))
        {
            let value = format_args!("named `{name}`");
            let allowed = "names that are neither empty nor repeated";
            return Err(Error::invalid_options(connector, "sources", value, allowed));
        }
        Ok(Self {
            connector,
            data_source: names.join(", "),
            fields: common_fields(&sources),
            supports_fixed_filter: sources
                .iter()
                .all(|source| source.search.supports_fixed_filter()),
            sources,
        })
    }

    /// Refuses a filter that a source cannot apply, before the first request.
    pub(crate) fn check(&self, options: &SearchOptions) -> Result<()> {
        match options.filter() {
            Some(filter) => filter.check(self.connector, &self.fields),
            None => Ok(()),
        }
    }

    pub(crate) fn schema(&self) -> Schema {
        any_of(self.sources.iter().map(|source| source.search.schema()))
    }
}

impl fmt::Debug for Combined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sources { list: self.sources.clone() }.fmt(formatter)
    }
}

impl Source {
    /// Turns a panic into an error: the other sources can still answer.
    pub(crate) async fn guarded<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let done = AssertUnwindSafe(work).catch_unwind().await;
        done.unwrap_or_else(|_| {
            let message = "the search panicked";
            Err(Error::new(ErrorKind::Backend, &*self.connector, message))
        })
    }
}

/// The fields of all sources, with the operators of all sources. A field whose values differ in type
/// means something else in each source.
fn common_fields(sources: &[Source]) -> Vec<FilterableField> {
    let mut fields = sources.iter().map(|source| source.search.fields());
    let Some(first) = fields.next() else { return Vec::new() };
    let others: Vec<_> = fields.collect();
    first.iter().filter_map(|field| common_field(field, &others)).collect()
}

fn common_field(field: &FilterableField, others: &[&[FilterableField]]) -> Option<FilterableField> {
    let mut common = field.clone();
    for fields in others {
        let other = fields.iter().find(|other| other.name == field.name)?;
        if values(other) != values(field) {
            return None;
        }
        common.operators.retain(|operator: &FilterOperator| other.operators.contains(operator));
        common.offered_to_model &= other.offered_to_model;
    }
    (!common.operators.is_empty()).then_some(common)
}

/// The schema of a field's values, without its description.
fn values(field: &FilterableField) -> Value {
    let mut schema = field.schema.clone();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("description");
    }
    schema
}
