//! The stand-in rejects what Pinecone's schema forbids; else these tests would prove little.

use serde_json::{Value, json};
use textsearch_pinecone::{
    Error, ErrorKind,
    http::{HttpClient, HttpRequest, HttpSettings, Method, Secret, Url},
};

use crate::{
    stand_in::{Behavior, KEY, StandIn},
    support::notes,
};

/// Sends requests as they are.
struct Raw {
    client: HttpClient,
    control: Url,
    index: Url,
    _stand_in: StandIn,
}

impl Raw {
    async fn start() -> Self {
        let stand_in = StandIn::start(Behavior::default());
        notes(&stand_in.store()).await;
        let settings = HttpSettings::default().with_max_attempts(1).with_proxy(false);
        let client = HttpClient::new("raw", settings).unwrap();
        let control = Url::parse(stand_in.endpoint()).unwrap();
        let mut raw =
            Self { client, control: control.clone(), index: control, _stand_in: stand_in };
        let indexes = raw.send(Method::GET, &raw.control, "indexes", None).await.unwrap();
        let host = indexes["indexes"][0]["host"].as_str().unwrap();
        raw.index = Url::parse(&format!("http://{host}")).unwrap();
        raw
    }

    fn request(method: Method, base: &Url, path: &str, body: Option<&Value>) -> HttpRequest {
        let request = HttpRequest::new(method, base.join(path).unwrap());
        let request = request.with_header("x-pinecone-api-version", "2026-07");
        match body {
            Some(body) => request.with_json(body),
            None => request,
        }
    }

