//! A collection, and how its requests are sent.

use std::sync::{Arc, atomic::AtomicBool};

use serde::{Serialize, de::DeserializeOwned};
use textsearch_core::{
    ErrorKind, Result,
    http::{Bytes, HttpRequest, Method, Url},
    text_analysis::SparseFields,
    vector::RecordDefinition,
};

use crate::{
    client::Api,
    error::{has_status, is_missing_namespace},
    record::Layout,
    wire::Done,
    words::MAX_WORDS,
};

/// Maximum size of a response.
const RESPONSE_BYTES: usize = 4_000_000;

/// Maximum size of a record's metadata.
pub(crate) const METADATA_BYTES: usize = 40 * 1024;

/// Written out as a float of 64 bits, with a comma, an element has at most that many characters.
const ELEMENT_BYTES: usize = 25;

/// Written out, a sparse value also has a number of 10 digits and a comma.
const WORD_BYTES: usize = ELEMENT_BYTES + 11;

#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) api: Arc<Api>,
    pub(crate) name: String,
    pub(crate) definition: Arc<RecordDefinition>,
    pub(crate) layout: Layout,
    pub(crate) words: SparseFields,
    /// Whether the index is known to hold records of the definition.
    pub(crate) fits: AtomicBool,
}

impl Handle {
    pub(crate) fn new(api: Arc<Api>, name: &str, definition: RecordDefinition) -> Self {
        let layout = Layout::new(&definition);
        let words = SparseFields::new(&definition);
        let name = name.to_owned();
        let definition = Arc::new(definition);
        Self { api, name, definition, layout, words, fits: AtomicBool::new(false) }
    }

    /// The number of elements of the index's vectors.
    pub(crate) fn dimensions(&self) -> usize {
        self.definition.vectors.first().map_or(1, |field| field.dimensions)
    }

    /// Returns how many whole records a response can always hold.
    pub(crate) fn page(&self, with_values: bool) -> usize {
        let has_words = self.definition.full_text_fields().next().is_some();
        let words = if has_words { MAX_WORDS * WORD_BYTES } else { 0 };
        let values = if with_values { self.dimensions() * ELEMENT_BYTES + words } else { 0 };
        // A kilobyte for the identifier, the score and the names.
        (RESPONSE_BYTES / (METADATA_BYTES + 1024 + values)).max(1)
    }

    pub(crate) fn namespace(&self) -> Option<&str> {
        self.api.config.namespace.as_deref()
    }

    /// Sends a request that reads or deletes. It may be repeated. A missing namespace has no records,
    /// so it counts as an empty response.
    pub(crate) async fn post<T>(&self, path: &[&str], body: &impl Serialize) -> Result<T>
    where
        T: DeserializeOwned + Default,
    {
        let sent = self.send(|host| {
            let request = self.api.request(Method::POST, host, path);
            request.with_json(body).with_idempotent(true)
        });
        or_empty(sent.await)
    }

    /// Sends an upsert, which is JSON already. It may be repeated.
    pub(crate) async fn upsert(&self, body: String) -> Result<()> {
        let body = Bytes::from(body);
        let _: Done = self
            .send(|host| {
                let request = self.api.request(Method::POST, host, &["vectors", "upsert"]);
                request.with_body("application/json", body.clone()).with_idempotent(true)
            })
            .await?;
        Ok(())
    }

    /// As [`post`](Self::post), for a request without a body.
    pub(crate) async fn get<T>(&self, path: &[&str], query: &[(&str, &str)]) -> Result<T>
    where
        T: DeserializeOwned + Default,
    {
        let sent = self.send(|host| {
            let request = self.api.request(Method::GET, host, path);
            let namespace = self.namespace().map(|namespace| ("namespace", namespace));
            request.with_query_pairs(query.iter().copied().chain(namespace))
        });
        or_empty(sent.await)
    }

    async fn send<T: DeserializeOwned>(&self, request: impl Fn(&Url) -> HttpRequest) -> Result<T> {
        let host = self.open().await?;
        let sent = self.api.send(request(&host)).await;
        let Err(error) = &sent else { return sent };
        if !has_status(error, 404) && *error.kind() != ErrorKind::Unavailable {
            return sent;
        }
        let attempts = if has_status(error, 404) { error.attempts() - 1 } else { error.attempts() };
        // The index may be gone, or elsewhere.
        self.forget();
        let again = match self.open().await {
            Ok(now) if now == host => return sent,
            Ok(now) => self.api.send(request(&now)).await,
            Err(error) => Err(error),
        };
        again.map_err(|error| {
            let all = attempts + error.attempts();
            error.with_attempts(all)
        })
    }
}

fn or_empty<T: Default>(sent: Result<T>) -> Result<T> {
    match sent {
        Err(error) if is_missing_namespace(&error) => Ok(T::default()),
        sent => sent,
    }
}
