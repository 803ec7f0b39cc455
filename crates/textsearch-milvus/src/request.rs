//! Search requests.

use prost::Message as _;
use serde_json::Value;

use crate::{
    error::Failure,
    handle::Handle,
    proto::{self, DataType, PlaceholderGroup, PlaceholderValue, SearchResultData, pair},
};

/// The server ranks no more.
pub(crate) const MAX_RESULTS: usize = 16_384;

/// One search for each of the vectors.
pub(crate) struct Search<'a> {
    pub(crate) condition: &'a str,
    pub(crate) column: &'a str,
    pub(crate) metric: &'static str,
    pub(crate) data_type: DataType,
    pub(crate) vectors: Vec<Vec<u8>>,
    pub(crate) limit: usize,
    /// Parameters of the index.
    pub(crate) parameters: Value,
    pub(crate) outputs: Vec<String>,
}

impl Handle {
    pub(crate) async fn run_search(&self, search: Search<'_>) -> Result<SearchResultData, Failure> {
        let nq = i64::try_from(search.vectors.len()).unwrap_or(i64::MAX);
        let placeholder = PlaceholderValue {
            tag: "$0".to_owned(),
            r#type: search.data_type as i32,
            values: search.vectors,
        };
        let request = proto::Search {
            db_name: self.client.database(),
            collection_name: self.encoded(),
            dsl: search.condition.to_owned(),
            placeholder_group: PlaceholderGroup { placeholders: vec![placeholder] }.encode_to_vec(),
            dsl_type: proto::EXPRESSION,
            output_fields: search.outputs,
            search_params: vec![
                pair("anns_field", search.column),
                pair("topk", search.limit),
                pair("metric_type", search.metric),
                pair("params", search.parameters),
                pair("round_decimal", -1),
            ],
            guarantee_timestamp: self.client.guarantee(),
            nq,
            consistency_level: self.client.config().consistency_level.number(),
        };
        let searched: proto::Searched = self.call_loaded("Search", &request).await?;
        Ok(searched.results.unwrap_or_default())
    }
}
