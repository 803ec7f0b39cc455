//! The settings of a model as plain data; what they may be is checked by `OpenAiChat::new` and `OpenAiEmbeddings::new`.

mod environment;
mod target;

use std::time::Duration;

use textsearch_core::{
    Error, Result,
    http::{HttpSettings, Secret},
    web::Endpoint,
};

pub use environment::{
    AZURE_OPENAI_API_KEY, AZURE_OPENAI_API_VERSION, AZURE_OPENAI_DEPLOYMENT,
    AZURE_OPENAI_EMBEDDING_DEPLOYMENT, AZURE_OPENAI_ENDPOINT, OPENAI_API_KEY, OPENAI_BASE_URL,
    OPENAI_EMBEDDING_MODEL, OPENAI_MODEL, OPENAI_ORG_ID, OPENAI_PROJECT_ID,
};
pub(crate) use target::Target;

use crate::CONNECTOR;

/// Where the hosted service is.
pub(crate) const HOSTED: &str = "https://api.openai.com/v1";

/// Key, address, model and limits.
///
/// ```
/// use textsearch_openai::OpenAiConfig;
///
/// let hosted = OpenAiConfig::new("sesame", "gpt-5-mini");
/// let own = OpenAiConfig::without_key("http://localhost:11434/v1", "llama3.2");
/// let azure = OpenAiConfig::azure("https://mine.openai.azure.com", "my-gpt", "2024-10-21", "sesame");
/// assert!(!format!("{hosted:?} {azure:?}").contains("sesame"));
/// # let _ = own;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OpenAiConfig {
    /// The key; none for a server of one's own that asks for none.
    pub api_key: Option<Secret>,
    /// The model; on Azure, the name of the deployment.
    pub model: String,
    /// The address of the service up to `/v1`; on Azure, its endpoint.
    pub base_url: Endpoint,
    /// The version of Azure's API, and with it the paths and the header of Azure.
    pub azure_api_version: Option<String>,
    /// The organization that pays, where the key belongs to several (`OpenAI-Organization`).
    pub organization: Option<String>,
    /// The project that pays (`OpenAI-Project`).
    pub project: Option<String>,
    /// Timeouts, attempts and limits: 5 minutes for an attempt, 10 for all, 2 without any byte, 64 MiB, otherwise as by
    /// default. What keeps a stream's connection open counts as a byte.
    pub http: HttpSettings,
    /// The field that [`ChatOptions::max_tokens`](crate::ChatOptions) goes into.
    pub max_tokens_field: MaxTokensField,
    /// Whether a stream is asked to end with what it cost (`stream_options`): yes.
    pub stream_usage: bool,
    /// Whether embeddings are asked for as base64, a quarter of the bytes: by the hosted service and Azure where this
    /// is not set. Either form is read.
    pub base64_embeddings: Option<bool>,
    /// The most texts of one request for embeddings: 2048, as many as OpenAI takes.
    pub max_batch_texts: usize,
    /// The most tokens of one request for embeddings, estimated at four ASCII characters or one other each: 250,000.
    /// OpenAI takes 300,000. A text that is longer alone goes alone.
    pub max_batch_tokens: usize,
    /// How many requests for embeddings of one call are on their way at once: 4. A call of more than 64 texts or 8,000
    /// estimated tokens is spread over them.
    pub concurrent_batches: usize,
}

/// The field for the most tokens of an answer: one is new, the other understood by more servers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_completion_tokens` for the hosted service and Azure, whose reasoning models take no other; `max_tokens` for
    /// all other servers, many of which know no other.
    #[default]
    Auto,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `max_tokens`.
    MaxTokens,
}

impl OpenAiConfig {
    /// A model of the hosted service, or of any other [with its address](Self::with_base_url).
    pub fn new(api_key: impl Into<Secret>, model: impl Into<String>) -> Self {
        Self { api_key: Some(api_key.into()), ..Self::without_key(HOSTED, model) }
    }

