//! Requests and responses of the [API](https://docs.pinecone.io/reference/api/introduction).

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tags::Tags;

/// The schema field of the dense vector in an index that the vectors API serves.
pub(crate) const DENSE: &str = "_values";

#[derive(Serialize)]
pub(crate) struct CreateIndex<'a> {
    pub(crate) name: &'a str,
    pub(crate) schema: NewSchema<'a>,
    pub(crate) deployment: Deployment<'a>,
    pub(crate) tags: Tags,
}

#[derive(Serialize)]
pub(crate) struct NewSchema<'a> {
    pub(crate) fields: BTreeMap<&'static str, NewField<'a>>,
}

#[derive(Serialize)]
pub(crate) struct NewField<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) dimension: usize,
    pub(crate) metric: &'a str,
}

#[derive(Serialize)]
pub(crate) struct Deployment<'a> {
    pub(crate) deployment_type: &'static str,
    pub(crate) cloud: &'a str,
    pub(crate) region: &'a str,
}

#[derive(Deserialize)]
pub(crate) struct Indexes {
    #[serde(default)]
    pub(crate) indexes: Vec<Index>,
}

#[derive(Deserialize)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) status: Status,
    pub(crate) schema: Schema,
    pub(crate) tags: Option<Tags>,
}

#[derive(Deserialize)]
pub(crate) struct Status {
    pub(crate) ready: bool,
    pub(crate) state: String,
}

#[derive(Deserialize)]
pub(crate) struct Schema {
    pub(crate) fields: HashMap<String, Field>,
}

#[derive(Deserialize)]
pub(crate) struct Field {
    pub(crate) dimension: Option<usize>,
    pub(crate) metric: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct CreateNamespace<'a> {
    pub(crate) name: &'a str,
}

/// A vector to write.
#[derive(Serialize)]
pub(crate) struct NewVector<'a> {
    pub(crate) id: &'a str,
    pub(crate) values: &'a [f32],
    #[serde(rename = "sparseValues", skip_serializing_if = "Option::is_none")]
    pub(crate) sparse_values: Option<SparseValues>,
    pub(crate) metadata: Map<String, Value>,
}

/// Numbers, once each, with their values.
#[derive(Serialize)]
pub(crate) struct SparseValues {
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Query<'a> {
    pub(crate) vector: &'a [f32],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sparse_vector: Option<&'a SparseValues>,
    pub(crate) top_k: usize,
    pub(crate) filter: Value,
    pub(crate) include_values: bool,
    pub(crate) include_metadata: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<&'a str>,
}

#[derive(Deserialize, Default)]
pub(crate) struct Matches {
    #[serde(default)]
    pub(crate) matches: Vec<Match>,
}

#[derive(Deserialize)]
pub(crate) struct Match {
    pub(crate) score: f64,
    #[serde(flatten)]
    pub(crate) vector: Vector,
}

/// A stored vector.
#[derive(Deserialize)]
pub(crate) struct Vector {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) values: Vec<f32>,
    pub(crate) metadata: Option<Map<String, Value>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FetchByMetadata<'a> {
    pub(crate) filter: &'a Value,
    pub(crate) limit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pagination_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<&'a str>,
}

#[derive(Deserialize, Default)]
pub(crate) struct Fetched {
    #[serde(default)]
    pub(crate) vectors: HashMap<String, Vector>,
    pub(crate) pagination: Option<Pagination>,
}

#[derive(Deserialize, Default)]
pub(crate) struct Listed {
    #[serde(default)]
    pub(crate) vectors: Vec<ListItem>,
    pub(crate) pagination: Option<Pagination>,
}

#[derive(Deserialize)]
pub(crate) struct ListItem {
    pub(crate) id: String,
}

#[derive(Deserialize)]
pub(crate) struct Pagination {
    pub(crate) next: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delete<'a> {
    pub(crate) ids: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<&'a str>,
}

/// Deletes all records of the default namespace.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeleteAll {
    pub(crate) delete_all: bool,
}

#[derive(Deserialize)]
pub(crate) struct Namespaces {
    #[serde(default)]
    pub(crate) namespaces: Vec<Namespace>,
    pub(crate) pagination: Option<Pagination>,
}

#[derive(Deserialize)]
pub(crate) struct Namespace {
    #[serde(default)]
    pub(crate) name: String,
}

/// A response without content that matters.
#[derive(Deserialize, Default)]
pub(crate) struct Done {}
