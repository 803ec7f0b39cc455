//! Requests to [search](https://learn.microsoft.com/rest/api/searchservice/documents/search-post) an
//! index, and their responses.

use std::{collections::HashSet, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::{
    Result,
    http::{HttpRequest, Method},
};

use crate::{error::index_error, handle::Index};

/// The most records of one response.
pub(crate) const PAGE: usize = 1_000;

/// Fields that are not set are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) search: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) search_fields: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) search_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) query_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) semantic_configuration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scoring_statistics: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) vector_queries: Vec<VectorQuery>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) vector_filter_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) orderby: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) select: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) top: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skip: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<bool>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct VectorQuery {
    pub(crate) kind: &'static str,
    pub(crate) vector: Arc<[f32]>,
    pub(crate) fields: String,
    pub(crate) k: usize,
    pub(crate) exhaustive: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Page {
    pub(crate) value: Vec<ScoredDocument>,
    #[serde(default, rename = "@odata.count")]
    pub(crate) count: Option<u64>,
    /// Set if the service ended the page early, because of its size.
    #[serde(default, rename = "@search.nextPageParameters")]
    next: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ScoredDocument {
    #[serde(rename = "@search.score")]
    pub(crate) score: f64,
    #[serde(default, rename = "@search.rerankerScore")]
    pub(crate) reranker_score: Option<f64>,
    #[serde(flatten)]
    pub(crate) fields: Map<String, Value>,
}

impl Page {
    /// Returns whether there may be more results.
    pub(crate) fn is_cut(&self, top: usize) -> bool {
        self.next.is_some() || self.value.len() >= top
    }
}

impl Index {
    pub(crate) async fn page(&self, request: &SearchRequest) -> Result<Page> {
        let request = self.post("search.post.search").with_json(request);
        self.service.read(request).await.map_err(|error| index_error(&self.name, error))
    }

    /// Returns up to `depth` results, and whether there are no more.
    pub(crate) async fn ranked(
        &self,
        mut request: SearchRequest,
        depth: usize,
    ) -> Result<(Vec<ScoredDocument>, bool)> {
        let mut documents = Vec::new();
        let mut seen = HashSet::new();
        let mut read = 0;
        loop {
            let top = PAGE.min(depth - read);
            (request.top, request.skip) = (Some(top), Some(read));
            let page = self.page(&request).await?;
            let is_cut = page.is_cut(top);
            let count = page.value.len();
            read += count;
            // Pages overlap if records of equal score change places in between.
            let key =
                |document: &ScoredDocument| document.fields.get(&self.definition.key.name).cloned();
            documents.extend(page.value.into_iter().filter(|document| seen.insert(key(document))));
            if !is_cut || count == 0 {
                return Ok((documents, true));
            }
            if read >= depth {
                return Ok((documents, false));
            }
        }
    }

    /// Creates a request on the documents. Sending it twice has the effect of once.
    pub(crate) fn post(&self, operation: &str) -> HttpRequest {
        let path = format!("/indexes('{}')/docs/{operation}", self.name);
        let request = self.service.request(Method::POST, &path).with_idempotent(true);
        request.with_header("Accept", "application/json;odata.metadata=none")
    }
}
