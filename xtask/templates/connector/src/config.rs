//! Configuration: key, endpoint and HTTP settings.

use textsearch_core::{
    Error, Result,
    http::{HttpSettings, Secret, Url, variable},
    web::Endpoint,
};

use crate::NAME;

/// Environment variable for the API key. [`AcmeConfig::from_env`] requires it.
pub const ACME_API_KEY: &str = "ACME_API_KEY";

/// Environment variable for the endpoint URL; see [`AcmeConfig::with_endpoint`].
pub const ACME_ENDPOINT: &str = "ACME_ENDPOINT";

// Reference 1 of 5: the full URL of the search.
const ENDPOINT: &str = "https://api.acme.example/v1/search";

/// Configuration of [`AcmeTextSearch`](crate::AcmeTextSearch).
///
/// `AcmeTextSearch::new` validates all values.
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
    /// API key.
    pub api_key: Secret,
    /// URL of the endpoint.
    pub endpoint: Endpoint,
    /// Timeouts, retries and limits.
    pub http: HttpSettings,
}

impl AcmeConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            api_key: api_key.into(),
            endpoint: ENDPOINT.into(),
            http: HttpSettings::default(),
        }
    }

    /// Reads the configuration from environment variables: [`ACME_API_KEY`] and, if set,
    /// [`ACME_ENDPOINT`].
    ///
    /// # Errors
    /// - [`ErrorKind::Authentication`](textsearch_core::ErrorKind::Authentication), naming the
    ///   variable, if there is no key.
    /// - [`ErrorKind::InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if a value isn't
    ///   Unicode.
    pub fn from_env() -> Result<Self> {
        let config = Self::new(Secret::from_env(NAME, ACME_API_KEY)?);
        Ok(match variable(NAME, ACME_ENDPOINT)? {
            Some(endpoint) => config.with_endpoint(endpoint),
            None => config,
        })
    }

    /// Sets the endpoint URL, for example of a compatible service. Pass the full URL.
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

    /// Validates all settings.
    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.is_empty() {
            return Err(Error::invalid_options(NAME, "api_key", "empty", "an API key"));
        }
        self.url().map(drop)
    }

    /// Returns the URL that requests go to.
    pub(crate) fn url(&self) -> Result<Url> {
        self.endpoint.url(NAME, ENDPOINT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides_key_and_password() {
        let config = AcmeConfig::new("rosebud").with_endpoint("https://me:rosebud@a.com?k=rosebud");
        assert!(!format!("{config:?}").contains("rosebud"));
    }
}
