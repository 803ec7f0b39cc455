//! Scans: records in any order, with their number.

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{Place, ScanOptions, ScanOrder, StoredRecord},
};

use crate::{
    CONNECTOR,
    filter::{Candidates, Condition},
    handle::Handle,
};

impl Handle {
    pub(crate) async fn scanned(
        &self,
        options: &ScanOptions,
    ) -> Result<SearchResults<StoredRecord>> {
        let order = ScanOrder::new(&options.order_by, &self.definition, CONNECTOR)?;
        self.definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let condition = Condition::new(options.filter.as_ref(), &self.columns);
        let (records, count) = if condition.candidates == Candidates::None {
            self.check_exists().await?;
            (Vec::new(), 0)
        } else if order.is_by_key() {
            self.scan_by_key(&condition, options).await?
        } else {
            self.scan_sorted(&condition, &order, options).await?
        };
        Ok(SearchResults::from_vec(records).with_total_count(TotalCount::Exact(count)))
    }

    /// Stops at the end of the window if the server can count.
    async fn scan_by_key(
        &self,
        condition: &Condition,
        options: &ScanOptions,
    ) -> Result<(Vec<StoredRecord>, u64)> {
        let end = options.skip.saturating_add(options.top.unwrap_or(usize::MAX));
        let mut records = Vec::new();
        let mut count = 0;
        if end > 0 || !condition.is_exact {
            let outputs = self.record_columns(options.include_vectors);
            let read = self.each(condition.expression(), outputs, |row| {
                let record = self.record(row)?;
                if record.matches(options.filter.as_ref()) {
                    if (options.skip..end).contains(&count) {
                        records.push(record);
                    }
                    count += 1;
                }
                Ok(!condition.is_exact || count < end)
            });
            read.await?;
        }
        if condition.is_exact && count >= end {
            return Ok((records, self.count(condition.expression()).await?));
        }
        Ok((records, count as u64))
    }

    /// Remembers the values to order by, and reads the records of the window in the end.
    async fn scan_sorted(
        &self,
        condition: &Condition,
        order: &ScanOrder,
        options: &ScanOptions,
    ) -> Result<(Vec<StoredRecord>, u64)> {
        let mut places: Vec<Place> = Vec::new();
        let read = self.each(condition.expression(), self.record_columns(false), |row| {
            let record = self.record(row)?;
            if record.matches(options.filter.as_ref()) {
                places.push(order.place(&record));
            }
            Ok(true)
        });
        read.await?;
        let count = places.len() as u64;
        let keys = order.window(places, options);
        Ok((self.read(&keys, options.include_vectors).await?, count))
    }
}
