//! Scans: the records that match a filter, in an order.
//!
//! The service doesn't document its order of texts, and it sorts keys in their encoded form. So a
//! scan reads all matching records page by page and sorts their keys. Then it reads the records of
//! the window again.

use std::{collections::HashSet, sync::Arc};

use futures_util::stream;
use textsearch_core::{
    Filter, Result, SearchResults,
    results::TotalCount,
    vector::{RecordKey, ScanOptions, ScanOrder, StoredRecord},
};

use crate::{
    CONNECTOR,
    error::undecodable,
    filter::preselection,
    handle::Index,
    wire::{PAGE, SearchRequest},
};

impl Index {
    pub(crate) async fn scanned(
        &self,
        options: &ScanOptions,
    ) -> Result<SearchResults<StoredRecord>> {
        let order = ScanOrder::new(&options.order_by, &self.definition, CONNECTOR)?;
        let place = |record: StoredRecord| order.place(&record);
        let places = self.each(options.filter.as_ref(), place).await?;
        let count = TotalCount::Exact(places.len() as u64);
        let keys = order.window(places, options);
        Ok(self.lazily(keys, options.include_vectors).with_total_count(count))
    }

    pub(crate) async fn matching_keys(&self, filter: &Filter) -> Result<Vec<RecordKey>> {
        self.each(Some(filter), |record| record.key).await
    }

    /// Returns what `part` takes of each record that matches. Pages by key, which no limit of the
    /// service ends: `skip` reaches 100,000.
    async fn each<T>(
        &self,
        filter: Option<&Filter>,
        part: impl Fn(StoredRecord) -> T,
    ) -> Result<Vec<T>> {
        let preselection = preselection(filter, &self.definition)?;
        if preselection.is_empty {
            self.check_exists().await?;
            return Ok(Vec::new());
        }
        let key = self.definition.key.name.as_str();
        let mut parts = Vec::new();
        let mut after = None::<String>;
        // The service doesn't document its order of keys, so that they can't be compared.
        let mut ends = HashSet::new();
        loop {
            // Document keys have no quotes.
            let beyond = after.map(|after| format!("{key} gt '{after}'"));
            let conditions: Vec<String> =
                preselection.odata.clone().into_iter().chain(beyond).collect();
            let request = SearchRequest {
                filter: (!conditions.is_empty()).then(|| conditions.join(" and ")),
                orderby: Some(format!("{key} asc")),
                select: Some(self.selected([])),
                top: Some(PAGE),
                ..SearchRequest::default()
            };
            let page = self.page(&request).await?;
            let is_cut = page.is_cut(PAGE);
            let last = page.value.last().and_then(|document| document.fields.get(key)?.as_str());
            after = last.map(str::to_owned);
            let what = || format!("a page of the index `{}`", self.name);
            if let Some(end) = after.clone().filter(|end| !ends.insert(end.clone())) {
                let fault = format_args!("it ends with the key `{end}`, as an earlier page does");
                return Err(undecodable(&what(), fault));
            }
            for document in page.value {
                let record = self.record(document.fields, false)?;
                if record.matches(filter) {
                    parts.push(part(record));
                }
            }
            match (&after, is_cut) {
                (_, false) => return Ok(parts),
                (Some(_), true) => {}
                (None, true) => {
                    return Err(undecodable(&what(), "it promises more and has no last key"));
                }
            }
        }
    }

    /// Reads the records page by page, when the caller reads the results. Skips records that were
    /// deleted meanwhile.
    fn lazily(&self, keys: Vec<RecordKey>, with_vectors: bool) -> SearchResults<StoredRecord> {
        let index = self.clone();
        let size = self.page_size(with_vectors);
        let keys: Arc<[RecordKey]> = keys.into();
        let pages = stream::unfold(0, move |start| {
            let index = index.clone();
            let keys = Arc::clone(&keys);
            async move {
                let end = keys.len().min(start + size);
                let chunk = keys.get(start..end).filter(|chunk| !chunk.is_empty())?;
                Some(match index.read(chunk, with_vectors).await {
                    Ok(records) => (records.into_iter().map(Ok).collect::<Vec<_>>(), end),
                    Err(error) => (vec![Err(error)], keys.len()),
                })
            }
        });
        SearchResults::from_stream(stream::StreamExt::flat_map(pages, stream::iter))
    }
}