    /// A model of a server that asks for no key, such as Ollama (`http://localhost:11434/v1`), vLLM
    /// (`http://localhost:8000/v1`) or llama.cpp (`http://localhost:8080/v1`).
    pub fn without_key(base_url: impl Into<Endpoint>, model: impl Into<String>) -> Self {
        let http = HttpSettings::default()
            .with_attempt_timeout(Duration::from_secs(5 * 60))
            .with_total_timeout(Duration::from_secs(10 * 60))
            .with_idle_timeout(Duration::from_secs(2 * 60))
            .with_max_body_bytes(64 * 1024 * 1024);
        Self {
            api_key: None,
            model: model.into(),
            base_url: base_url.into(),
            azure_api_version: None,
            organization: None,
            project: None,
            http,
            max_tokens_field: MaxTokensField::Auto,
            stream_usage: true,
            base64_embeddings: None,
            max_batch_texts: 2048,
            max_batch_tokens: 250_000,
            concurrent_batches: 4,
        }
    }

    /// A deployment on [Azure](https://learn.microsoft.com/azure/ai-foundry/openai/reference): its endpoint such as
    /// `https://mine.openai.azure.com`, its name, the version of the API such as `2024-10-21`, and the key.
    ///
    /// Azure's newer API without versions is [`new`](Self::new) with the base URL `https://….azure.com/openai/v1`.
    pub fn azure(
        endpoint: impl Into<Endpoint>,
        deployment: impl Into<String>,
        api_version: impl Into<String>,
        api_key: impl Into<Secret>,
    ) -> Self {
        let config = Self::new(api_key, deployment).with_base_url(endpoint);
        Self { azure_api_version: Some(api_version.into()), ..config }
    }

    /// Another service that speaks the API: its address up to `/v1`.
    #[must_use]
    pub fn with_base_url(mut self, base_url: impl Into<Endpoint>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// The organization that pays.
    #[must_use]
    pub fn with_organization(mut self, organization: impl Into<String>) -> Self {
        self.organization = Some(organization.into());
        self
    }

    /// The project that pays.
    #[must_use]
    pub fn with_project(mut self, project: impl Into<String>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Timeouts, attempts and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// The field for the most tokens of an answer.
    #[must_use]
    pub fn with_max_tokens_field(mut self, field: MaxTokensField) -> Self {
        self.max_tokens_field = field;
        self
    }

    /// Sets whether a stream is asked to end with its token usage; true by default. Some servers refuse the request for it.
    #[must_use]
    pub fn with_stream_usage(mut self, enabled: bool) -> Self {
        self.stream_usage = enabled;
        self
    }

    /// Sets whether embeddings are requested as base64; true by default for the hosted service, false for others.
    #[must_use]
    pub fn with_base64_embeddings(mut self, enabled: bool) -> Self {
        self.base64_embeddings = Some(enabled);
        self
    }

    /// The most texts and the most estimated tokens of one request for embeddings.
    #[must_use]
    pub fn with_batch_limits(mut self, texts: usize, tokens: usize) -> Self {
        (self.max_batch_texts, self.max_batch_tokens) = (texts, tokens);
        self
    }

    /// How many requests for embeddings of one call are on their way at once.
    #[must_use]
    pub fn with_concurrent_batches(mut self, batches: usize) -> Self {
        self.concurrent_batches = batches;
        self
    }

    /// Refuses what could never work at `target`.
    pub(crate) fn check(&self, target: &Target) -> Result<()> {
        let needs_key = target.is_openai || self.azure_api_version.is_some();
        if self.api_key.as_ref().is_some_and(Secret::is_empty)
            || (needs_key && self.api_key.is_none())
        {
            return Err(refused(
                "api_key",
                "empty",
                "a key; a server that asks for none needs another base URL",
            ));
        }
        let numbers = [
            ("max_batch_texts", self.max_batch_texts),
            ("max_batch_tokens", self.max_batch_tokens),
            ("concurrent_batches", self.concurrent_batches),
        ];
        if let Some((option, _)) = numbers.iter().find(|(_, number)| *number == 0) {
            return Err(refused(option, "0", "at least 1"));
        }
        if self.model.trim().is_empty() {
            return Err(refused("model", "empty", "the name of a model"));
        }
        Ok(())
    }
}

pub(crate) fn refused(option: &str, found: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, found, allowed)
}
