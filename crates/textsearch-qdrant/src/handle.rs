//! One collection on a server, with the requests that all operations share.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use qdrant_client::{
    Qdrant, QdrantError,
    qdrant::{
        self, CollectionInfo, CountPoints, WithPayloadSelector, WithVectorsSelector,
        with_payload_selector, with_vectors_selector,
    },
};
use textsearch_core::{
    Filter, Result,
    text_analysis::SparseFields,
    vector::{KeyKind, RecordDefinition},
};

use crate::{client::Nodes, error, filter, path, record::PointWriter, schema::Readable};

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
        let name = name.to_owned();
        let definition = Arc::new(definition);
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
        if answered.as_ref().is_err_and(error::is_collection_not_found) {
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

    /// Selects the part of the payload that holds a record's key.
    pub(crate) fn key_payload(&self) -> WithPayloadSelector {
        let key = &self.definition.key;
        if key.kind != KeyKind::String {
            return no_payload();
        }
        let moved = format!("{}.{}", path::RESERVED, path::MOVED);
        payload_fields(vec![path::native(&key.name), moved])
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
