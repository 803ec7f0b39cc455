//! Requests.

use super::{FieldData, KeyValuePair};

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CreateCollection {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    /// An encoded `CollectionSchema`.
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) schema: Vec<u8>,
    #[prost(int32, tag = "5")]
    pub(crate) shards_num: i32,
    #[prost(int32, tag = "6")]
    pub(crate) consistency_level: i32,
    #[prost(message, repeated, tag = "7")]
    pub(crate) properties: Vec<KeyValuePair>,
}

/// For calls about one collection: `HasCollection`, `DescribeCollection` and `DropCollection`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct NamedCollection {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ShowCollections {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct LoadCollection {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    #[prost(int32, tag = "4")]
    pub(crate) replica_number: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetLoadState {
    #[prost(string, tag = "2")]
    pub(crate) collection_name: String,
    #[prost(string, tag = "4")]
    pub(crate) db_name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CreateIndex {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    #[prost(string, tag = "4")]
    pub(crate) field_name: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) extra_params: Vec<KeyValuePair>,
    #[prost(string, tag = "6")]
    pub(crate) index_name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct DescribeIndex {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    #[prost(string, tag = "4")]
    pub(crate) field_name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Upsert {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) fields_data: Vec<FieldData>,
    #[prost(uint32, tag = "7")]
    pub(crate) num_rows: u32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Delete {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    #[prost(string, tag = "5")]
    pub(crate) expr: String,
    #[prost(int32, tag = "7")]
    pub(crate) consistency_level: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Query {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    #[prost(string, tag = "4")]
    pub(crate) expr: String,
    #[prost(string, repeated, tag = "5")]
    pub(crate) output_fields: Vec<String>,
    #[prost(uint64, tag = "8")]
    pub(crate) guarantee_timestamp: u64,
    #[prost(message, repeated, tag = "9")]
    pub(crate) query_params: Vec<KeyValuePair>,
    #[prost(int32, tag = "11")]
    pub(crate) consistency_level: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Search {
    #[prost(string, tag = "2")]
    pub(crate) db_name: String,
    #[prost(string, tag = "3")]
    pub(crate) collection_name: String,
    /// The filter.
    #[prost(string, tag = "5")]
    pub(crate) dsl: String,
    /// An encoded `PlaceholderGroup`.
    #[prost(bytes = "vec", tag = "6")]
    pub(crate) placeholder_group: Vec<u8>,
    #[prost(int32, tag = "7")]
    pub(crate) dsl_type: i32,
    #[prost(string, repeated, tag = "8")]
    pub(crate) output_fields: Vec<String>,
    #[prost(message, repeated, tag = "9")]
    pub(crate) search_params: Vec<KeyValuePair>,
    #[prost(uint64, tag = "11")]
    pub(crate) guarantee_timestamp: u64,
    #[prost(int64, tag = "12")]
    pub(crate) nq: i64,
    #[prost(int32, tag = "14")]
    pub(crate) consistency_level: i32,
}

/// `dsl` is an expression.
pub(crate) const EXPRESSION: i32 = 1;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct PlaceholderGroup {
    #[prost(message, repeated, tag = "1")]
    pub(crate) placeholders: Vec<PlaceholderValue>,
}

/// The vectors to search with.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct PlaceholderValue {
    #[prost(string, tag = "1")]
    pub(crate) tag: String,
    #[prost(enumeration = "super::DataType", tag = "2")]
    pub(crate) r#type: i32,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(crate) values: Vec<Vec<u8>>,
}
