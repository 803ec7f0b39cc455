//! One namespace of a collection that several share.

use std::sync::Arc;

use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchResults, async_trait,
    vector::{
        DistinctValue, GetOptions, RecordDefinition, RecordKey, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorCollection, VectorSearchOptions,
    },
};

use super::schema::fields;
use crate::CONNECTOR;

const OPTION: &str = "namespace";

const MAX_BYTES: usize = 256;

/// Per filter.
const MAX_KEYS: usize = 256;

/// The name of a namespace, and the beginning of its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Namespace {
    name: String,
    /// Begins with the length of the name, so no prefix is the beginning of another.
    prefix: String,
}

impl Namespace {
    pub(super) fn new(name: String) -> Result<Self> {
        if name.trim().is_empty() || name.len() > MAX_BYTES || name.contains(char::is_control) {
            let value = format_args!("a text of {} bytes", name.len());
            let allowed =
                format!("1 to {MAX_BYTES} bytes that aren't blank, without control characters");
            return Err(Error::invalid_options(CONNECTOR, OPTION, value, allowed));
        }
        let prefix = format!("{}:{name}:", name.len());
        Ok(Self { name, prefix })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    fn filter(&self) -> Filter {
        Filter::eq(fields::NAMESPACE, self.name.as_str())
    }

    fn holds(&self, record: &StoredRecord) -> bool {
        record.data.get(fields::NAMESPACE).is_some_and(|name| *name == self.name.as_str())
    }

    fn stamp(&self, record: &mut StoredRecord) -> Result<()> {
        let is_ours = match &record.key {
            RecordKey::String(key) => key.starts_with(&self.prefix),
            _ => false,
        };
        let other = record.data.get(fields::NAMESPACE).filter(|name| **name != self.name.as_str());
        if !is_ours || other.is_some() {
            let key = record.key.to_string();
            let message = format!("`{key}` belongs to another namespace than `{}`", self.name);
            return Err(Error::new(ErrorKind::invalid_record(key), CONNECTOR, message));
        }
        record.data.insert(fields::NAMESPACE.to_owned(), self.name.as_str().into());
        Ok(())
    }
}

/// A collection inside a namespace: it adds the filter to every read and deletion, and marks every
/// write. Without a namespace, it reads all of them and writes nothing.
pub(super) struct NamespacedCollection {
    inner: Arc<dyn VectorCollection>,
    namespace: Option<Namespace>,
}

impl NamespacedCollection {
    pub(super) fn new(inner: Arc<dyn VectorCollection>, namespace: Option<Namespace>) -> Self {
        Self { inner, namespace }
    }

    fn writable(&self) -> Result<&Namespace> {
        self.namespace.as_ref().ok_or_else(|| {
            let allowed = "a namespace (`DocumentStore::with_namespace`): without one, the collection is only read";
            Error::invalid_options(CONNECTOR, OPTION, "not set", allowed)
        })
    }

    fn within(&self, filter: Option<&Filter>) -> Option<Filter> {
        match (&self.namespace, filter) {
            (None, filter) => filter.cloned(),
            (Some(namespace), None) => Some(namespace.filter()),
            (Some(namespace), Some(filter)) => {
                Some(Filter::all([namespace.filter(), filter.clone()]))
            }
        }
    }

    fn options(&self, options: &VectorSearchOptions) -> VectorSearchOptions {
        let filter = self.within(options.filter.as_ref());
        let mut options = options.clone();
        options.filter = filter;
        options
    }
}

#[async_trait]
impl VectorCollection for NamespacedCollection {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn store_name(&self) -> &str {
        self.inner.store_name()
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        self.inner.definition()
    }

    async fn exists(&self) -> Result<bool> {
        self.inner.exists().await
    }

    async fn ensure_exists(&self) -> Result<()> {
        self.inner.ensure_exists().await
    }

    async fn delete_collection(&self) -> Result<()> {
        let allowed = "the store's own collection, since other namespaces would be deleted, too";
        Err(Error::invalid_options(CONNECTOR, "delete_collection", "in a namespace", allowed))
    }

    async fn upsert(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        let namespace = self.writable()?;
        records.iter_mut().try_for_each(|record| namespace.stamp(record))?;
        self.inner.upsert(records).await
    }

    async fn get(&self, keys: &[RecordKey], options: &GetOptions) -> Result<Vec<StoredRecord>> {
        let mut records = self.inner.get(keys, options).await?;
        if let Some(namespace) = &self.namespace {
            records.retain(|record| namespace.holds(record));
        }
        Ok(records)
    }

    async fn delete(&self, keys: &[RecordKey]) -> Result<()> {
        self.writable()?;
        let key = self.inner.definition().key.name.clone();
        let texts = keys.iter().filter_map(|key| match key {
            RecordKey::String(text) => Some(text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        for texts in texts.chunks(MAX_KEYS) {
            self.delete_matching(&Filter::is_in(key.as_str(), texts.iter().copied())).await?;
        }
        Ok(())
    }

    async fn delete_matching(&self, filter: &Filter) -> Result<()> {
        let filter = Filter::all([self.writable()?.filter(), filter.clone()]);
        self.inner.delete_matching(&filter).await
    }

    async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        let filter = self.within(options.filter.as_ref());
        let mut options = options.clone();
        options.filter = filter;
        self.inner.scan(&options).await
    }

    async fn distinct_values(
        &self,
        field: &str,
        filter: Option<&Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        self.inner.distinct_values(field, self.within(filter).as_ref(), limit).await
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.inner.search(input, &self.options(options)).await
    }

    async fn search_batch(
        &self,
        inputs: &[SearchInput],
        options: &VectorSearchOptions,
    ) -> Result<Vec<SearchResults<Scored<StoredRecord>>>> {
        self.inner.search_batch(inputs, &self.options(options)).await
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.inner.full_text_search(text, &self.options(options)).await
    }

    async fn hybrid_search(
        &self,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.inner.hybrid_search(text, vector, &self.options(options)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_prefix_is_the_beginning_of_another() {
        let names = ["a", "a:", "aa", "1:a", "1:a:", ":", "a#0", "ä", "a b", "2:aa:x"];
        let prefixes = names.map(|name| Namespace::new(name.to_owned()).unwrap().prefix);
        for (place, prefix) in prefixes.iter().enumerate() {
            for (other_place, other) in prefixes.iter().enumerate() {
                assert_eq!(
                    prefix.starts_with(other.as_str()),
                    place == other_place,
                    "{prefix} {other}"
                );
            }
        }
    }

    #[test]
    fn blank_long_and_unprintable_names_are_refused() {
        for name in ["", " \t", "a\nb", "a\0", "\u{1b}[31m", &"x".repeat(257)] {
            let error = Namespace::new(name.to_owned()).unwrap_err();
            assert!(error.message().starts_with("`namespace` is a text of "), "{error}");
        }
    }
}
