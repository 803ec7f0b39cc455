//! Scans: records in any order, with their number.

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Place, ScanOptions, ScanOrder, StoredRecord},
};

use crate::{CONNECTOR, handle::Handle};

impl Handle {
    /// The server has no order. Keys and the values to order by are sorted here, and then only the
    /// records of the window are read.
    pub(crate) async fn scanned(
        &self,
        options: &ScanOptions,
    ) -> Result<SearchResults<StoredRecord>> {
        let order = ScanOrder::new(&options.order_by, &self.definition, CONNECTOR)?;
        let filter = options.filter.as_ref();
        self.definition.check_filter(filter, CONNECTOR)?;
        let selection = self.selection(filter).await?;
        if selection.is_never {
            self.check_exists().await?;
            return Ok(SearchResults::from_vec(Vec::new()).with_total_count(TotalCount::Exact(0)));
        }
        let mut places: Vec<Place> = Vec::new();
        if selection.is_exact && order.is_by_key() {
            for id in self.select(&selection).await? {
                places.push(self.key_of(id)?.into());
            }
        } else {
            let each = |record: StoredRecord| places.push(order.place(&record));
            self.for_each(&selection, filter, false, each).await?;
        }
        let count = TotalCount::Exact(places.len() as u64);
        let keys = order.window(places, options);
        let records = match keys.as_slice() {
            [] => Vec::new(),
            keys => self.read(keys, options.include_vectors).await?,
        };
        Ok(SearchResults::from_vec(records).with_total_count(count))
    }
}
