//! Configuration, validated by `RerankClient::new`.

use std::time::Duration;

use serde_json::{Map, Value};
use textsearch_core::{
    Error, Result,
    http::{
        Endpoint, HttpSettings, Secret, Url, closed_set, parsed_variable, required_variable,
        variable,
    },
};

use crate::{CONNECTOR, request::OWN_FIELDS};

/// Environment variable for the endpoint URL; see [`RerankConfig::new`].
/// [`RerankConfig::from_env`] requires it.
pub const RERANK_ENDPOINT: &str = "RERANK_ENDPOINT";

/// Environment variable for the model; see [`RerankConfig::with_model`].
pub const RERANK_MODEL: &str = "RERANK_MODEL";

/// Environment variable for the API key; see [`RerankConfig::with_api_key`].
pub const RERANK_API_KEY: &str = "RERANK_API_KEY";

/// Environment variable for the format of requests; see [`RerankConfig::with_format`].
pub const RERANK_FORMAT: &str = "RERANK_FORMAT";

const EXAMPLE: &str = "http://localhost:8000/rerank";
const PATH: &str = "/rerank";

closed_set! {
    /// Format of requests and responses.
    pub enum RerankFormat {
        /// Cohere's, which Jina, vLLM, infinity and most other servers share: `documents` in,
        /// `results` with a `relevance_score` out.
        Cohere = "cohere",
        /// Format of Hugging Face's Text Embeddings Inference: `texts` in, a list with a `score` out.
        Tei = "tei",
    }
}

/// Configuration of [`RerankClient`](crate::RerankClient).
///
/// ```
/// use textsearch_rerank::RerankConfig;
///
/// let hosted = RerankConfig::cohere("sesame", "rerank-v3.5");
/// let own = RerankConfig::new("http://localhost:8000/rerank").with_model("BAAI/bge-reranker-base");
/// let tei = RerankConfig::tei("http://localhost:8080");
/// assert!(!format!("{hosted:?}").contains("sesame"));
/// # let _ = (own, tei);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RerankConfig {
    /// URL of the endpoint.
    pub endpoint: Endpoint,
    /// Format of requests and responses.
    pub format: RerankFormat,
    /// The model, if the server has several. The format [`Tei`](RerankFormat::Tei) doesn't send it.
    pub model: Option<String>,
    /// The API key, if the server requires one.
    pub api_key: Option<Secret>,
    /// Timeouts, retries and limits. Defaults: 2 minutes per attempt, 5 minutes in total, 2 minutes
    /// without any byte, and 16 MiB per response.
    pub http: HttpSettings,
    /// Maximum number of characters of a text. Longer texts are truncated, with a warning event,
    /// because a server may reject all texts for one. Default: 100,000.
    pub max_text_chars: usize,
    /// Maximum number of texts per request. Default: 1,000, or 32 for the format
    /// [`Tei`](RerankFormat::Tei), that server's default limit.
    pub max_batch_texts: Option<usize>,
    /// Maximum size of all texts of a request in bytes. Default: 1,000,000. A larger text is sent
    /// alone.
    pub max_batch_bytes: usize,
    /// Number of concurrent requests per call. Default: 4.
    pub concurrent_batches: usize,
    /// Further fields of each request, under the provider's names.
    pub extra: Map<String, Value>,
}

impl RerankConfig {
    /// Creates the settings for a server with Cohere's format that requires no key, such as vLLM
    /// or infinity. Pass the full URL of the endpoint; a host alone means its `/rerank`.
    pub fn new(endpoint: impl Into<Endpoint>) -> Self {
        let mut http = HttpSettings::default()
            .with_total_timeout(Duration::from_secs(5 * 60))
            .with_max_body_bytes(16 * 1024 * 1024);
        http.attempt_timeout = Duration::from_secs(2 * 60);
        http.idle_timeout = Duration::from_secs(2 * 60);
        Self {
            endpoint: endpoint.into(),
            format: RerankFormat::Cohere,
            model: None,
            api_key: None,
            http,
            max_text_chars: 100_000,
            max_batch_texts: None,
            max_batch_bytes: 1_000_000,
            concurrent_batches: 4,
            extra: Map::new(),
        }
    }

