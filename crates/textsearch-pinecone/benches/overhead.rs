//! Measures the connector against a bare `reqwest` client that sends similar requests and reads the
//! same results as JSON. The two run alternately, against the stand-in of the tests.
//!
//! Start `cargo run --release -p textsearch-pinecone --example pinecone_stand_in`, then
//! `PINECONE_API_KEY=pcsk_sesame PINECONE_ENDPOINT=… cargo bench -p textsearch-pinecone`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for the terminal, which ends where something fails"
)]

#[path = "../../../xtask/benchmarks/support/overhead.rs"]
mod overhead;
#[path = "../../../xtask/benchmarks/support/overhead_http.rs"]
mod overhead_http;

use overhead::{DIMENSIONS, TOP, definition, vector};
use overhead_http::{BareClient, QUERIES, answer, client, compare, create, in_json};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use textsearch_pinecone::{
    PineconeConfig, PineconeStore,
    vector::{IndexKind, StoredRecord, VectorField},
};

struct Bare {
    client: reqwest::Client,
    key: String,
    /// The index's URL.
    url: String,
}

impl Bare {
    async fn new() -> Self {
        let client = client();
        let variable = |name| std::env::var(name).expect("it is set");
        let key = variable("PINECONE_API_KEY");
        let mut bare = Self { client, key, url: String::new() };
        let url = format!("{}/indexes/overhead-bare", variable("PINECONE_ENDPOINT"));
        let index = bare.client.get(url);
        let index = answer(bare.with_key(index)).await;
        bare.url = format!("http://{}", index["host"].as_str().expect("the index has a host"));
        bare
    }

    fn with_key(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("api-key", &self.key).header("x-pinecone-api-version", "2026-07")
    }

    async fn post(&self, path: &str, body: String) -> Value {
        let request = self.client.post(format!("{}/{path}", self.url));
        answer(self.with_key(request).header("content-type", "application/json").body(body)).await
    }
}

impl BareClient for Bare {
    async fn upsert(&self, records: &[StoredRecord]) {
        // Pinecone accepts 2 MB.
        for batch in records.chunks(350) {
            let vector = |record: &StoredRecord| {
                let data = Value::from(record.data.clone()).to_string();
                let metadata = json!({ "data": data, "lang": record.data["lang"], "year": record.data["year"] });
                let values = in_json(&record.vectors["embedding"]);
                format!(r#"{{"id":"{}","values":{values},"metadata":{metadata}}}"#, record.key)
            };
            let vectors: Vec<String> = batch.iter().map(vector).collect();
            self.post("vectors/upsert", format!(r#"{{"vectors":[{}]}}"#, vectors.join(","))).await;
        }
    }

    async fn query(&self) {
        for number in 0..QUERIES {
            let vector = in_json(&vector(number));
            // The connector has a filter too, of records with a vector.
            let body = format!(
                r#"{{"vector":{vector},"topK":{},"filter":{{"lang":{{"$in":["en","de"]}}}},"includeValues":false,"includeMetadata":true}}"#,
                TOP + 1
            );
            let response = self.post("query", body).await;
            let response = response["matches"].as_array().expect("it has matches");
            let data = response.iter().filter_map(|matched| matched["metadata"]["data"].as_str());
            let read = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
            assert_eq!(read.count(), TOP + 1);
        }
    }
}

#[tokio::main]
async fn main() {
    let config = PineconeConfig::from_env().expect("the variables name a server and its key");
    let store = PineconeStore::new(config).expect("the settings are right");
    let definition =
        definition(VectorField::new("embedding", DIMENSIONS).with_index(IndexKind::hnsw()));
    create(&store, &definition).await;
    compare(&store, &definition, &Bare::new().await).await;
}
