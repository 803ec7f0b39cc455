//! Scans: the records that match a filter, ordered by fields or keys.

use std::{cmp::Ordering, sync::Arc};

use futures_util::stream;
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{
        DataKind, OrderBy, RecordDefinition, RecordKey, ScanOptions, SortValue, StoredRecord,
    },
};

use crate::{
    error::invalid_options,
    rows::{Payload, Row},
    state::{Matcher, State},
};

struct Entry<'a> {
    values: Vec<Option<SortValue<'a>>>,
    key: &'a RecordKey,
    row: Row,
}

/// Each record is copied when it is read.
pub(crate) fn scan(
    state: &Arc<State>,
    options: &ScanOptions,
) -> Result<SearchResults<StoredRecord>> {
    let matcher = Matcher::new(options.filter.as_ref(), state.schema())?;
    check_fields(state.schema().definition(), &options.order_by)?;
    let matching = state.matching(matcher);
    let entries = matching.map(|(row, payload)| entry(state, row, payload, &options.order_by));
    let mut entries = entries.collect::<Result<Vec<_>>>()?;
    let count = TotalCount::Exact(entries.len() as u64);
    let limit = options.skip.saturating_add(options.top.unwrap_or(usize::MAX));
    keep_first(&mut entries, limit, |left, right| order(left, right, &options.order_by));
    let rows: Vec<Row> = entries.iter().skip(options.skip).map(|entry| entry.row).collect();
    let (state, with_vectors) = (Arc::clone(state), options.include_vectors);
    let records = rows.into_iter().map(move |row| state.record(row, with_vectors));
    Ok(SearchResults::from_stream(stream::iter(records)).with_total_count(count))
}

fn check_fields(definition: &RecordDefinition, order_by: &[OrderBy]) -> Result<()> {
    let is_known =
        |name: &str| definition.key.name == name || definition.data_field(name).is_some();
    match order_by.iter().find(|order| !is_known(&order.field)) {
        None => Ok(()),
        Some(order) => {
            let data = definition.data.iter().map(|field| field.name.as_str());
            let names: Vec<&str> =
                std::iter::once(definition.key.name.as_str()).chain(data).collect();
            Err(invalid_options("order_by", format_args!("`{}`", order.field), names.join(", ")))
        }
    }
}

fn entry<'a>(
    state: &'a State,
    row: Row,
    payload: &'a Payload,
    order_by: &[OrderBy],
) -> Result<Entry<'a>> {
    if order_by.is_empty() {
        return Ok(Entry { values: Vec::new(), key: payload.key(), row });
    }
    let definition = state.schema().definition();
    let is_date = |name: &str| {
        definition.data_field(name).is_some_and(|field| field.kind == DataKind::DateTime)
    };
    let fields: Vec<&str> = order_by.iter().map(|order| order.field.as_str()).collect();
    let values = state.values(row, &fields)?.into_iter().zip(&fields);
    let values = values.map(|(value, field)| SortValue::new(value?, is_date(field))).collect();
    Ok(Entry { values, key: payload.key(), row })
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

fn order(left: &Entry<'_>, right: &Entry<'_>, order_by: &[OrderBy]) -> Ordering {
    let values = left.values.iter().zip(&right.values).zip(order_by);
    let mut orders = values.map(|((left, right), order)| match (left, right) {
        (Some(left), Some(right)) if order.is_descending => right.order(left),
        (Some(left), Some(right)) => left.order(right),
        // Missing values come last in both directions.
        _ => left.is_none().cmp(&right.is_none()),
    });
    orders.find(|order| order.is_ne()).unwrap_or_else(|| left.key.cmp(right.key))
}
