//! One collection on a server, with the requests that all operations share.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::StreamExt as _;
use qdrant_client::{
    Qdrant, QdrantError,
    qdrant::{
        self, CollectionInfo, Condition, CountPoints, DeletePoints, GetPoints, PointId,
        PointsSelector, RetrievedPoint, ScrollPoints, WithPayloadSelector, WithVectorsSelector,
        points_selector::PointsSelectorOneOf, with_payload_selector, with_vectors_selector,
    },
};
use textsearch_core::{
    Filter, Result, SearchResults,
    text_analysis::SparseFields,
    vector::{KeyKind, RecordDefinition, RecordKey, StoredRecord, VectorCollection},
};

use crate::{
    filter, id,
    nodes::Nodes,
    path,
    point::{self, PointWriter},
    schema::{self, Readable},
    status,
};

pub(crate) const PAGE: usize = 256;

/// Cheap to clone. The collection may or may not exist.
#[derive(Clone)]
pub(crate) struct QdrantCollection {
    pub(crate) nodes: Arc<Nodes>,
    pub(crate) name: String,
    pub(crate) definition: Arc<RecordDefinition>,
    pub(crate) texts: Arc<SparseFields>,
    /// Whether the collection has everything that filters by this definition need. Checked until
    /// true.
    is_complete: Arc<AtomicBool>,
}

impl QdrantCollection {
    pub(crate) fn new(nodes: Arc<Nodes>, name: &str, definition: RecordDefinition) -> Self {
        let texts = Arc::new(SparseFields::new(&definition));
        let (name, definition) = (name.to_owned(), Arc::new(definition));
        Self { nodes, name, definition, texts, is_complete: Arc::default() }
    }

    pub(crate) async fn request<T, Requested>(
        &self,
        request: impl FnMut(Arc<Qdrant>) -> Requested,
    ) -> Result<T>
    where
        Requested: Future<Output = Result<T, QdrantError>>,
    {
        let answered = self.nodes.request(Some(&self.name), request).await;
        if answered.as_ref().is_err_and(status::is_collection_not_found) {
            self.forget();
        }
        answered
    }

    /// Another program may recreate the collection.
    pub(crate) fn forget(&self) {
        self.is_complete.store(false, Ordering::Relaxed);
    }

