//! Sends requests to the control plane and to indexes.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::de::DeserializeOwned;
use textsearch_core::{
    Error, ErrorKind, Result,
    http::{HttpClient, HttpRequest, HttpSettings, Method, Url},
};

use crate::{
    CONNECTOR, PineconeConfig,
    config::ENDPOINT,
    error::{has_status, read_error},
    wire::{CreateIndex, Done, Index, Indexes},
};

/// The version of the API that requests are written for.
const VERSION: &str = "2026-07";

/// The project's control plane and its known indexes. All collections of a store share it.
pub(crate) struct Api {
    pub(crate) config: PineconeConfig,
    client: HttpClient,
    endpoint: Url,
    /// The addresses of collections that exist.
    known: Mutex<HashMap<String, Url>>,
}

impl Api {
    pub(crate) fn new(config: PineconeConfig) -> Result<Self> {
        config.check()?;
        let endpoint = config.endpoint.url(CONNECTOR, ENDPOINT)?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let client = client.with_error_reader(read_error);
        Ok(Self { config, client, endpoint, known: Mutex::default() })
    }

    pub(crate) fn with_client(&self, client: HttpClient) -> Self {
        Self {
            config: self.config.clone(),
            client: client.with_error_reader(read_error),
            endpoint: self.endpoint.clone(),
            known: Mutex::default(),
        }
    }

    pub(crate) fn settings(&self) -> &HttpSettings {
        self.client.settings()
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, HashMap<String, Url>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn indexes(&self) -> Result<Vec<Index>> {
        let indexes: Indexes = self.send(self.control(Method::GET, &["indexes"])).await?;
        Ok(indexes.indexes)
    }

    /// Returns `None` if the project has no such index.
    pub(crate) async fn index(&self, name: &str) -> Result<Option<Index>> {
        let response = self.send(self.control(Method::GET, &["indexes", name])).await;
        unless_status(404, response)
    }

    /// Returns `false` if the name is taken.
    pub(crate) async fn create_index(&self, index: &CreateIndex<'_>) -> Result<bool> {
        let request = self.control(Method::POST, &["indexes"]).with_json(index);
        let created: Option<Done> = unless_status(409, self.send(request).await)?;
        Ok(created.is_some())
    }

    pub(crate) async fn delete_index(&self, name: &str) -> Result<()> {
        let request = self.control(Method::DELETE, &["indexes", name]);
        let deleted = self.client.send(request).await.map(drop);
        unless_status(404, deleted).map(drop)
    }

    /// Returns the address of an index. The control plane names the host alone.
    pub(crate) fn host(&self, index: &Index) -> Result<Url> {
        let host = index.host.split_once("://").map_or(index.host.as_str(), |(_, host)| host);
        let url = Url::parse(&format!("{}://{host}/", self.endpoint.scheme())).ok();
        // Otherwise the key could go to another server.
        let is_host = |url: &Url| {
            url.path() == "/"
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        };
        url.filter(is_host).ok_or_else(|| {
            let message = format!("the index `{}` has no usable host: `{host}`", index.name);
            Error::new(ErrorKind::Undecodable, CONNECTOR, message)
        })
    }

    fn control(&self, method: Method, path: &[&str]) -> HttpRequest {
        self.request(method, &self.endpoint, path)
    }

    pub(crate) fn request(&self, method: Method, base: &Url, path: &[&str]) -> HttpRequest {
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        HttpRequest::new(method, url)
            .with_secret_header("api-key", &self.config.api_key)
            .with_header("x-pinecone-api-version", VERSION)
    }

    pub(crate) async fn send<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<T> {
        Ok(self.client.send_json(request).await?.body)
    }

    /// Returns the pause before the next request for the state of an index, after `looks` requests.
    pub(crate) fn pause(&self, looks: u32) -> Duration {
        let HttpSettings { backoff_base, backoff_max, .. } = self.settings();
        backoff_base.saturating_mul(2_u32.saturating_pow(looks)).min(*backoff_max)
    }
}

/// Turns an error with this status into `None`.
pub(crate) fn unless_status<T>(status: u16, result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if has_status(&error, status) => Ok(None),
        Err(error) => Err(error),
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(formatter)
    }
}
