//! Endpoint, key and HTTP settings.

use super::WebEngine;
use crate::{
    Error, Result,
    http::{Endpoint, HeaderName, HttpRequest, HttpSettings, Secret, variable},
};

/// The settings that every web connector has.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Connection {
    /// API key; not sent if empty.
    pub api_key: Secret,
    /// URL of the endpoint.
    pub endpoint: Endpoint,
    /// Timeouts, retries and limits.
    pub http: HttpSettings,
}

impl Connection {
    /// Creates a connection to the public endpoint of `E`. Engines without a key take an empty one.
    pub fn new<E: WebEngine>(api_key: impl Into<Secret>) -> Self {
        Self {
            api_key: api_key.into(),
            endpoint: E::ENDPOINT.into(),
            http: HttpSettings::default(),
        }
    }

    /// Reads the key and, if set, the endpoint from the environment variables of `E`.
    ///
    /// # Errors
    /// - [`Authentication`](crate::ErrorKind::Authentication), naming the variable, if a key that
    ///   the engine needs is missing.
    /// - [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if a value isn't Unicode.
    pub fn from_env<E: WebEngine>() -> Result<Self> {
        let key = match E::KEY_VARIABLE {
            Some(name) if E::NEEDS_KEY => Secret::from_env(E::NAME, name)?,
            Some(name) => Secret::from(variable(E::NAME, name)?.unwrap_or_default()),
            None => Secret::from(""),
        };
        let mut connection = Self::new::<E>(key);
        if let Some(endpoint) = variable(E::NAME, E::ENDPOINT_VARIABLE)? {
            connection.endpoint = endpoint.into();
        }
        Ok(connection)
    }

    pub(super) fn check<E: WebEngine>(&self) -> Result<()> {
        if E::NEEDS_KEY && self.api_key.is_empty() {
            return Err(Error::invalid_options(E::NAME, "api_key", "empty", "an API key"));
        }
        Ok(())
    }
}

/// Where requests carry the API key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the core fills each place")]
pub enum KeyPlace {
    /// In `Authorization: Bearer …`.
    Bearer,
    /// In another header.
    Header(HeaderName),
    /// In a query parameter. Prefer a header: servers and proxies log URLs.
    Query(&'static str),
}

impl KeyPlace {
    /// Creates the place of a key in a header, such as `x-api-key`.
    ///
    /// # Panics
    /// If the name is not lower case, or no header's name.
    pub const fn header(name: &'static str) -> Self {
        Self::Header(HeaderName::from_static(name))
    }

    pub(super) fn apply(&self, request: HttpRequest, key: &Secret) -> HttpRequest {
        match self {
            _ if key.is_empty() => request,
            Self::Header(name) => request.with_secret_header(name, key),
            Self::Bearer => request.with_bearer(key),
            Self::Query(name) => request.with_secret_query(name, key),
        }
    }
}
