//! Scans: records in any order, with their number.

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{GetOptions, RecordKey, ScanOptions, StoredRecord},
};

use crate::{
    CONNECTOR,
    handle::Handle,
    order::{Order, Values},
};

impl Handle {
    /// The server has no order. Keys and the values to order by are sorted here, and then only the
    /// records of the window are read.
    pub(crate) async fn scan(&self, options: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        let order = Order::new(&options.order_by, &self.definition)?;
        let filter = options.filter.as_ref();
        filter.map_or(Ok(()), |filter| self.definition.check_filter(filter, CONNECTOR))?;
        let selection = self.selection(filter).await?;
        if selection.is_never {
            self.check_exists().await?;
            return Ok(SearchResults::from_vec(Vec::new()).with_total_count(TotalCount::Exact(0)));
        }
        let mut keys: Vec<(Values, RecordKey)> = Vec::new();
        if selection.is_exact && order.is_by_key() {
            for id in self.select(&selection).await? {
                keys.push((Vec::new(), self.key_of(id)?));
            }
        } else {
            let each = |record: StoredRecord| keys.push((order.values(&record), record.key));
            self.for_each(&selection, filter, false, each).await?;
        }
        let count = TotalCount::Exact(keys.len() as u64);
        keys.sort_unstable_by(|(one, key), (other, other_key)| {
            order.compare(one, other).then_with(|| key.cmp(other_key))
        });
        let window = keys.into_iter().skip(options.skip).take(options.top.unwrap_or(usize::MAX));
        let keys: Vec<RecordKey> = window.map(|(_, key)| key).collect();
        let options = GetOptions::default().with_vectors(options.include_vectors);
        let records = match keys.as_slice() {
            [] => Vec::new(),
            keys => self.get(keys, &options).await?,
        };
        Ok(SearchResults::from_vec(records).with_total_count(count))
    }
}
