//! Responses.

use super::{CollectionSchema, FieldData, Ids, KeyValuePair};

/// Whether a call succeeded. Both codes are 0 if so.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Status {
    /// The code of servers before 2.3.
    #[prost(int32, tag = "1")]
    pub(crate) error_code: i32,
    #[prost(string, tag = "2")]
    pub(crate) reason: String,
    #[prost(int32, tag = "3")]
    pub(crate) code: i32,
    #[prost(bool, tag = "4")]
    pub(crate) retriable: bool,
}

/// A response with a status.
pub(crate) trait Response: prost::Message + Default + 'static {
    fn status(&self) -> Option<&Status>;
}

impl Response for Status {
    fn status(&self) -> Option<&Status> {
        Some(self)
    }
}

macro_rules! responses {
    ($($name:ident),+) => {
        $(impl Response for $name {
            fn status(&self) -> Option<&Status> {
                self.status.as_ref()
            }
        })+
    };
}

responses!(Truth, Described, Shown, LoadState, DescribedIndexes, Written, Queried, Searched);

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Truth {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
    #[prost(bool, tag = "2")]
    pub(crate) value: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Described {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(crate) schema: Option<CollectionSchema>,
    #[prost(message, repeated, tag = "13")]
    pub(crate) properties: Vec<KeyValuePair>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Shown {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) collection_names: Vec<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct LoadState {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
    #[prost(int32, tag = "2")]
    pub(crate) state: i32,
}

pub(crate) const LOADED: i32 = 3;

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct DescribedIndexes {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Written {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
    /// Positions of records that were not stored.
    #[prost(uint32, repeated, tag = "4")]
    pub(crate) err_index: Vec<u32>,
    #[prost(uint64, tag = "9")]
    pub(crate) timestamp: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Queried {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) fields_data: Vec<FieldData>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Searched {
    #[prost(message, optional, tag = "1")]
    pub(crate) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(crate) results: Option<SearchResultData>,
}

/// The results of one search, best first, or of several, one after the other.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SearchResultData {
    #[prost(message, repeated, tag = "3")]
    pub(crate) fields_data: Vec<FieldData>,
    #[prost(float, repeated, tag = "4")]
    pub(crate) scores: Vec<f32>,
    #[prost(message, optional, tag = "5")]
    pub(crate) ids: Option<Ids>,
    /// How many results each search has.
    #[prost(int64, repeated, tag = "6")]
    pub(crate) topks: Vec<i64>,
}
