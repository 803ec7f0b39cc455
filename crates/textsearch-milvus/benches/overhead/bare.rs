//! A client of two calls, without anything around them.

use std::marker::PhantomData;

use prost::Message;
use textsearch_milvus::vector::StoredRecord;
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::http::uri::PathAndQuery,
    transport::{Channel, Endpoint},
};

pub(crate) struct Bare(Channel);

#[derive(Clone, PartialEq, Message)]
struct Upsert {
    #[prost(string, tag = "3")]
    collection: String,
    #[prost(message, repeated, tag = "5")]
    columns: Vec<Column>,
    #[prost(uint32, tag = "7")]
    rows: u32,
}

#[derive(Clone, PartialEq, Message)]
struct Column {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, optional, tag = "3")]
    scalars: Option<Scalars>,
    #[prost(message, optional, tag = "4")]
    vectors: Option<Vectors>,
    #[prost(bool, repeated, tag = "7")]
    valid: Vec<bool>,
}

#[derive(Clone, PartialEq, Message)]
struct Scalars {
    #[prost(message, optional, tag = "3")]
    longs: Option<Longs>,
    #[prost(message, optional, tag = "6")]
    texts: Option<Texts>,
    #[prost(message, optional, boxed, tag = "8")]
    lists: Option<Box<Lists>>,
    #[prost(message, optional, tag = "9")]
    json: Option<Json>,
}