    pub(crate) fn writer(&self) -> PointWriter<'_> {
        PointWriter::new(&self.definition, self.texts.writer())
    }

    pub(crate) async fn conditions(
        &self,
        filter: Option<&Filter>,
    ) -> Result<Option<qdrant::Filter>> {
        let Some(filter) = filter else { return Ok(None) };
        let conditions = filter::translate(filter, &self.definition)?;
        if !self.is_complete.load(Ordering::Relaxed) {
            self.check_readable(filter).await?;
        }
        Ok(Some(conditions))
    }

    pub(crate) async fn check_readable(&self, filter: &Filter) -> Result<()> {
        let min = Readable::of_any_collection(&self.definition);
        if filter::check_readable(filter, &self.definition, &min).is_ok() {
            return Ok(());
        }
        filter::check_readable(filter, &self.definition, &self.look_at(&self.info().await?))
    }

    pub(crate) fn look_at(&self, info: &CollectionInfo) -> Readable {
        let readable = Readable::new(info, &self.definition);
        self.is_complete.store(readable.is_complete(), Ordering::Relaxed);
        readable
    }

    pub(crate) async fn info(&self) -> Result<CollectionInfo> {
        let asked = self.request(|client| {
            let name = self.name.clone();
            async move { client.collection_info(name).await }
        });
        Ok(asked.await?.result.unwrap_or_default())
    }

    pub(crate) async fn check_exists(&self) -> Result<()> {
        if self.exists().await? { Ok(()) } else { Err(status::collection_not_found(&self.name)) }
    }

    pub(crate) async fn count(&self, filter: Option<qdrant::Filter>) -> Result<u64> {
        let counted = self.request(|client| {
            let request = CountPoints {
                collection_name: self.name.clone(),
                filter: filter.clone(),
                exact: Some(true),
                ..CountPoints::default()
            };
            async move { client.count(request).await }
        });
        Ok(counted.await?.result.map(|result| result.count).unwrap_or_default())
    }

    /// Returns records in no particular order.
    pub(crate) async fn records(
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
        let ids = keys.iter().map(|key| id::point(self.definition.key.kind, key));
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

    pub(crate) fn by_key(
        &self,
        points: Vec<RetrievedPoint>,
    ) -> Result<HashMap<RecordKey, StoredRecord>> {
        let records = points
            .into_iter()
            .map(|found| point::record(&self.definition, found.id, found.payload, found.vectors));
        records.map(|record| record.map(|record| (record.key.clone(), record))).collect()
    }

    /// Returns the identifier of any point; `None` if there is none.
    pub(crate) async fn any_id(&self) -> Result<Option<PointId>> {
        let scrolled = self.request(|client| {
            let request = ScrollPoints {
                collection_name: self.name.clone(),
                limit: Some(1),
                with_payload: Some(no_payload()),
                with_vectors: self.vectors(false),
                ..ScrollPoints::default()
            };
            async move { client.scroll(request).await }
        });
        Ok(scrolled.await?.result.into_iter().next().and_then(|point| point.id))
    }

    /// Selects the vectors of the definition, never the terms.
    pub(crate) fn vectors(&self, are_wanted: bool) -> Option<WithVectorsSelector> {
        let fields = &self.definition.vectors;
        let options = if !are_wanted || fields.is_empty() {
            with_vectors_selector::SelectorOptions::Enable(false)
        } else if fields.iter().any(|field| field.name == path::UNNAMED_VECTOR) {
            with_vectors_selector::SelectorOptions::Enable(true)
        } else {
            let names = fields.iter().map(|field| field.name.clone()).collect();
            with_vectors_selector::SelectorOptions::Include(qdrant::VectorsSelector { names })
        };
        Some(WithVectorsSelector { selector_options: Some(options) })
    }

    /// Selects what a record's key is read from.
    pub(crate) fn key_payload(&self) -> WithPayloadSelector {
        let key = &self.definition.key;
        if key.kind != KeyKind::String {
            return no_payload();
        }
        let moved = format!("{}.{}", path::RESERVED, path::MOVED);
        payload_fields(vec![path::native(&key.name), moved])
    }

    pub(crate) async fn delete_points(&self, points: PointsSelectorOneOf) -> Result<()> {
        let waits = self.nodes.config().wait_for_writes;
        let deleted = self.request(|client| {
            let request = DeletePoints {
                collection_name: self.name.clone(),
                wait: Some(waits),
                points: Some(PointsSelector { points_selector_one_of: Some(points.clone()) }),
                ..DeletePoints::default()
            };
            async move { client.delete_points(request).await }
        });
        status::check_written(&deleted.await?, waits)
    }

    pub(crate) async fn create(&self) -> Result<()> {
        let request = schema::create(&self.name, &self.definition)?;
        let created = self.request(|client| {
            let request = request.clone();
            async move { client.create_collection(request).await }
        });
        match created.await {
            // Another client, or an attempt that seemed to fail, may have created it already.
            Err(_) if self.exists().await? => Ok(()),
            created => created.map(drop),
        }
    }

    pub(crate) async fn complete(&self) -> Result<()> {
        let info = self.info().await?;
        self.look_at(&info);
        let missing = schema::check_existing(info, &self.definition)?;
        if let Some(metadata) = missing.metadata {
            let updated = self.request(|client| {
                let request = schema::update(&self.name, metadata.clone());
                async move { client.update_collection(request).await }
            });
            updated.await?;
        }
        for (path, index) in missing.indexes {
            let request = schema::create_index(&self.name, &path, index);
            let created = self.request(|client| {
                let request = request.clone();
                async move { client.create_field_index(request).await }
            });
            created.await?;
        }
        Ok(())
    }
}

pub(crate) fn whole_payload() -> WithPayloadSelector {
    let options = with_payload_selector::SelectorOptions::Enable(true);
    WithPayloadSelector { selector_options: Some(options) }
}

/// The server rejects an empty selector.
pub(crate) fn no_payload() -> WithPayloadSelector {
    let options = with_payload_selector::SelectorOptions::Enable(false);
    WithPayloadSelector { selector_options: Some(options) }
}

pub(crate) fn payload_fields(fields: Vec<String>) -> WithPayloadSelector {
    let fields = qdrant::PayloadIncludeSelector { fields };
    let options = with_payload_selector::SelectorOptions::Include(fields);
    WithPayloadSelector { selector_options: Some(options) }
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
        let (collection, filter) = (collection.clone(), filter.clone());
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
