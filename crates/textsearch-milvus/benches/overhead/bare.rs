//! A client of two calls, without anything around them.

use prost::Message;
use textsearch_milvus::vector::StoredRecord;
use tonic::{
    Request,
    client::Grpc,
    codegen::http::uri::PathAndQuery,
    transport::{Channel, Endpoint},
};

use crate::{
    codec::Encoded,
    proto::{
        Arrays, Blobs, Column, DataType, EXPRESSION, Elements, FieldData, Floats, Longs,
        PlaceholderGroup, PlaceholderValue, Response, Scalars, Search, Searched, Texts, Upsert,
        Values, Written, pair,
    },
};

pub(crate) struct Bare(Channel);

impl Bare {
    pub(crate) fn new(url: &str) -> Self {
        Self(Endpoint::from_shared(url.to_owned()).expect("the address is valid").connect_lazy())
    }

    pub(crate) async fn upsert(&self, into: &str, records: &[StoredRecord], dimensions: usize) {
        let texts = |name: &str| {
            let text =
                |record: &StoredRecord| record.data[name].as_str().unwrap_or_default().to_owned();
            let data = records.iter().map(text).collect();
            FieldData::scalars(name, DataType::VarChar, Values::Texts(Texts { data }))
        };
        let empty = |name: &str| {
            let no_texts = Scalars { values: Some(Values::Texts(Texts::default())) };
            let data = vec![no_texts; records.len()];
            let arrays = Arrays { data, element_type: DataType::VarChar as i32 };
            FieldData::scalars(name, DataType::Array, Values::Arrays(arrays))
        };
        let json =
            records.iter().map(|record| serde_json::to_vec(&record.data).expect("it is JSON"));
        let json = Values::Json(Blobs { data: json.collect() });
        let years = records.iter().map(|record| record.data["year"].as_i64().unwrap_or_default());
        let years = Values::Longs(Longs { data: years.collect() });
        let data = records.iter().flat_map(|record| record.vectors["embedding"].iter().copied());
        let floats = Elements::Floats(Floats { data: data.collect() });
        let valid = || vec![true; records.len()];
        let fields_data = vec![
            texts("id"),
            FieldData::scalars("textsearch_data", DataType::Json, json),
            empty("textsearch_long"),
            FieldData { valid_data: valid(), ..texts("lang") },
            FieldData { valid_data: valid(), ..FieldData::scalars("year", DataType::Int64, years) },
            empty("textsearch_absent"),
            FieldData::vectors("embedding", DataType::FloatVector, dimensions as i64, floats),
        ];
        let num_rows = records.len() as u32;
        let request = Upsert {
            db_name: String::new(),
            collection_name: into.to_owned(),
            fields_data,
            num_rows,
        };
        self.call::<Written>("Upsert", &request).await;
    }

    /// Reads the data as JSON, like the connector.
    pub(crate) async fn search(
        &self,
        collection: &str,
        vector: &[f32],
        top: usize,
    ) -> Vec<serde_json::Value> {
        let bytes = vector.iter().flat_map(|element| element.to_le_bytes()).collect();
        let placeholder = PlaceholderValue {
            tag: "$0".to_owned(),
            r#type: DataType::FloatVector as i32,
            values: vec![bytes],
        };
        let request = Search {
            collection_name: collection.to_owned(),
            placeholder_group: PlaceholderGroup { placeholders: vec![placeholder] }.encode_to_vec(),
            dsl_type: EXPRESSION,
            output_fields: vec!["textsearch_data".to_owned()],
            search_params: vec![
                pair("anns_field", "embedding"),
                pair("topk", top),
                pair("metric_type", "COSINE"),
                pair("params", "{}"),
            ],
            nq: 1,
            ..Search::default()
        };
        let searched = self.call::<Searched>("Search", &request).await;
        let mut results = searched.results.expect("it has results");
        let Some(Column::Scalars(scalars)) = results.fields_data.remove(0).column else {
            panic!("it has data")
        };
        let Some(Values::Json(json)) = scalars.values else { panic!("the data are JSON") };
        json.data.iter().map(|json| serde_json::from_slice(json).expect("it is JSON")).collect()
    }

    async fn call<R: Response>(&self, method: &str, request: &impl Message) -> R {
        let path = format!("/milvus.proto.milvus.MilvusService/{method}");
        let path = PathAndQuery::try_from(path).expect("the path is valid");
        let mut grpc = Grpc::new(self.0.clone()).max_decoding_message_size(1 << 30);
        grpc.ready().await.expect("the server is there");
        let request = Request::new(request.encode_to_vec().into());
        let answered = grpc.unary(request, path, Encoded::<R>::default()).await;
        let response = answered.expect("the call is answered").into_inner();
        let status = response.status().expect("it has a status");
        assert_eq!((status.code, status.reason.as_str()), (0, ""));
        response
    }
}