    /// Creates the settings for a model of [Cohere](https://docs.cohere.com/reference/rerank).
    pub fn cohere(api_key: impl Into<Secret>, model: impl Into<String>) -> Self {
        Self::new("https://api.cohere.com/v2/rerank").with_api_key(api_key).with_model(model)
    }

    /// Creates the settings for a model of [Jina](https://jina.ai/reranker).
    pub fn jina(api_key: impl Into<Secret>, model: impl Into<String>) -> Self {
        Self::new("https://api.jina.ai/v1/rerank").with_api_key(api_key).with_model(model)
    }

    /// Creates the settings for a server of [Text Embeddings
    /// Inference](https://huggingface.co/docs/text-embeddings-inference), which has one model.
    pub fn tei(endpoint: impl Into<Endpoint>) -> Self {
        Self::new(endpoint).with_format(RerankFormat::Tei)
    }

    /// Reads the configuration from environment variables: [`RERANK_ENDPOINT`] and, if set,
    /// [`RERANK_MODEL`], [`RERANK_API_KEY`] and [`RERANK_FORMAT`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the variable, if the
    /// endpoint is missing, a value isn't Unicode, or the format is unknown.
    pub fn from_env() -> Result<Self> {
        Self::from_env_with_endpoint(required_variable(CONNECTOR, RERANK_ENDPOINT)?)
    }

    /// Like [`from_env`](Self::from_env), with `endpoint` instead of the variable.
    ///
    /// # Errors
    /// Returns the same errors as [`from_env`](Self::from_env), except those about the endpoint.
    pub fn from_env_with_endpoint(endpoint: impl Into<Endpoint>) -> Result<Self> {
        let mut config = Self::new(endpoint);
        config.model = variable(CONNECTOR, RERANK_MODEL)?;
        config.api_key = variable(CONNECTOR, RERANK_API_KEY)?.map(Secret::from);
        if let Some(format) = parsed_variable(CONNECTOR, RERANK_FORMAT)? {
            config.format = format;
        }
        Ok(config)
    }

    /// Sets the format of requests and responses.
    #[must_use]
    pub fn with_format(mut self, format: RerankFormat) -> Self {
        self.format = format;
        self
    }

    /// Sets the model.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the API key, sent as a bearer token.
    #[must_use]
    pub fn with_api_key(mut self, api_key: impl Into<Secret>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// Sets timeouts, retries and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets the maximum number and the maximum size in bytes of the texts of a request.
    #[must_use]
    pub fn with_batch_limits(mut self, texts: usize, bytes: usize) -> Self {
        (self.max_batch_texts, self.max_batch_bytes) = (Some(texts), bytes);
        self
    }

    /// Adds a field to each request, under the provider's name, such as `return_documents` of Jina,
    /// `max_tokens_per_doc` of Cohere, or `raw_scores` of infinity and Text Embeddings Inference.
    #[must_use]
    pub fn with_extra(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    pub(crate) fn batch_texts(&self) -> usize {
        self.max_batch_texts.unwrap_or(match self.format {
            RerankFormat::Cohere => 1000,
            RerankFormat::Tei => 32,
        })
    }

    pub(crate) fn url(&self) -> Result<Url> {
        let mut url = self.endpoint.url(CONNECTOR, EXAMPLE)?;
        if url.path() == "/" {
            url.set_path(PATH);
        }
        Ok(url)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.as_ref().is_some_and(Secret::is_empty) {
            return Err(refused("api_key", "empty", "a key, or none"));
        }
        if self.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            return Err(refused("model", "empty", "the name of a model, or none"));
        }
        let numbers = [
            ("max_text_chars", self.max_text_chars),
            ("max_batch_texts", self.batch_texts()),
            ("max_batch_bytes", self.max_batch_bytes),
            ("concurrent_batches", self.concurrent_batches),
        ];
        if let Some((option, _)) = numbers.iter().find(|(_, number)| *number == 0) {
            return Err(refused(option, "0", "at least 1"));
        }
        match self.extra.keys().find(|name| OWN_FIELDS.contains(&name.as_str())) {
            Some(name) => {
                let value = "a field that this crate sets itself";
                Err(refused(&format!("extra.{name}"), value, "only other fields"))
            }
            None => self.url().map(drop),
        }
    }
}

fn refused(option: &str, value: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}