#[derive(Clone, PartialEq, Message)]
struct Longs {
    #[prost(int64, repeated, tag = "1")]
    data: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Texts {
    #[prost(string, repeated, tag = "1")]
    data: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct Lists {
    #[prost(message, repeated, tag = "1")]
    data: Vec<Scalars>,
    #[prost(int32, tag = "2")]
    kind: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Json {
    #[prost(bytes = "vec", repeated, tag = "1")]
    data: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct Vectors {
    #[prost(int64, tag = "1")]
    dim: i64,
    #[prost(message, optional, tag = "2")]
    floats: Option<Floats>,
}

#[derive(Clone, PartialEq, Message)]
struct Floats {
    #[prost(float, repeated, tag = "1")]
    data: Vec<f32>,
}

#[derive(Clone, PartialEq, Message)]
struct Search {
    #[prost(string, tag = "3")]
    collection: String,
    #[prost(bytes = "vec", tag = "6")]
    placeholders: Vec<u8>,
    #[prost(int32, tag = "7")]
    dsl_type: i32,
    #[prost(string, repeated, tag = "8")]
    outputs: Vec<String>,
    #[prost(message, repeated, tag = "9")]
    parameters: Vec<Pair>,
    #[prost(int64, tag = "12")]
    nq: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Placeholders {
    #[prost(message, repeated, tag = "1")]
    values: Vec<Placeholder>,
}

#[derive(Clone, PartialEq, Message)]
struct Placeholder {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(int32, tag = "2")]
    kind: i32,
    #[prost(bytes = "vec", repeated, tag = "3")]
    values: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct Response {
    #[prost(message, optional, tag = "1")]
    status: Option<Answer>,
    /// Of a search. Other responses have their keys here, whose fields this type doesn't have.
    #[prost(message, optional, tag = "2")]
    results: Option<Results>,
}

#[derive(Clone, PartialEq, Message)]
struct Answer {
    #[prost(string, tag = "2")]
    reason: String,
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Results {
    #[prost(message, repeated, tag = "3")]
    columns: Vec<Column>,
    #[prost(float, repeated, tag = "4")]
    scores: Vec<f32>,
}

impl Bare {
    pub(crate) fn new(url: &str) -> Self {
        Self(Endpoint::from_shared(url.to_owned()).expect("the address is valid").connect_lazy())
    }

    pub(crate) async fn upsert(&self, into: &str, records: &[StoredRecord], dimensions: usize) {
        let texts = |kind: i32, name: &str, data: Vec<String>| {
            let scalars = Scalars { texts: Some(Texts { data }), ..Scalars::default() };
            Column { kind, name: name.to_owned(), scalars: Some(scalars), ..Column::default() }
        };
        let text = |record: &StoredRecord, field: &str| {
            record.data[field].as_str().unwrap_or_default().to_owned()
        };
        let empty = || {
            let no_texts = Scalars { texts: Some(Texts::default()), ..Scalars::default() };
            let lists = Lists { data: vec![no_texts; records.len()], kind: 21 };
            Some(Scalars { lists: Some(Box::new(lists)), ..Scalars::default() })
        };
        let named =
            |kind: i32, name: &str| Column { kind, name: name.to_owned(), ..Column::default() };
        let json =
            records.iter().map(|record| serde_json::to_vec(&record.data).expect("it is JSON"));
        let json = Scalars { json: Some(Json { data: json.collect() }), ..Scalars::default() };
        let years = records.iter().map(|record| record.data["year"].as_i64().unwrap_or_default());
        let years = Scalars { longs: Some(Longs { data: years.collect() }), ..Scalars::default() };
        let data = records.iter().flat_map(|record| record.vectors["embedding"].iter().copied());
        let floats = Some(Floats { data: data.collect() });
        let valid = vec![true; records.len()];
        let columns = vec![
            texts(21, "id", records.iter().map(|record| text(record, "id")).collect()),
            Column { scalars: Some(json), ..named(23, "textsearch_data") },
            Column { scalars: empty(), ..named(22, "textsearch_long") },
            Column {
                valid: valid.clone(),
                ..texts(21, "lang", records.iter().map(|record| text(record, "lang")).collect())
            },
            Column { valid, scalars: Some(years), ..named(5, "year") },
            Column { scalars: empty(), ..named(22, "textsearch_absent") },
            Column {
                vectors: Some(Vectors { dim: dimensions as i64, floats }),
                ..named(101, "embedding")
            },
        ];
        let rows = records.len() as u32;
        self.call("Upsert", Upsert { collection: into.to_owned(), columns, rows }).await;
    }

    /// Reads the data as JSON, like the connector.
    pub(crate) async fn search(
        &self,
        collection: &str,
        vector: &[f32],
        top: usize,
    ) -> Vec<serde_json::Value> {
        let pair = |key: &str, value: String| Pair { key: key.to_owned(), value };
        let bytes = vector.iter().flat_map(|element| element.to_le_bytes()).collect();
        let placeholder = Placeholder { tag: "$0".to_owned(), kind: 101, values: vec![bytes] };
        let request = Search {
            collection: collection.to_owned(),
            placeholders: Placeholders { values: vec![placeholder] }.encode_to_vec(),
            dsl_type: 1,
            outputs: vec!["textsearch_data".to_owned()],
            parameters: vec![
                pair("anns_field", "embedding".to_owned()),
                pair("topk", top.to_string()),
                pair("metric_type", "COSINE".to_owned()),
                pair("params", "{}".to_owned()),
            ],
            nq: 1,
        };
        let results = self.call("Search", request).await.results.expect("it has results");
        let json = results.columns[0].scalars.clone().expect("it has data").json.expect("JSON");
        json.data.iter().map(|json| serde_json::from_slice(json).expect("it is JSON")).collect()
    }

    async fn call<Q: Message + 'static>(&self, method: &str, request: Q) -> Response {
        let path = format!("/milvus.proto.milvus.MilvusService/{method}");
        let path = PathAndQuery::try_from(path).expect("the path is valid");
        let mut grpc = Grpc::new(self.0.clone()).max_decoding_message_size(1 << 30);
        grpc.ready().await.expect("the server is there");
        let answered = grpc.unary(Request::new(request), path, Messages::<Q>(PhantomData)).await;
        let response: Response = answered.expect("the call is answered").into_inner();
        let status = response.status.clone().expect("it has a status");
        assert_eq!((status.code, status.reason.as_str()), (0, ""));
        response
    }
}

struct Messages<Q>(PhantomData<Q>);

impl<Q: Message + 'static> Codec for Messages<Q> {
    type Encode = Q;
    type Decode = Response;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self(PhantomData)
    }

    fn decoder(&mut self) -> Self {
        Self(PhantomData)
    }
}

impl<Q: Message> Encoder for Messages<Q> {
    type Item = Q;
    type Error = Status;

    fn encode(&mut self, item: Q, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl<Q: Message> Decoder for Messages<Q> {
    type Item = Response;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Response>, Status> {
        Response::decode(buffer).map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
