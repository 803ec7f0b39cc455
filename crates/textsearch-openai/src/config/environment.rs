//! Settings from environment variables.

use textsearch_core::{
    Result,
    http::{Secret, required_variable, variable},
};

use super::{HOSTED, OpenAiConfig};
use crate::CONNECTOR;

/// The environment variable with the key; required where [`OPENAI_BASE_URL`] is not set.
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";

/// The environment variable with the address of the service; see [`OpenAiConfig::with_base_url`].
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";

/// The environment variable with the model that answers chats, required by [`OpenAiConfig::from_env`].
pub const OPENAI_MODEL: &str = "OPENAI_MODEL";

/// The environment variable with the model that makes embeddings, required by
/// [`OpenAiConfig::embeddings_from_env`].
pub const OPENAI_EMBEDDING_MODEL: &str = "OPENAI_EMBEDDING_MODEL";

/// The environment variable with the organization; see [`OpenAiConfig::with_organization`].
pub const OPENAI_ORG_ID: &str = "OPENAI_ORG_ID";

/// The environment variable with the project; see [`OpenAiConfig::with_project`].
pub const OPENAI_PROJECT_ID: &str = "OPENAI_PROJECT_ID";

/// The environment variable with Azure's key, required by [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_API_KEY: &str = "AZURE_OPENAI_API_KEY";

/// The environment variable with Azure's endpoint, required by [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_ENDPOINT: &str = "AZURE_OPENAI_ENDPOINT";

/// The environment variable with the version of Azure's API, required by [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_API_VERSION: &str = "AZURE_OPENAI_API_VERSION";

/// The environment variable with the deployment that answers chats, required by [`OpenAiConfig::azure_from_env`].
pub const AZURE_OPENAI_DEPLOYMENT: &str = "AZURE_OPENAI_DEPLOYMENT";

/// The environment variable with the deployment that makes embeddings, required by
/// [`OpenAiConfig::azure_embeddings_from_env`].
pub const AZURE_OPENAI_EMBEDDING_DEPLOYMENT: &str = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT";

impl OpenAiConfig {
    /// A model for chats from [`OPENAI_MODEL`], with [`OPENAI_API_KEY`] and, where they are set, [`OPENAI_BASE_URL`],
    /// [`OPENAI_ORG_ID`] and [`OPENAI_PROJECT_ID`].
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) that names the variable where there is neither a
    /// key nor another base URL; [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) that names the
    /// variable where there is no model or one of them is not Unicode.
    pub fn from_env() -> Result<Self> {
        Self::with_model_from(OPENAI_MODEL)
    }

    /// The same with the model for embeddings, from [`OPENAI_EMBEDDING_MODEL`].
    ///
    /// # Errors
    /// As [`from_env`](Self::from_env).
    pub fn embeddings_from_env() -> Result<Self> {
        Self::with_model_from(OPENAI_EMBEDDING_MODEL)
    }

    /// The same with `model`, which the environment need not name.
    ///
    /// # Errors
    /// As [`from_env`](Self::from_env), where the model is not one of them.
    pub fn from_env_with_model(model: impl Into<String>) -> Result<Self> {
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

    /// A deployment on Azure for chats, from [`AZURE_OPENAI_ENDPOINT`], [`AZURE_OPENAI_DEPLOYMENT`],
    /// [`AZURE_OPENAI_API_VERSION`] and [`AZURE_OPENAI_API_KEY`].
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) where there is no key and
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) where another variable is missing; both name it.
    pub fn azure_from_env() -> Result<Self> {
        Self::deployment_from(AZURE_OPENAI_DEPLOYMENT)
    }

    /// The same with the deployment for embeddings, from [`AZURE_OPENAI_EMBEDDING_DEPLOYMENT`].
    ///
    /// # Errors
    /// As [`azure_from_env`](Self::azure_from_env).
    pub fn azure_embeddings_from_env() -> Result<Self> {
        Self::deployment_from(AZURE_OPENAI_EMBEDDING_DEPLOYMENT)
    }

    fn with_model_from(name: &str) -> Result<Self> {
        let config = Self::from_env_with_model(String::new())?;
        Ok(Self { model: required_variable(CONNECTOR, name)?, ..config })
    }

    fn deployment_from(name: &str) -> Result<Self> {
        let key = Secret::from_env(CONNECTOR, AZURE_OPENAI_API_KEY)?;
        let required = |name| required_variable(CONNECTOR, name);
        let (endpoint, version) =
            (required(AZURE_OPENAI_ENDPOINT)?, required(AZURE_OPENAI_API_VERSION)?);
        Ok(Self::azure(endpoint, required(name)?, version, key))
    }
}
