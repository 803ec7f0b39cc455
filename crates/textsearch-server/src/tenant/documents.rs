//! The documents of a source as a tenant sees them.

use std::sync::Arc;

use textsearch_core::{
    Filter, Result, SearchOptions, SearchResults, async_trait,
    document::{DocumentInfo, DocumentPage, DocumentReader, ReadOptions},
};

use super::Identity;

/// Adds a fixed filter to every call.
#[derive(Clone)]
pub(crate) struct Documents {
    reader: Arc<dyn DocumentReader>,
    filter: Option<Filter>,
}

impl Documents {
    /// Returns the documents as the tenant sees them.
    ///
    /// # Errors
    ///
    /// Returns an error if the reader can't apply the filter.
    pub(super) fn restrict(reader: &Arc<dyn DocumentReader>, identity: &Identity) -> Result<Self> {
        let filter = identity.filter.clone();
        filter.iter().try_for_each(|filter| reader.check_filter(filter))?;
        Ok(Self { reader: Arc::clone(reader), filter })
    }
}

#[async_trait]
impl DocumentReader for Documents {
    fn check_filter(&self, filter: &Filter) -> Result<()> {
        self.reader.check_filter(filter)
    }

    fn can_list(&self) -> bool {
        self.reader.can_list()
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        let options = match &self.filter {
            Some(filter) => options.clone().with_filter(filter.clone()),
            None => options.clone(),
        };
        self.reader.read(id, &options).await
    }

    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        let options = match &self.filter {
            Some(filter) => options.clone().with_fixed_filter(filter.clone()),
            None => options.clone(),
        };
        self.reader.list(&options).await
    }
}
