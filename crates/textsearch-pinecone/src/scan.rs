//! Scans: records in any order, with their number.

use std::collections::HashSet;

use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchResults,
    results::TotalCount,
    vector::{ScanOptions, ScanOrder, StoredRecord},
};

use crate::{
    CONNECTOR,
    filter::{Selection, selection},
    handle::Handle,
    key::is_shortened,
    wire::{FetchByMetadata, Fetched, Listed, Pagination},
};

/// Maximum number of identifiers in one response to a list.
const MAX_LISTED: &str = "100";

impl Handle {
    pub(crate) async fn scanned(
        &self,
        options: &ScanOptions,
    ) -> Result<SearchResults<StoredRecord>> {
        let order = ScanOrder::new(&options.order_by, &self.definition, CONNECTOR)?;
        self.definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let (records, count) = match options.filter {
            None if order.is_by_key() => self.scan_keys(&order, options).await?,
            _ => self.scan_matches(&order, options).await?,
        };
        Ok(SearchResults::from_vec(records).with_total_count(TotalCount::Exact(count as u64)))
    }

    /// Reads no more records than wanted: identifiers sort as keys do.
    async fn scan_keys(
        &self,
        order: &ScanOrder,
        options: &ScanOptions,
    ) -> Result<(Vec<StoredRecord>, usize)> {
        let ids = self.list().await?;
        if ids.iter().any(|id| is_shortened(id)) {
            return self.scan_matches(order, options).await;
        }
        let count = ids.len();
        let ids: Vec<String> = window(ids, options);
        let mut records = self.fetch(&ids, options.include_vectors).await?;
        Ok((ids.iter().filter_map(|id| records.remove(id)).collect(), count))
    }

    /// Reads all records that match, to sort and count them.
    async fn scan_matches(
        &self,
        order: &ScanOrder,
        options: &ScanOptions,
    ) -> Result<(Vec<StoredRecord>, usize)> {
        let mut records = Vec::new();
        let with_vectors = options.include_vectors;
        self.each_match(options.filter.as_ref(), with_vectors, |record| records.push(record))
            .await?;
        let count = records.len();
        Ok((window(order.sorted(records), options), count))
    }

    /// Calls `visit` with each record that matches, in any order.
    pub(crate) async fn each_match(
        &self,
        filter: Option<&Filter>,
        with_vectors: bool,
        mut visit: impl FnMut(StoredRecord) + Send,
    ) -> Result<()> {
        let matches = |record: &StoredRecord| record.matches(filter);
        match selection(filter, &self.layout) {
            Selection::None => self.open().await.map(drop),
            Selection::All => {
                let ids = self.list().await?;
                for page in ids.chunks(self.page(true)) {
                    let records = self.fetch(page, with_vectors).await?;
                    records.into_values().filter(matches).for_each(&mut visit);
                }
                Ok(())
            }
            Selection::Where(condition) => {
                let mut pages = Pages::default();
                loop {
                    let body = FetchByMetadata {
                        filter: &condition,
                        limit: self.page(true),
                        pagination_token: pages.token.as_deref(),
                        namespace: self.namespace(),
                    };
                    let response: Fetched =
                        self.post(&["vectors", "fetch_by_metadata"], &body).await?;
                    for vector in response.vectors.into_values() {
                        if !pages.ids.insert(vector.id.clone()) {
                            continue;
                        }
                        let record = self.record(vector, with_vectors)?;
                        Some(record).filter(matches).into_iter().for_each(&mut visit);
                    }
                    if !pages.turn(response.pagination)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Returns all identifiers, sorted.
    async fn list(&self) -> Result<Vec<String>> {
        let mut pages = Pages::default();
        loop {
            let mut query = vec![("limit", MAX_LISTED)];
            query.extend(pages.token.as_deref().map(|token| ("paginationToken", token)));
            let response: Listed = self.get(&["vectors", "list"], &query).await?;
            pages.ids.extend(response.vectors.into_iter().map(|item| item.id));
            if !pages.turn(response.pagination)? {
                break;
            }
        }
        let mut ids: Vec<String> = pages.ids.into_iter().collect();
        ids.sort_unstable();
        Ok(ids)
    }
}

/// The identifiers and the token of a scan's pages so far.
#[derive(Default)]
struct Pages {
    /// Records may be written between two pages, so that one is in both.
    ids: HashSet<String>,
    /// How many identifiers there were before the current page.
    before: usize,
    token: Option<String>,
}

impl Pages {
    /// Ends the current page. Returns `false` if it is the last one.
    ///
    /// # Errors
    /// Returns `Undecodable` for a repeated token, and for a page without new identifiers. Such pages
    /// may never end.
    fn turn(&mut self, pagination: Option<Pagination>) -> Result<bool> {
        let Some(Pagination { next }) = pagination else { return Ok(false) };
        let fault = if self.token.as_ref() == Some(&next) {
            "a page repeats the pagination token of the page before"
        } else if self.ids.len() == self.before {
            "a page before the last one has no new identifiers"
        } else {
            self.before = self.ids.len();
            self.token = Some(next);
            return Ok(true);
        };
        let message = format!("the scan failed: {fault} ({} identifiers so far)", self.ids.len());
        Err(Error::new(ErrorKind::Undecodable, CONNECTOR, message))
    }
}

fn window<T>(all: Vec<T>, options: &ScanOptions) -> Vec<T> {
    all.into_iter().skip(options.skip).take(options.top.unwrap_or(usize::MAX)).collect()
}
