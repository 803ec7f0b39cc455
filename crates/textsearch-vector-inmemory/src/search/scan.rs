//! Scans: the records that match a filter, ordered by fields or keys.

use std::{borrow::Cow, cmp::Ordering, sync::Arc};

use futures_util::stream;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{OrderBy, RecordKey, ScanOptions, ScanOrder, SortValue, StoredRecord},
};

use crate::{
    error::CONNECTOR,
    rows::Row,
    state::{Matcher, State},
};

struct Entry<'a> {
    values: Vec<Option<SortValue<'a>>>,
    key: Cow<'a, RecordKey>,
    row: Row,
}

/// Each record is copied when it is read.
pub(crate) fn scan(
    state: &Arc<State>,
    options: &ScanOptions,
) -> Result<SearchResults<StoredRecord>> {
    let matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    let order = ScanOrder::new(&options.order_by, state.schema().definition(), CONNECTOR)?;
    let matching = state.matching(&matcher)?;
    read_keys(state, &matching)?;
    let entries = matching.into_iter().map(|row| entry(state, row, &order, &options.order_by));
    let mut entries = entries.filter_map(Result::transpose).collect::<Result<Vec<_>>>()?;
    let count = TotalCount::Exact(entries.len() as u64);
    let limit = options.skip.saturating_add(options.top.unwrap_or(usize::MAX));
    keep_first(&mut entries, limit, |left, right| {
        order.compare_values(&left.values, &right.values).then_with(|| left.key.cmp(&right.key))
    });
    let rows: Vec<Row> = entries.iter().skip(options.skip).map(|entry| entry.row).collect();
    let state = Arc::clone(state);
    let with_vectors = options.include_vectors;
    let records = rows.into_iter().map(move |row| state.record(row, with_vectors));
    Ok(SearchResults::from_stream(stream::iter(records)).with_total_count(count))
}

/// Reads the keys of chunks on disk of which most records match, so that the next page finds them in
/// memory.
fn read_keys(state: &State, matching: &[Row]) -> Result<()> {
    for rows in matching.chunk_by(|left, right| left.chunk() == right.chunk()) {
        let chunk = rows.first().and_then(|row| state.chunks().get(row.chunk()));
        if let Some(stored) = chunk.and_then(|chunk| chunk.stored())
            && rows.len() * 2 > stored.rows()
        {
            stored.key_column()?;
        }
    }
    Ok(())
}

fn entry<'a>(
    state: &'a State,
    row: Row,
    order: &ScanOrder,
    order_by: &[OrderBy],
) -> Result<Option<Entry<'a>>> {
    let Some(key) = state.key(row)? else { return Ok(None) };
    if order.is_by_key() {
        return Ok(Some(Entry { values: Vec::new(), key, row }));
    }
    let fields: Vec<&str> = order_by.iter().map(|order| order.field.as_str()).collect();
    let values = order.values(state.values(row, &fields)?);
    Ok(Some(Entry { values, key, row }))
}

fn keep_first<'a>(
    entries: &mut Vec<Entry<'a>>,
    limit: usize,
    order: impl Fn(&Entry<'a>, &Entry<'a>) -> Ordering,
) {
    if limit < entries.len() {
        // Select the first ones, so that only those are sorted.
        if limit > 0 {
            entries.select_nth_unstable_by(limit - 1, &order);
        }
        entries.truncate(limit);
    }
    entries.sort_unstable_by(&order);
}
