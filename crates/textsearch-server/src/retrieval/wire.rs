//! The shapes of the ChatGPT retrieval plugin.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub(super) const SOURCE: &str = "source";
pub(super) const SOURCE_ID: &str = "source_id";
pub(super) const CREATED_AT: &str = "created_at";
pub(super) const AUTHOR: &str = "author";

/// Several searches at once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "queries": [{ "query": "fusion", "top_k": 2 }] }))]
pub(crate) struct QueryRequest {
    #[schema(min_items = 1, max_items = 32)]
    pub(super) queries: Vec<Query>,
}

/// One search.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    /// What to search for.
    pub(super) query: String,
    #[serde(default)]
    pub(super) filter: Option<MetadataFilter>,
    /// The maximum number of results: 3 by default.
    #[serde(default)]
    pub(super) top_k: Option<usize>,
}

/// Conditions that must all hold.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetadataFilter {
    /// The id of the document.
    pub(super) document_id: Option<String>,
    pub(super) source: Option<String>,
    pub(super) source_id: Option<String>,
    pub(super) author: Option<String>,
    /// The earliest `created_at`.
    pub(super) start_date: Option<String>,
    /// The latest `created_at`.
    pub(super) end_date: Option<String>,
}

/// The results of each query, in order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QueryResponse {
    pub(super) results: Vec<QueryResult>,
}

/// The results of one query.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QueryResult {
    pub(super) query: String,
    pub(super) results: Vec<ScoredChunk>,
}

/// A part of a document, with its score.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ScoredChunk {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) metadata: ChunkMetadata,
    /// Always null.
    #[schema(value_type = Option<Vec<f32>>)]
    pub(super) embedding: Option<()>,
    pub(super) score: f64,
}

/// The metadata of a part of a document.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChunkMetadata {
    pub(super) document_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
    /// Other metadata: `source`, `source_id`, `created_at`, `author` and the store's own fields.
    #[serde(flatten)]
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub(super) other: Map<String, Value>,
}

/// Documents to store.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "documents": [{ "id": "plan", "text": "Acme sells anvils." }] }))]
pub(crate) struct UpsertRequest {
    #[schema(max_items = 1000)]
    pub(super) documents: Vec<WrittenDocument>,
}

/// A document.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenDocument {
    /// The id, of 512 bytes at most; a new one by default. An existing document with this id is
    /// replaced.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 512, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    pub(super) id: Option<String>,
    /// The text, without markup.
    #[schema(pattern = r"\S")]
    pub(super) text: String,
    #[serde(default)]
    pub(super) metadata: Option<WrittenMetadata>,
}

/// The metadata of a document.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct WrittenMetadata {
    #[serde(default)]
    pub(super) url: Option<String>,
    /// Other metadata: `source`, `source_id`, `created_at`, `author` and the store's own fields.
    #[serde(flatten)]
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub(super) other: Map<String, Value>,
}

/// The ids of the stored documents, in order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UpsertResponse {
    pub(super) ids: Vec<String>,
}

/// The documents to delete: by id, by metadata, or all.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "ids": ["plan"] }))]
pub(crate) struct DeleteRequest {
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub(super) ids: Option<Vec<String>>,
    #[serde(default)]
    pub(super) filter: Option<MetadataFilter>,
    #[serde(default)]
    pub(super) delete_all: Option<bool>,
}

/// Whether the documents are deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeleteResponse {
    pub(super) success: bool,
}
