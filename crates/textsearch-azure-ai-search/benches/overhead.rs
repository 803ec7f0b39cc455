//! Measures the connector against a bare `reqwest` client that sends similar requests and reads the
//! same results as JSON. The two run alternately, against the stand-in of the tests.
//!
//! Start `cargo run --release -p textsearch-azure-ai-search --example azure_search_stand_in`, then
//! `AZURE_SEARCH_API_KEY=standin-sesame AZURE_SEARCH_ENDPOINT=… cargo bench -p
//! textsearch-azure-ai-search`.

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
use serde_json::Value;
use textsearch_azure_ai_search::{
    AzureSearchConfig, AzureSearchStore,
    vector::{StoredRecord, VectorField},
};

/// The column of the data.
const DATA: &str = "textsearch_data_of_string";

struct Bare {
    client: reqwest::Client,
    key: String,
    /// The URL of the index's documents.
    url: String,
}

impl Bare {
    fn new() -> Self {
        let client = client();
        let variable = |name| std::env::var(name).expect("it is set");
        let url = variable("AZURE_SEARCH_ENDPOINT");
        let url = format!("{}/indexes('overhead-bare')/docs", url.trim_end_matches('/'));
        Self { client, key: variable("AZURE_SEARCH_API_KEY"), url }
    }

    async fn post(&self, operation: &str, body: String) -> Value {
        let url = format!("{}/{operation}?api-version=2026-04-01", self.url);
        let request = self.client.post(url).header("api-key", &self.key);
        let request = request.header("accept", "application/json;odata.metadata=none");
        answer(request.header("content-type", "application/json").body(body)).await
    }
}

impl BareClient for Bare {
    async fn upsert(&self, records: &[StoredRecord]) {
        let action = |record: &StoredRecord| {
            let lang = &record.data["lang"];
            let year = &record.data["year"];
            let data = Value::from(Value::from(record.data.clone()).to_string());
            let vector = in_json(&record.vectors["embedding"]);
            format!(
                r#"{{"@search.action":"upload","id":"{}","lang":{lang},"year":{year},"embedding":{vector},"{DATA}":{data}}}"#,
                record.key
            )
        };
        let actions: Vec<String> = records.iter().map(action).collect();
        self.post("search.index", format!(r#"{{"value":[{}]}}"#, actions.join(","))).await;
    }

    async fn query(&self) {
        for number in 0..QUERIES {
            let vector = in_json(&vector(number));
            let top = TOP + 1;
            let body = format!(
                r#"{{"vectorQueries":[{{"kind":"vector","vector":{vector},"fields":"embedding","k":{top},"exhaustive":true}}],"select":"id,{DATA}","top":{top}}}"#
            );
            let response = self.post("search.post.search", body).await;
            let response = response["value"].as_array().expect("it has results");
            let data = response.iter().filter_map(|document| document[DATA].as_str());
            let read = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
            assert_eq!(read.count(), TOP + 1);
        }
    }
}

#[tokio::main]
async fn main() {
    let config = AzureSearchConfig::from_env().expect("the variables name a server and its key");
    let store = AzureSearchStore::new(config).expect("the settings are right");
    let definition = definition(VectorField::new("embedding", DIMENSIONS));
    create(&store, &definition).await;
    compare(&store, &definition, &Bare::new()).await;
}
