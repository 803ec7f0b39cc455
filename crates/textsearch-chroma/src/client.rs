//! The requests to the server, and their responses.

use std::{collections::HashSet, fmt};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use textsearch_core::{
    Result,
    http::{HttpClient, HttpRequest, Method, Url},
};
use tokio::sync::OnceCell;

use crate::{
    CONNECTOR, ChromaConfig,
    error::{self, is_missing, undecodable},
    filter::Where,
};

/// Collections of one request, when they are listed.
const PAGE: usize = 500;

/// One database of a server.
///
/// The server describes its API at `/openapi.json`.
pub(crate) struct Api {
    http: HttpClient,
    base: Url,
    collections: Url,
    config: ChromaConfig,
    limits: OnceCell<Limits>,
}

/// Limits and abilities of the server.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Limits {
    pub(crate) max_batch_size: usize,
    #[serde(default)]
    pub(crate) supports_base64_encoding: bool,
}

/// A collection, as the server lists it.
#[derive(Deserialize)]
pub(crate) struct Described {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) metadata: Option<Map<String, Value>>,
}

/// Parts of a record that a response has beyond its id.
pub(crate) const NOTHING: &[&str] = &[];
pub(crate) const DOCUMENTS: &[&str] = &["documents"];
pub(crate) const VECTORS: &[&str] = &["embeddings"];
pub(crate) const RANKED: &[&str] = &["documents", "distances"];

#[derive(Serialize)]
pub(crate) struct Get<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ids: Option<&'a [String]>,
    #[serde(flatten)]
    pub(crate) selection: &'a Where,
    pub(crate) include: &'a [&'static str],
}

#[derive(Deserialize)]
pub(crate) struct Got {
    pub(crate) ids: Vec<String>,
    #[serde(default)]
    pub(crate) documents: Option<Vec<Option<String>>>,
    #[serde(default)]
    pub(crate) embeddings: Option<Vec<Vec<f32>>>,
}

#[derive(Serialize)]
pub(crate) struct Query<'a> {
    pub(crate) query_embeddings: [&'a [f32]; 1],
    pub(crate) n_results: u32,
    #[serde(flatten)]
    pub(crate) selection: &'a Where,
    pub(crate) include: &'a [&'static str],
}

/// One list for each vector of the query.
#[derive(Deserialize)]
pub(crate) struct Ranked {
    pub(crate) documents: Vec<Vec<Option<String>>>,
    pub(crate) distances: Vec<Vec<Option<f32>>>,
}

#[derive(Serialize)]
pub(crate) struct Upsert<'a> {
    pub(crate) ids: &'a [String],
    pub(crate) embeddings: Vec<Embedding<'a>>,
    pub(crate) documents: &'a [String],
    pub(crate) metadatas: Vec<Map<String, Value>>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Embedding<'a> {
    Numbers(&'a [f32]),
    /// The elements' bytes, little-endian.
    Base64(String),
}

#[derive(Serialize)]
pub(crate) struct Delete<'a> {
    pub(crate) ids: &'a [String],
    #[serde(flatten)]
    pub(crate) selection: &'a Where,
}

impl Api {
    pub(crate) fn new(config: ChromaConfig) -> Result<Self> {
        let base = config.base()?;
        let http = HttpClient::new(CONNECTOR, config.http.clone())?;
        let collections = extended(
            &base,
            &["tenants", &config.tenant, "databases", &config.database, "collections"],
        );
        let http = http.with_error_reader(error::read);
        Ok(Self { http, base, collections, config, limits: OnceCell::new() })
    }

    pub(crate) fn with_http_client(&self, client: HttpClient) -> Self {
        Self {
            http: client.with_error_reader(error::read),
            base: self.base.clone(),
            collections: self.collections.clone(),
            config: self.config.clone(),
            limits: OnceCell::new(),
        }
    }

    pub(crate) fn config(&self) -> &ChromaConfig {
        &self.config
    }

    /// Asks the server once.
    pub(crate) async fn limits(&self) -> Result<Limits> {
        let url = extended(&self.base, &["pre-flight-checks"]);
        self.limits.get_or_try_init(|| self.send(HttpRequest::get(url))).await.copied()
    }

    /// Returns all collections of the database.
    pub(crate) async fn list(&self) -> Result<Vec<Described>> {
        let mut all = Vec::new();
        let mut ids = HashSet::new();
        let mut offset = 0;
        loop {
            let request = HttpRequest::get(self.collections.clone())
                .with_query("limit", &PAGE.to_string())
                .with_query("offset", &offset.to_string());
            let page: Vec<Described> = self.send(request).await?;
            offset += page.len();
            let is_last = page.len() < PAGE;
            let before = all.len();
            all.extend(page.into_iter().filter(|collection| ids.insert(collection.id.clone())));
            if is_last {
                return Ok(all);
            }
            if all.len() == before {
                let message = "a page of collections has none that earlier pages lack: the server \
                               or a proxy ignores `offset`";
                return Err(undecodable(message));
            }
        }
    }

    /// Returns `None` if the database has no collection called `name`.
    pub(crate) async fn find(&self, name: &str) -> Result<Option<Described>> {
        let request = HttpRequest::get(extended(&self.collections, &[name]));
        match self.send(request).await {
            Ok(collection) => Ok(Some(collection)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn create(
        &self,
        name: &str,
        configuration: &Value,
        metadata: &Map<String, Value>,
    ) -> Result<Described> {
        let body = json!({ "name": name, "configuration": configuration, "metadata": metadata });
        self.send(HttpRequest::post(self.collections.clone()).with_json(&body)).await
    }

    /// Deletes a collection, if it exists.
    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        let url = extended(&self.collections, &[name]);
        match self.send::<Value>(HttpRequest::new(Method::DELETE, url)).await {
            Err(error) if !is_missing(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns a request to the records of the collection with this id.
    pub(crate) fn post(&self, id: &str, action: &str, body: &impl Serialize) -> HttpRequest {
        HttpRequest::post(extended(&self.collections, &[id, action])).with_json(body)
    }

    /// Returns a request for the number of records.
    pub(crate) fn count(&self, id: &str) -> HttpRequest {
        HttpRequest::get(extended(&self.collections, &[id, "count"]))
    }

    /// Every request has the same effect if it is sent again.
    pub(crate) async fn send<T: DeserializeOwned>(&self, mut request: HttpRequest) -> Result<T> {
        if let Some(key) = &self.config.api_key {
            request = request.with_secret_header("x-chroma-token", key);
        }
        if let Some(token) = &self.config.bearer_token {
            request = request.with_bearer(token);
        }
        Ok(self.http.send_json(request.with_idempotent(true)).await?.body)
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Api").field("config", &self.config).finish_non_exhaustive()
    }
}

fn extended(url: &Url, segments: &[&str]) -> Url {
    let mut url = url.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.extend(segments);
    }
    url
}
