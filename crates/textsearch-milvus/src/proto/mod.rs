//! The messages of [Milvus's protocol](https://github.com/milvus-io/milvus-proto) that this crate
//! uses, with the fields that it uses.

mod request;
mod response;
mod schema;

pub(crate) use request::*;
pub(crate) use response::*;
pub(crate) use schema::*;

/// A setting: its name and its value as text.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct KeyValuePair {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

pub(crate) fn pair(key: &str, value: impl ToString) -> KeyValuePair {
    KeyValuePair { key: key.to_owned(), value: value.to_string() }
}
