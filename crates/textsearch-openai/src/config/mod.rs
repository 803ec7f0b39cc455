//! Configuration, validated by `OpenAiChat::new` and `OpenAiEmbeddings::new`.

mod environment;
mod target;

use textsearch_core::{
    Error, Result,
    chat::http::http_settings,
    http::{Endpoint, HttpSettings, Secret, closed_set},
};

pub use environment::{
    AZURE_OPENAI_API_KEY, AZURE_OPENAI_API_VERSION, AZURE_OPENAI_DEPLOYMENT,
    AZURE_OPENAI_EMBEDDING_DEPLOYMENT, AZURE_OPENAI_ENDPOINT, OPENAI_API_KEY, OPENAI_BASE_URL,
    OPENAI_EMBEDDING_MODEL, OPENAI_MODEL, OPENAI_ORG_ID, OPENAI_PROJECT_ID, OPENAI_PROTOCOL,
};
pub(crate) use target::Target;

use crate::CONNECTOR;

pub(crate) const HOSTED: &str = "https://api.openai.com/v1";

/// API key, address, model and limits.
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
    /// The API key, or `None` for a self-hosted server that requires none.
    pub api_key: Option<Secret>,
    /// The model; on Azure, the name of the deployment.
    pub model: String,
    /// The address of the service up to `/v1`; on Azure, its endpoint.
    pub base_url: Endpoint,
    /// Version of Azure's API. If set, requests use Azure's paths and header.
    pub azure_api_version: Option<String>,
    /// The organization to bill, if the API key belongs to several (`OpenAI-Organization`).
    pub organization: Option<String>,
    /// The project to bill (`OpenAI-Project`).
    pub project: Option<String>,
    /// Timeouts, retries and limits. Defaults: 5 minutes per attempt, 10 minutes in total, 2
    /// minutes without any byte (keep-alive messages of a stream count) and 64 MiB per response.
    pub http: HttpSettings,
    /// The API for chats; embeddings have only one. Default: Chat Completions.
    pub protocol: Protocol,
    /// The request field for [`ChatOptions::max_tokens`](crate::ChatOptions) in Chat Completions.
    pub max_tokens_field: MaxTokensField,
    /// Whether to request token usage at the end of a stream (`stream_options`). Some
    /// servers reject requests for it. Default: true.
    pub stream_usage: bool,
    /// Whether to request embeddings as base64, a quarter of the bytes. Default: only from the
    /// hosted service and Azure. Responses in either form are read.
    pub base64_embeddings: Option<bool>,
    /// Maximum number of texts per embedding request. Default: 2,048, OpenAI's limit.
    pub max_batch_texts: usize,
    /// Maximum number of estimated tokens per embedding request: one per four ASCII characters or
    /// per other character. Default: 250,000; OpenAI accepts 300,000. A text that exceeds the limit
    /// is sent alone.
    pub max_batch_tokens: usize,
    /// Number of concurrent embedding requests per call. Default: 4. A call of more than 64 texts
    /// or 8,000 estimated tokens is spread over them.
    pub concurrent_batches: usize,
}

closed_set! {
    /// OpenAI's APIs for chats.
    #[derive(Default)]
    pub enum Protocol {
        /// Chat Completions, which nearly every other server has, too.
        #[default]
        ChatCompletions = "chat-completions",
        /// Responses, with the service's own tools and their citations. The service doesn't store the
        /// chat unless `extra` sets `store`.
        Responses = "responses",
    }
}

/// The request field for the maximum number of tokens in a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_completion_tokens` for the hosted service and Azure, whose reasoning models accept no
    /// other field. `max_tokens` for other servers, many of which support only that.
    #[default]
    Auto,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `max_tokens`.
    MaxTokens,
}

impl OpenAiConfig {
    /// Creates the settings for a model of the hosted service, or of any other service [with its
    /// address](Self::with_base_url).
    pub fn new(api_key: impl Into<Secret>, model: impl Into<String>) -> Self {
        Self { api_key: Some(api_key.into()), ..Self::without_key(HOSTED, model) }
    }

    /// Creates the settings for a server that requires no API key, such as Ollama
    /// (`http://localhost:11434/v1`), vLLM (`http://localhost:8000/v1`) or llama.cpp
    /// (`http://localhost:8080/v1`).
    pub fn without_key(base_url: impl Into<Endpoint>, model: impl Into<String>) -> Self {
        Self {
            api_key: None,
            model: model.into(),
            base_url: base_url.into(),
            azure_api_version: None,
            organization: None,
            project: None,
            http: http_settings(),
            protocol: Protocol::ChatCompletions,
            max_tokens_field: MaxTokensField::Auto,
            stream_usage: true,
            base64_embeddings: None,
            max_batch_texts: 2048,
            max_batch_tokens: 250_000,
            concurrent_batches: 4,
        }
    }

    /// Creates the settings for a deployment on
    /// [Azure](https://learn.microsoft.com/azure/ai-foundry/openai/reference): its endpoint, such
    /// as `https://mine.openai.azure.com`, its name, the API version, such as `2024-10-21`, and the
    /// API key.
    ///
    /// For Azure's newer API without versions, use [`new`](Self::new) with the base URL
    /// `https://….azure.com/openai/v1`.
    pub fn azure(
        endpoint: impl Into<Endpoint>,
        deployment: impl Into<String>,
        api_version: impl Into<String>,
        api_key: impl Into<Secret>,
    ) -> Self {
        let config = Self::new(api_key, deployment).with_base_url(endpoint);
        Self { azure_api_version: Some(api_version.into()), ..config }
    }

    /// Sets the address, up to `/v1`, of another service with the same API.
    #[must_use]
    pub fn with_base_url(mut self, base_url: impl Into<Endpoint>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// Sets the organization to bill.
    #[must_use]
    pub fn with_organization(mut self, organization: impl Into<String>) -> Self {
        self.organization = Some(organization.into());
        self
    }

    /// Sets the project to bill.
    #[must_use]
    pub fn with_project(mut self, project: impl Into<String>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Sets timeouts, retries and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets the maximum number of texts and of estimated tokens per embedding request.
    #[must_use]
    pub fn with_batch_limits(mut self, texts: usize, tokens: usize) -> Self {
        (self.max_batch_texts, self.max_batch_tokens) = (texts, tokens);
        self
    }

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

    pub(crate) fn check_protocol(&self) -> Result<()> {
        if self.protocol == Protocol::Responses && self.azure_api_version.is_some() {
            let allowed =
                "no version of Azure's API: use the base URL https://….azure.com/openai/v1";
            return Err(refused("protocol", "`responses` with a version", allowed));
        }
        Ok(())
    }
}

pub(crate) fn refused(option: &str, value: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}
