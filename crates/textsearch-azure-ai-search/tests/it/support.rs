//! A store on a stand-in, and shorthands for records.

use std::{sync::LazyLock, time::Duration};

use serde_json::{Value, json};
use textsearch_azure_ai_search::{
    AzureSearchConfig, AzureSearchStore, Result,
    http::HttpSettings,
    vector::{Collection, RecordDefinition, StoredRecord, VectorStoreExt as _},
};

use crate::service::{KEY, Standin};

/// The service of the suites, which outlives each store and each runtime.
pub(crate) static SHARED: LazyLock<Standin> = LazyLock::new(Standin::start);

pub(crate) async fn shared() -> Result<AzureSearchStore> {
    AzureSearchStore::new(config(&SHARED))
}

pub(crate) fn config(standin: &Standin) -> AzureSearchConfig {
    AzureSearchConfig::new(standin.url(), KEY).with_http_settings(settings())
}

pub(crate) fn settings() -> HttpSettings {
    HttpSettings::default()
        .with_proxy(false)
        .with_max_body_bytes(64 * 1024 * 1024)
        .with_backoff(Duration::from_millis(2), Duration::from_millis(5))
}

/// Creates an empty collection on a new stand-in.
pub(crate) async fn empty(definition: RecordDefinition) -> (Standin, Collection) {
    let standin = Standin::start();
    let store = AzureSearchStore::new(config(&standin)).unwrap();
    let notes = store.dynamic_collection("notes", definition).unwrap();
    notes.ensure_exists().await.unwrap();
    (standin, notes)
}

pub(crate) fn record(key: &str, data: Value) -> StoredRecord {
    let mut fields = data.as_object().cloned().unwrap();
    fields.insert("id".to_owned(), json!(key));
    StoredRecord::new(fields, &RecordDefinition::new("id")).unwrap()
}
