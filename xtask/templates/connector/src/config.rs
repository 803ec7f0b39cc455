//! Key, address and settings of a search as plain data.

use textsearch_core::{
    Error, Result,
    http::{HttpSettings, Secret, Url, variable},
    web::Endpoint,
};

use crate::NAME;

/// The environment variable with the key, required by [`AcmeConfig::from_env`].
pub const API_KEY_VARIABLE: &str = "ACME_API_KEY";

/// The environment variable with the address of the service; see [`AcmeConfig::with_endpoint`].
pub const ENDPOINT_VARIABLE: &str = "ACME_ENDPOINT";

// Reference 1 of 5: the whole address of the search.
const ENDPOINT: &str = "https://api.acme.example/v1/search";

/// What [`AcmeTextSearch`](crate::AcmeTextSearch) needs to know; its `new` checks all values.
///
/// ```
/// use textsearch_acme::AcmeConfig;
///
/// let config = AcmeConfig::new("sesame");
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AcmeConfig {
    /// The key.
    pub api_key: Secret,
    /// The address of the search.
    pub endpoint: Endpoint,
    /// Timeouts, attempts and limits.
    pub http: HttpSettings,
}

impl AcmeConfig {
    /// The configuration with this key, the rest by default.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            api_key: api_key.into(),
            endpoint: ENDPOINT.into(),
            http: HttpSettings::default(),
        }
    }

    /// Reads the key from [`API_KEY_VARIABLE`] and, where it is set, the address from [`ENDPOINT_VARIABLE`].
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`](textsearch_core::ErrorKind::Authentication) that names the variable where there
    /// is no key; [`ErrorKind::InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) where a value is not
    /// Unicode.
    pub fn from_env() -> Result<Self> {
        let config = Self::new(Secret::from_env(NAME, API_KEY_VARIABLE)?);
        Ok(match variable(NAME, ENDPOINT_VARIABLE)? {
            Some(endpoint) => config.with_endpoint(endpoint),
            None => config,
        })
    }

    /// Changes the address of the search.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Changes timeouts, attempts and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Checks everything that is not checked when it is used.
    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.is_empty() {
            return Err(Error::invalid_options(NAME, "api_key", "empty", "the key of an account"));
        }
        self.url().map(drop)
    }

    /// The address to send requests to.
    pub(crate) fn url(&self) -> Result<Url> {
        self.endpoint.url(NAME, ENDPOINT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_is_not_printed() {
        let config = AcmeConfig::new("rosebud").with_endpoint("https://me:rosebud@a.com?k=rosebud");
        assert!(!format!("{config:?}").contains("rosebud"));
    }
}
