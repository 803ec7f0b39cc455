//! Reads records by key.

use std::collections::HashMap;

use futures_util::StreamExt as _;
use qdrant_client::qdrant::{self, Condition, GetPoints, PointId, RetrievedPoint, ScrollPoints};
use textsearch_core::{
    Result, SearchResults,
    vector::{RecordKey, StoredRecord},
};

use crate::{
    handle::{PAGE, QdrantCollection, whole_payload},
    key, record,
};

impl QdrantCollection {
    /// Returns the records with these keys, in this order.
    pub(crate) async fn read(
        &self,
        keys: &[RecordKey],
        with_vectors: bool,
    ) -> Result<Vec<StoredRecord>> {
        let field = &self.definition.key;
        let points = keys.iter().map(|key| (field.canonical(key), key::point_of(field, key)));
        let points: Vec<_> = points.filter_map(|(key, id)| Some((key, id?))).collect();
        if points.is_empty() {
            self.check_exists().await?;
        }
        let mut records = Vec::with_capacity(points.len());
        for page in points.chunks(PAGE) {
            let ids = page.iter().map(|(_, id)| id.clone()).collect();
            let stored = self.records(ids, with_vectors).await?;
            records.extend(page.iter().filter_map(|(key, _)| stored.get(key.as_ref()).cloned()));
        }
        Ok(records)
    }

    /// Returns records in no particular order.
    async fn records(
        &self,
        ids: Vec<PointId>,
        with_vectors: bool,
    ) -> Result<HashMap<RecordKey, StoredRecord>> {
        let got = self.request(|client| {
            let request = GetPoints {
                collection_name: self.name.clone(),
                ids: ids.clone(),
                with_payload: Some(whole_payload()),
                with_vectors: self.vectors(with_vectors),
                ..GetPoints::default()
            };
            async move { client.get_points(request).await }
        });
        self.by_key(got.await?.result)
    }

    /// Returns records in no particular order. Records may have changed or been deleted since their
    /// keys were found.
    pub(crate) async fn still_matching(
        &self,
        keys: &[RecordKey],
        filter: Option<&qdrant::Filter>,
        with_vectors: bool,
    ) -> Result<HashMap<RecordKey, StoredRecord>> {
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let ids = keys.iter().map(|key| key::point(self.definition.key.kind, key));
        let conditions = filter.cloned().map(Condition::from);
        let filter = qdrant::Filter::must(conditions.into_iter().chain([Condition::has_id(ids)]));
        let scrolled = self.request(|client| {
            let request = ScrollPoints {
                collection_name: self.name.clone(),
                filter: Some(filter.clone()),
                limit: Some(u32::try_from(keys.len()).unwrap_or(u32::MAX)),
                with_payload: Some(whole_payload()),
                with_vectors: self.vectors(with_vectors),
                ..ScrollPoints::default()
            };
            async move { client.scroll(request).await }
        });
        self.by_key(scrolled.await?.result)
    }

    fn by_key(&self, points: Vec<RetrievedPoint>) -> Result<HashMap<RecordKey, StoredRecord>> {
        let records = points
            .into_iter()
            .map(|point| record::read(&self.definition, point.id, point.payload, point.vectors));
        records.map(|record| record.map(|record| (record.key.clone(), record))).collect()
    }
}

/// Requests pages as the caller reads them. Drops records that no longer match the conditions.
pub(crate) fn lazily(
    collection: &QdrantCollection,
    keys: Vec<RecordKey>,
    filter: Option<qdrant::Filter>,
    with_vectors: bool,
) -> SearchResults<StoredRecord> {
    let pages: Vec<Vec<RecordKey>> = keys.chunks(PAGE).map(<[RecordKey]>::to_vec).collect();
    let collection = collection.clone();
    let pages = futures_util::stream::iter(pages).then(move |page| {
        let collection = collection.clone();
        let filter = filter.clone();
        async move {
            match collection.still_matching(&page, filter.as_ref(), with_vectors).await {
                Ok(mut records) => {
                    page.iter().filter_map(|key| records.remove(key)).map(Ok).collect::<Vec<_>>()
                }
                Err(error) => vec![Err(error)],
            }
        }
    });
    SearchResults::from_stream(pages.flat_map(futures_util::stream::iter))
}
