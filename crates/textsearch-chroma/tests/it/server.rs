//! A scripted Chroma.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use textsearch_chroma::{
    ChromaConfig, ChromaStore,
    http::HttpSettings,
    vector::{
        DataField, IndexKind, RecordDefinition, StoredRecord, VectorCollection, VectorField,
        VectorStore,
    },
};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};

pub(crate) const KEY: &str = "open-sesame-1";

pub(crate) const COLLECTION: &str = "/api/v2/tenants/acme/databases/manuals/collections";

pub(crate) fn definition() -> RecordDefinition {
    RecordDefinition::new("id")
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", 2).with_index(IndexKind::hnsw()))
}

pub(crate) fn record(key: &str) -> StoredRecord {
    let data = json!({ "id": key, "year": 2024 }).as_object().cloned().unwrap();
    let record = StoredRecord::new(data, &definition()).unwrap();
    record.with_vector("embedding", [1.0, 0.5])
}

/// Returns a server that knows the collection `notes` and answers the rest by `script`, which also
/// gets the number of earlier requests to records.
pub(crate) async fn chroma(
    script: impl Fn(&RecordedRequest, usize) -> Action + Send + Sync + 'static,
) -> Server {
    chroma_of(|_| definition(), script).await
}

/// As [`chroma`], with the definition that the collection has at each look-up, from 0.
pub(crate) async fn chroma_of(
    stored: impl Fn(usize) -> RecordDefinition + Send + Sync + 'static,
    script: impl Fn(&RecordedRequest, usize) -> Action + Send + Sync + 'static,
) -> Server {
    let [before, lookups] = [AtomicUsize::new(0), AtomicUsize::new(0)];
    Server::start(move |request, _| {
        let last = request.path.rsplit('/').next().unwrap_or_default();
        match last {
            "pre-flight-checks" => Action::Answer(Response::json(&json!({
                "max_batch_size": 2, "supports_base64_encoding": true,
            }))),
            "notes" => Action::Answer(Response::json(&described(
                "6f1c",
                &stored(lookups.fetch_add(1, Ordering::SeqCst)),
            ))),
            _ => script(request, before.fetch_add(1, Ordering::SeqCst)),
        }
    })
    .await
}

fn described(id: &str, definition: &RecordDefinition) -> Value {
    let definition = serde_json::to_string(definition).unwrap();
    json!({ "id": id, "name": "notes", "metadata": { "textsearch_definition": definition } })
}

pub(crate) fn config(server: &Server) -> ChromaConfig {
    let pause = Duration::from_millis(1);
    let http = HttpSettings::default().with_proxy(false).with_backoff(pause, pause);
    ChromaConfig::new(server.url().as_str())
        .with_tenant("acme")
        .with_database("manuals")
        .with_api_key(KEY)
        .with_http_settings(http)
}

pub(crate) fn notes(config: ChromaConfig) -> Arc<dyn VectorCollection> {
    notes_of(config, definition())
}

pub(crate) fn notes_of(
    config: ChromaConfig,
    definition: RecordDefinition,
) -> Arc<dyn VectorCollection> {
    ChromaStore::new(config).unwrap().stored_collection("notes", definition).unwrap()
}

/// An error as the server writes it.
pub(crate) fn fault(status: u16, error: &str, message: &str) -> Action {
    let body = json!({ "error": error, "message": message });
    Action::Answer(Response::json(&body).with_status(status))
}

pub(crate) fn ranked_response(keys: &[(&str, f32)]) -> Action {
    let documents: Vec<String> =
        keys.iter().map(|(key, _)| json!({ "id": key, "year": 1 }).to_string()).collect();
    let distances: Vec<f32> = keys.iter().map(|(_, distance)| *distance).collect();
    let ids: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
    let body = json!({
        "ids": [ids], "documents": [documents], "distances": [distances], "embeddings": null,
        "include": ["documents", "distances"],
    });
    Action::Answer(Response::json(&body))
}
