//! Requests to the service.

use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use textsearch_core::{
    Error, ErrorKind, Result,
    http::{HttpClient, HttpRequest, Method, Url},
    secret::Secret,
};

use crate::{AzureSearchConfig, CONNECTOR, credential::Credential, error};

/// The newest [stable
/// version](https://learn.microsoft.com/rest/api/searchservice/search-service-api-versions).
const API_VERSION: &str = "2026-04-01";

#[derive(Debug, Clone)]
pub(crate) struct Service(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: AzureSearchConfig,
    endpoint: Url,
    client: HttpClient,
    token: Mutex<Option<Secret>>,
}

impl Service {
    pub(crate) fn new(config: AzureSearchConfig) -> Result<Self> {
        let endpoint = config.checked()?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        Ok(Self::with(config, endpoint, client))
    }

    pub(crate) fn with_client(&self, client: HttpClient) -> Self {
        Self::with(self.config().clone(), self.0.endpoint.clone(), client)
    }

    fn with(config: AzureSearchConfig, endpoint: Url, client: HttpClient) -> Self {
        let client = client.with_error_reader(error::read);
        Self(Arc::new(Inner { config, endpoint, client, token: Mutex::default() }))
    }

    pub(crate) fn config(&self) -> &AzureSearchConfig {
        &self.0.config
    }

    pub(crate) fn client(&self) -> &HttpClient {
        &self.0.client
    }

    /// Creates a request for `path`, whose parts need no escaping.
    pub(crate) fn request(&self, method: Method, path: &str) -> HttpRequest {
        let mut url = self.0.endpoint.clone();
        url.set_path(path);
        HttpRequest::new(method, url).with_query("api-version", API_VERSION)
    }

    /// Sends a request, and reads the response.
    pub(crate) async fn read<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<T> {
        let client = &self.0.client;
        let first = client.send_json(self.authorized(&request).await?).await;
        let answer = match self.renewable(first)? {
            Some(answer) => answer,
            None => client.send_json(self.authorized(&request).await?).await?,
        };
        Ok(answer.body)
    }

    /// Sends a request, and ignores the body of a successful response.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<()> {
        let client = &self.0.client;
        let first = client.send(self.authorized(&request).await?).await;
        if self.renewable(first)?.is_none() {
            client.send(self.authorized(&request).await?).await?;
        }
        Ok(())
    }

    async fn authorized(&self, request: &HttpRequest) -> Result<HttpRequest> {
        let request = request.clone();
        Ok(match &self.config().credential {
            Credential::Key(key) => request.with_secret_header("api-key", key),
            Credential::Tokens(tokens) => {
                let known = self.token().clone();
                let token = match known {
                    Some(token) => token,
                    None => {
                        let token = tokens.token().await?;
                        *self.token() = Some(token.clone());
                        token
                    }
                };
                request.with_bearer(&token)
            }
        })
    }

    /// Returns `None`, and forgets the token, if the service rejected it.
    fn renewable<T>(&self, outcome: Result<T>) -> Result<Option<T>> {
        let is_token = matches!(self.config().credential, Credential::Tokens(_));
        match outcome {
            Err(error) if is_token && is_unauthorized(&error) => {
                *self.token() = None;
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }

    fn token(&self) -> std::sync::MutexGuard<'_, Option<Secret>> {
        self.0.token.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 401 or 403: the service answers with either, depending on the token's fault.
fn is_unauthorized(error: &Error) -> bool {
    *error.kind() == ErrorKind::Authentication
}
