//! Configuration from environment variables.

use textsearch_core::{
    Result,
    http::{Secret, required_variable, variable},
};

use super::{HOSTED, OpenAiConfig, refused};
use crate::CONNECTOR;

/// Environment variable with the API key; required unless [`OPENAI_BASE_URL`] is set.
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";

/// Environment variable with the address of the service; see [`OpenAiConfig::with_base_url`].
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";

/// Environment variable with the chat model, required by [`OpenAiConfig::from_env`].
pub const OPENAI_MODEL: &str = "OPENAI_MODEL";

/// Environment variable with the embedding model, required by
/// [`OpenAiConfig::embeddings_from_env`].
pub const OPENAI_EMBEDDING_MODEL: &str = "OPENAI_EMBEDDING_MODEL";

/// Environment variable with the organization; see [`OpenAiConfig::with_organization`].
pub const OPENAI_ORG_ID: &str = "OPENAI_ORG_ID";

/// Environment variable with the project; see [`OpenAiConfig::with_project`].
pub const OPENAI_PROJECT_ID: &str = "OPENAI_PROJECT_ID";

/// Environment variable with the API for chats; see [`Protocol`](crate::Protocol).
pub const OPENAI_PROTOCOL: &str = "OPENAI_PROTOCOL";

/// Environment variable with Azure's API key, required by [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_API_KEY: &str = "AZURE_OPENAI_API_KEY";

/// Environment variable with Azure's endpoint, required by [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_ENDPOINT: &str = "AZURE_OPENAI_ENDPOINT";

/// Environment variable with the version of Azure's API, required by
/// [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_API_VERSION: &str = "AZURE_OPENAI_API_VERSION";

/// Environment variable with the chat deployment, required by [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_DEPLOYMENT: &str = "AZURE_OPENAI_DEPLOYMENT";

/// Environment variable with the embedding deployment, required by
/// [`OpenAiConfig::azure_embeddings_from_env`].
pub const AZURE_OPENAI_EMBEDDING_DEPLOYMENT: &str = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT";

impl OpenAiConfig {
    /// Reads the chat model from [`OPENAI_MODEL`], the API key from [`OPENAI_API_KEY`] and, if set,
    /// [`OPENAI_BASE_URL`], [`OPENAI_ORG_ID`], [`OPENAI_PROJECT_ID`] and [`OPENAI_PROTOCOL`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) if there is neither
    /// an API key nor another base URL, and
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if the model is missing, the
    /// protocol is unknown, or a variable isn't Unicode. The error names the variable.
    pub fn from_env() -> Result<Self> {
        Self::with_model_from(OPENAI_MODEL)?.with_protocol_from_env()
    }

    /// Like [`from_env`](Self::from_env), with the embedding model from [`OPENAI_EMBEDDING_MODEL`]
    /// and without [`OPENAI_PROTOCOL`].
    ///
    /// # Errors
    /// Returns the same errors as [`from_env`](Self::from_env).
    pub fn embeddings_from_env() -> Result<Self> {
        Self::with_model_from(OPENAI_EMBEDDING_MODEL)
    }

    /// Like [`from_env`](Self::from_env), with `model` instead of the variable.
    ///
    /// # Errors
    /// Returns the same errors as [`from_env`](Self::from_env), except those about the model.
    pub fn from_env_with_model(model: impl Into<String>) -> Result<Self> {
        Self::without_protocol(model.into())?.with_protocol_from_env()
    }

    fn without_protocol(model: String) -> Result<Self> {
        let base_url = variable(CONNECTOR, OPENAI_BASE_URL)?;
        let key = match variable(CONNECTOR, OPENAI_API_KEY)? {
            None if base_url.is_none() => Some(Secret::from_env(CONNECTOR, OPENAI_API_KEY)?),
            key => key.map(Secret::from),
        };
        let mut config = Self::without_key(base_url.unwrap_or_else(|| HOSTED.to_owned()), model);
        config.api_key = key;
        config.organization = variable(CONNECTOR, OPENAI_ORG_ID)?;
        config.project = variable(CONNECTOR, OPENAI_PROJECT_ID)?;
        Ok(config)
    }

    fn with_protocol_from_env(mut self) -> Result<Self> {
        if let Some(protocol) = variable(CONNECTOR, OPENAI_PROTOCOL)? {
            let unknown = |allowed: String| {
                let allowed = allowed.trim_start_matches("expected ");
                refused(OPENAI_PROTOCOL, &format!("`{protocol}`"), allowed)
            };
            self.protocol = protocol.parse().map_err(unknown)?;
        }
        Ok(self)
    }

    /// Reads an Azure chat deployment from [`AZURE_OPENAI_ENDPOINT`], [`AZURE_OPENAI_DEPLOYMENT`],
    /// [`AZURE_OPENAI_API_VERSION`], [`AZURE_OPENAI_API_KEY`] and, if set, [`OPENAI_PROTOCOL`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) if there is no API
    /// key, and [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if another variable
    /// is missing or the protocol is unknown. Both name the variable.
    /// [`OpenAiChat::new`](crate::OpenAiChat::new) refuses `responses`, which versions of Azure's
    /// API don't have.
    pub fn azure_from_env() -> Result<Self> {
        Self::deployment_from(AZURE_OPENAI_DEPLOYMENT)?.with_protocol_from_env()
    }

    /// Like [`azure_from_env`](Self::azure_from_env), with the embedding deployment from
    /// [`AZURE_OPENAI_EMBEDDING_DEPLOYMENT`].
    ///
    /// # Errors
    /// Returns the same errors as [`azure_from_env`](Self::azure_from_env).
    pub fn azure_embeddings_from_env() -> Result<Self> {
        Self::deployment_from(AZURE_OPENAI_EMBEDDING_DEPLOYMENT)
    }

    fn with_model_from(name: &str) -> Result<Self> {
        let config = Self::without_protocol(String::new())?;
        Ok(Self { model: required_variable(CONNECTOR, name)?, ..config })
    }

    fn deployment_from(name: &str) -> Result<Self> {
        let key = Secret::from_env(CONNECTOR, AZURE_OPENAI_API_KEY)?;
        let required = |name| required_variable(CONNECTOR, name);
        let endpoint = required(AZURE_OPENAI_ENDPOINT)?;
        let version = required(AZURE_OPENAI_API_VERSION)?;
        Ok(Self::azure(endpoint, required(name)?, version, key))
    }
}
