//! Scans: the records that match a filter, ordered by fields or by key.
//!
//! Qdrant returns points in identifier order. For integers and UUIDs this is also key order, so
//! such a scan reads page by page. For any other order, this module reads the keys and the ordering
//! fields and sorts them itself.

use futures_util::stream::{self, StreamExt as _};
use qdrant_client::qdrant::{self, PointId, RetrievedPoint, ScrollPoints, WithPayloadSelector};
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{KeyKind, OrderBy, Place, RecordKey, ScanOptions, ScanOrder, StoredRecord},
};

use crate::{
    CONNECTOR,
    handle::{PAGE, QdrantCollection, no_payload, payload_fields, whole_payload},
    path,
    read::lazily,
    record,
};

/// Keys are small.
const PAGE_OF_KEYS: usize = 4_096;

pub(crate) async fn scan(
    collection: &QdrantCollection,
    options: &ScanOptions,
) -> Result<SearchResults<StoredRecord>> {
    let order = ScanOrder::new(&options.order_by, &collection.definition, CONNECTOR)?;
    let filter = collection.conditions(options.filter.as_ref()).await?;
    let count = TotalCount::Exact(collection.count(filter.clone()).await?);
    let is_by_identifier = order.is_by_key() && collection.definition.key.kind != KeyKind::String;
    let records = if is_by_identifier {
        by_identifier(collection, filter, options).await?
    } else {
        let keys = sorted(collection, filter.clone(), &order, options).await?;
        lazily(collection, keys, filter, options.include_vectors)
    };
    Ok(records.with_total_count(count))
}

struct Page {
    points: Vec<RetrievedPoint>,
    next: Option<PointId>,
}

struct Pages<'a> {
    collection: &'a QdrantCollection,
    filter: Option<qdrant::Filter>,
    payload: WithPayloadSelector,
    with_vectors: bool,
    limit: usize,
}

impl Pages<'_> {
    async fn page(&self, offset: Option<PointId>) -> Result<Page> {
        let collection = self.collection;
        let scrolled = collection.request(|client| {
            let request = ScrollPoints {
                collection_name: collection.name.clone(),
                filter: self.filter.clone(),
                offset: offset.clone(),
                limit: Some(u32::try_from(self.limit).unwrap_or(u32::MAX)),
                with_payload: Some(self.payload.clone()),
                with_vectors: collection.vectors(self.with_vectors),
                ..ScrollPoints::default()
            };
            async move { client.scroll(request).await }
        });
        let answer = scrolled.await?;
        Ok(Page { points: answer.result, next: answer.next_page_offset })
    }
}

async fn by_identifier(
    collection: &QdrantCollection,
    filter: Option<qdrant::Filter>,
    options: &ScanOptions,
) -> Result<SearchResults<StoredRecord>> {
    let Some(start) = skipped(collection, filter.clone(), options.skip).await? else {
        return Ok(SearchResults::from_vec(Vec::new()));
    };
    let collection = collection.clone();
    let with_vectors = options.include_vectors;
    let limit = options.top.unwrap_or(usize::MAX).clamp(1, PAGE);
    let pages = stream::unfold(Some(start), move |state| {
        let collection = collection.clone();
        let filter = filter.clone();
        async move {
            let offset = state?;
            let pages = Pages {
                collection: &collection,
                filter,
                payload: whole_payload(),
                with_vectors,
                limit,
            };
            Some(match pages.page(offset).await {
                Ok(page) => {
                    let records = page.points.into_iter().map(|point| {
                        record::read(&collection.definition, point.id, point.payload, point.vectors)
                    });
                    (records.collect::<Vec<_>>(), page.next.map(Some))
                }
                Err(error) => (vec![Err(error)], None),
            })
        }
    });
    let records = pages.flat_map(stream::iter);
    Ok(SearchResults::from_stream(records.take(options.top.unwrap_or(usize::MAX))))
}

/// Returns `None` if there are no points after the skipped ones.
async fn skipped(
    collection: &QdrantCollection,
    filter: Option<qdrant::Filter>,
    skip: usize,
) -> Result<Option<Option<PointId>>> {
    let mut left = skip;
    let mut offset = None;
    while left > 0 {
        let pages = Pages {
            collection,
            filter: filter.clone(),
            payload: no_payload(),
            with_vectors: false,
            limit: left.min(PAGE_OF_KEYS),
        };
        let page = pages.page(offset).await?;
        left -= page.points.len().min(left);
        match page.next {
            Some(next) => offset = Some(next),
            None => return Ok(None),
        }
    }
    Ok(Some(offset))
}

/// Stops at the last wanted key.
async fn sorted(
    collection: &QdrantCollection,
    filter: Option<qdrant::Filter>,
    order: &ScanOrder,
    options: &ScanOptions,
) -> Result<Vec<RecordKey>> {
    let limit = options.skip.saturating_add(options.top.unwrap_or(usize::MAX));
    let payload = if order.is_by_key() {
        collection.key_payload()
    } else {
        ordering_fields(collection, &options.order_by)
    };
    let pages = Pages { collection, filter, payload, with_vectors: false, limit: PAGE_OF_KEYS };
    let mut places: Vec<Place> = Vec::new();
    let mut offset = None;
    loop {
        let page = pages.page(offset).await?;
        for point in page.points {
            let record = record::read(&collection.definition, point.id, point.payload, None)?;
            places.push(order.place(&record));
        }
        // Drop places that can no longer be among the first `limit`.
        if places.len() > limit.saturating_mul(2).saturating_add(PAGE_OF_KEYS) {
            places.sort_unstable_by(|place, other| order.compare(place, other));
            places.truncate(limit);
        }
        match page.next {
            Some(next) => offset = Some(next),
            None => break,
        }
    }
    Ok(order.window(places, options))
}

fn ordering_fields(collection: &QdrantCollection, order_by: &[OrderBy]) -> WithPayloadSelector {
    let names = order_by.iter().map(|order| order.field.as_str());
    let names = names.chain([collection.definition.key.name.as_str()]);
    // A name with a dot may be a path, so also request the field named by its first part.
    let tops = names.flat_map(|name| {
        let first = name.split('.').next().unwrap_or_default();
        [path::native(name), path::native(first)]
    });
    let moved = format!("{}.{}", path::RESERVED, path::MOVED);
    let mut paths: Vec<String> = tops.chain([moved]).collect();
    paths.sort_unstable();
    paths.dedup();
    payload_fields(paths)
}