    async fn send(
        &self,
        method: Method,
        base: &Url,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, Error> {
        let request = Self::request(method, base, path, body.as_ref());
        let request = request.with_secret_header("api-key", &Secret::from(KEY));
        Ok(self.client.send_json::<Value>(request).await?.body)
    }

    /// Returns the status of the refusal.
    async fn refused(&self, base: &Url, path: &str, body: Value) -> u16 {
        let error = self.send(Method::POST, base, path, Some(body.clone())).await;
        match error.map_err(|error| error.kind().clone()) {
            Err(ErrorKind::UnexpectedStatus { status, .. }) => status,
            other => panic!("{path} {body}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn malformed_indexes_are_rejected() {
    let raw = Raw::start().await;
    let index = |changed: &str, value: Value| {
        let mut index = json!({
            "name": "new", "tags": { "a": "b" },
            "deployment": { "deployment_type": "managed", "cloud": "aws", "region": "us-east-1" },
            "schema": { "fields": { "_values": { "type": "dense_vector", "dimension": 2, "metric": "cosine" } } }
        });
        *index.pointer_mut(changed).unwrap() = value;
        index
    };
    let cases = [
        ("/name", json!("New")),
        ("/name", json!(7)),
        ("/tags/a", json!("é")),
        ("/tags/a", json!("v".repeat(121))),
        ("/deployment/cloud", json!("moon")),
        ("/deployment", json!({ "deployment_type": "managed", "cloud": "aws" })),
        ("/schema/fields/_values/metric", json!("manhattan")),
        ("/schema/fields/_values/dimension", json!(20_001)),
        ("/schema/fields/_values/dimension", json!("2")),
        ("/schema/fields", json!({})),
        ("/schema", json!({ "fields": {}, "more": 1 })),
    ];
    for (changed, value) in cases {
        assert_eq!(raw.refused(&raw.control, "indexes", index(changed, value)).await, 400);
    }
    let taken = index("/name", json!("notes"));
    assert_eq!(raw.refused(&raw.control, "indexes", taken).await, 409);
}

#[tokio::test]
async fn malformed_vectors_are_rejected() {
    let raw = Raw::start().await;
    let vector = |changed: &str, value: Value| {
        let mut vector = json!({ "id": "a", "values": [1, 0], "metadata": { "a": 1 } });
        vector[changed] = value;
        json!({ "vectors": [vector] })
    };
    let bodies = [
        json!({}),
        json!({ "vectors": [] }),
        json!({ "vectors": [{ "id": "a", "values": [1, 0] }], "more": 1 }),
        vector("id", json!("")),
        vector("id", json!("é")),
        vector("id", json!("a".repeat(513))),
        vector("values", json!([1])),
        vector("values", json!([1e-9, 0])),
        vector("values", json!(["1", 0])),
        vector("values", json!([1e300, 0])),
        vector("metadata", json!({ "a": null })),
        vector("metadata", json!({ "a": { "b": 1 } })),
        vector("metadata", json!({ "a": [1] })),
        vector("metadata", json!({ "$a": 1 })),
        vector("metadata", json!({ "a": "x".repeat(41_000) })),
        vector("more", json!(1)),
    ];
    for body in bodies {
        assert_eq!(raw.refused(&raw.index, "vectors/upsert", body).await, 400);
    }
}

/// An index by another metric rejects all.
#[tokio::test]
async fn malformed_sparse_values_are_rejected() {
    let raw = Raw::start().await;
    let good = json!({ "indices": [7, 3_000_000_000_u32], "values": [0.5, 2] });
    let upsert = |sparse: &Value| json!({ "vectors": [{ "id": "a", "values": [1, 0], "sparseValues": sparse }] });
    let query = |sparse: &Value| json!({ "vector": [1, 0], "topK": 5, "sparseVector": sparse });
    assert_eq!(raw.refused(&raw.index, "vectors/upsert", upsert(&good)).await, 400);
    assert_eq!(raw.refused(&raw.index, "query", query(&good)).await, 400);
    let field = json!({ "type": "dense_vector", "dimension": 2, "metric": "dotproduct" });
    let index = json!({ "name": "dots", "schema": { "fields": { "_values": field } } });
    let index = raw.send(Method::POST, &raw.control, "indexes", Some(index)).await.unwrap();
    let dots = Url::parse(&format!("http://{}", index["host"].as_str().unwrap())).unwrap();
    let faults = [
        json!({}),
        json!({ "indices": [], "values": [] }),
        json!({ "indices": [7] }),
        json!({ "indices": [7], "values": [1, 2] }),
        json!({ "indices": [7, 7], "values": [1, 2] }),
        json!({ "indices": [-7], "values": [1] }),
        json!({ "indices": [4_294_967_296_u64], "values": [1] }),
        json!({ "indices": ["7"], "values": [1] }),
        json!({ "indices": [7], "values": [0] }),
        json!({ "indices": [7], "values": ["1"] }),
        json!({ "indices": [7], "values": [1e300] }),
        json!({ "indices": [7], "values": [1], "more": 1 }),
        json!({ "indices": (0..2_049).collect::<Vec<_>>(), "values": vec![1; 2_049] }),
    ];
    for fault in &faults {
        assert_eq!(raw.refused(&dots, "vectors/upsert", upsert(fault)).await, 400);
        assert_eq!(raw.refused(&dots, "query", query(fault)).await, 400);
    }
    raw.send(Method::POST, &dots, "vectors/upsert", Some(upsert(&good))).await.unwrap();
    let response = raw.send(Method::POST, &dots, "query", Some(query(&good))).await.unwrap();
    assert_eq!(response["matches"][0]["score"], 1.0 + 0.25 + 4.0);
}

#[tokio::test]
async fn malformed_deletions_are_rejected() {
    let raw = Raw::start().await;
    for body in [
        json!({}),
        json!({ "deleteAll": false }),
        json!({ "deleteAll": "true" }),
        json!({ "deleteAll": true, "ids": ["a"] }),
    ] {
        assert_eq!(raw.refused(&raw.index, "vectors/delete", body).await, 400);
    }
}

#[tokio::test]
async fn malformed_queries_and_filters_are_rejected() {
    let raw = Raw::start().await;
    let query = |changed: &str, value: Value| {
        let mut query = json!({ "vector": [1, 0], "topK": 5 });
        query[changed] = value;
        query
    };
    let mut bodies = vec![
        query("topK", json!(0)),
        query("topK", json!(10_001)),
        query("topK", json!("5")),
        query("vector", json!([1, 0, 0])),
        query("includeValues", json!("true")),
        query("namespace", json!("é")),
        query("top_k", json!(5)),
    ];
    let filters = [
        json!({}),
        json!([]),
        json!({ "$not": { "a": 1 } }),
        json!({ "$or": [] }),
        json!({ "$or": { "a": 1 } }),
        json!({ "a": {} }),
        json!({ "a": null }),
        json!({ "a": { "$eq": null } }),
        json!({ "a": { "$eq": ["b"] } }),
        json!({ "a": { "$gt": "b" } }),
        json!({ "a": { "$in": [] } }),
        json!({ "a": { "$in": [true] } }),
        json!({ "a": { "$in": "b" } }),
        json!({ "a": { "$exists": 1 } }),
        json!({ "a": { "$regex": "b" } }),
        json!({ "a": { "b": 1 } }),
    ];
    bodies.extend(filters.into_iter().map(|filter| query("filter", filter)));
    for body in bodies {
        assert_eq!(raw.refused(&raw.index, "query", body).await, 400);
    }
    for path in ["vectors/list?limit=101", "vectors/list?more=1", "vectors/fetch", "vectors/all"] {
        let error = raw.send(Method::GET, &raw.index, path, None).await.unwrap_err();
        assert!(error.message().contains("400"), "{path}: {error}");
    }
}

#[tokio::test]
async fn each_request_needs_key_and_version() {
    let raw = Raw::start().await;
    for base in [&raw.control, &raw.index] {
        let request = Raw::request(Method::GET, base, "indexes", None);
        let error = raw.client.send(request).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Authentication);
        let request = HttpRequest::get(base.join("indexes").unwrap());
        let request = request.with_secret_header("api-key", &Secret::from(KEY));
        let error = raw.client.send(request).await.unwrap_err();
        assert!(error.message().contains("the version of the API is missing"), "{error}");
    }
}
