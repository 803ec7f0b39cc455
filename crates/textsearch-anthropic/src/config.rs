//! Configuration, validated by `AnthropicChat::new`.

use textsearch_core::{
    Error, Result,
    chat::http::http_settings,
    http::{Endpoint, HttpRequest, HttpSettings, Secret, required_variable, variable},
};

use crate::CONNECTOR;

/// Environment variable with the API key, required by [`AnthropicConfig::from_env`].
pub const ANTHROPIC_API_KEY: &str = "ANTHROPIC_API_KEY";

/// Environment variable with the model, required by [`AnthropicConfig::from_env`].
pub const ANTHROPIC_MODEL: &str = "ANTHROPIC_MODEL";

/// Environment variable with the address of the service; see [`AnthropicConfig::with_endpoint`].
pub const ANTHROPIC_BASE_URL: &str = "ANTHROPIC_BASE_URL";

/// Rejects the sampling options of older versions.
pub(crate) const API_VERSION: &str = "2026-10-21";

const HOSTED: &str = "https://api.anthropic.com";

/// API key, model, address and limits.
///
/// ```
/// use textsearch_anthropic::AnthropicConfig;
///
/// let hosted = AnthropicConfig::new("sesame", "claude-sonnet-5");
/// let proxy = AnthropicConfig::new("sesame", "m").with_endpoint("http://localhost:4000");
/// assert!(!format!("{hosted:?} {proxy:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AnthropicConfig {
    /// The API key.
    pub api_key: Secret,
    /// The model.
    pub model: String,
    /// The address of the service, without `/v1`.
    pub endpoint: Endpoint,
    /// The version of the API (`anthropic-version`). Default: `2026-10-21`, which rejects
    /// `temperature` and `top_p`. Older models accept them with `2023-06-01`.
    pub api_version: String,
    /// The maximum number of tokens in an answer, thinking included, unless
    /// [`ChatOptions::max_tokens`](crate::ChatOptions) says otherwise: the API requires one. Default:
    /// 16,384.
    pub max_tokens: u32,
    /// Whether to send search results in tool results as `search_result` blocks, which the model can
    /// cite. Default: only to the hosted service, because other services and proxies may drop the
    /// blocks without an error.
    pub search_result_blocks: Option<bool>,
    /// Timeouts, retries and limits. Defaults: 5 minutes per attempt, 10 minutes in total, 2
    /// minutes without any byte (the `ping` events of a stream count) and 64 MiB per response.
    pub http: HttpSettings,
}

impl AnthropicConfig {
    /// Creates the settings for a model of the hosted service, or of any other service [with its
    /// address](Self::with_endpoint).
    pub fn new(api_key: impl Into<Secret>, model: impl Into<String>) -> Self {
        Self {
            api_key: api_key.into(),
            model: model.into(),
            endpoint: HOSTED.into(),
            api_version: API_VERSION.to_owned(),
            max_tokens: 16_384,
            search_result_blocks: None,
            http: http_settings(),
        }
    }

    /// Reads the key, the model and the address from [`ANTHROPIC_API_KEY`], [`ANTHROPIC_MODEL`] and
    /// [`ANTHROPIC_BASE_URL`]. Only the address may be missing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) without a key, and
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if the model is missing or a
    /// variable isn't Unicode. The error names the variable.
    pub fn from_env() -> Result<Self> {
        let key = Secret::from_env(CONNECTOR, ANTHROPIC_API_KEY)?;
        let config = Self::new(key, required_variable(CONNECTOR, ANTHROPIC_MODEL)?);
        Ok(match variable(CONNECTOR, ANTHROPIC_BASE_URL)? {
            Some(endpoint) => config.with_endpoint(endpoint),
            None => config,
        })
    }

    /// Sets the address of another service with the same API, without `/v1`.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Sets timeouts, retries and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.is_empty() {
            return Err(refused("api_key", "empty", "a key"));
        }
        if self.model.trim().is_empty() {
            return Err(refused("model", "empty", "the name of a model"));
        }
        if self.max_tokens == 0 {
            return Err(refused("max_tokens", "0", "at least 1"));
        }
        self.request().map(drop)
    }

    pub(crate) fn sends_blocks(&self) -> bool {
        let is_hosted = || self.endpoint.as_str().trim_end_matches('/') == HOSTED;
        self.search_result_blocks.unwrap_or_else(is_hosted)
    }

    /// Returns a request without a body.
    pub(crate) fn request(&self) -> Result<HttpRequest> {
        let mut url = self.endpoint.url(CONNECTOR, HOSTED)?;
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(["v1", "messages"]);
        }
        // Repeating a request only costs twice, and the provider's own clients do it too.
        let request = HttpRequest::post(url).with_idempotent(true);
        let request = request.with_header("anthropic-version", self.api_version.as_str());
        Ok(request.with_secret_header("x-api-key", &self.api_key))
    }
}

pub(crate) fn refused(option: &str, value: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}
