//! The settings of a store.

use std::sync::Arc;

use textsearch_core::{
    Result,
    http::{HttpSettings, Url},
    secret::{Secret, required_variable},
};

use crate::{
    CONNECTOR, TokenProvider, credential::Credential, definition::is_name, error::refused,
};

/// Environment variable with the service's endpoint, such as `https://contoso.search.windows.net`.
pub const AZURE_SEARCH_ENDPOINT: &str = "AZURE_SEARCH_ENDPOINT";

/// Environment variable with an admin key of the service.
pub const AZURE_SEARCH_API_KEY: &str = "AZURE_SEARCH_API_KEY";

/// The service accepts no more
/// [actions](https://learn.microsoft.com/rest/api/searchservice/documents) and bytes in a request.
const MAX_RECORDS: usize = 1_000;
const MAX_BYTES: usize = 16_000_000;

/// A page of 1,000 records can be much larger than the default of 4 MiB.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// Endpoint, credential and settings of a search service.
///
/// ```
/// use textsearch_azure_ai_search::AzureSearchConfig;
///
/// let config = AzureSearchConfig::new("https://contoso.search.windows.net", "open sesame")
///     .with_semantic_configuration("default");
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AzureSearchConfig {
    /// The address of the service: `https`, or `http` on this machine.
    pub endpoint: String,
    pub(crate) credential: Credential,
    /// The name of a [semantic
    /// configuration](https://learn.microsoft.com/azure/search/semantic-how-to-configure). If set,
    /// new indexes get it, and the semantic ranker orders the results of searches by words and of
    /// hybrid searches. Unset by default.
    pub semantic_configuration: Option<String>,
    /// Whether to accept definitions with a [mean
    /// length](crate::vector::FullText::mean_length) of texts, although the service always uses the
    /// actual one; false by default. Records then score differently than in other stores.
    pub ignored_mean_lengths: bool,
    /// Timeouts, retries and limits of requests. A response has at most 64 MiB by default.
    pub http: HttpSettings,
    /// Maximum number of records per request; 1,000 by default, the most the service accepts.
    pub max_batch_records: usize,
    /// Maximum size of a request in bytes; 16,000,000 by default, the most the service accepts.
    pub max_batch_bytes: usize,
}

impl AzureSearchConfig {
    /// Creates the settings for the service at `endpoint`, with an [admin
    /// key](https://learn.microsoft.com/azure/search/search-security-api-keys).
    pub fn new(endpoint: impl Into<String>, key: impl Into<Secret>) -> Self {
        Self::with_credential(endpoint.into(), Credential::Key(key.into()))
    }

    /// Creates the settings for the service at `endpoint`, with bearer tokens.
    pub fn from_tokens(endpoint: impl Into<String>, tokens: impl TokenProvider + 'static) -> Self {
        Self::with_credential(endpoint.into(), Credential::Tokens(Arc::new(tokens)))
    }

    /// Reads the endpoint from [`AZURE_SEARCH_ENDPOINT`] and the key from
    /// [`AZURE_SEARCH_API_KEY`].
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions) or
    /// [`Authentication`](crate::ErrorKind::Authentication), which name the variable, if one is
    /// missing, empty or not Unicode.
    pub fn from_env() -> Result<Self> {
        let endpoint = required_variable(CONNECTOR, AZURE_SEARCH_ENDPOINT)?;
        Ok(Self::new(endpoint, Secret::from_env(CONNECTOR, AZURE_SEARCH_API_KEY)?))
    }

    /// Sets [`semantic_configuration`](Self::semantic_configuration).
    #[must_use]
    pub fn with_semantic_configuration(mut self, name: impl Into<String>) -> Self {
        self.semantic_configuration = Some(name.into());
        self
    }

    /// Sets whether to [ignore mean lengths](Self::ignored_mean_lengths) instead of rejecting them;
    /// false by default.
    #[must_use]
    pub fn with_ignored_mean_lengths(mut self, enabled: bool) -> Self {
        self.ignored_mean_lengths = enabled;
        self
    }

    /// Sets timeouts, retries and limits of requests.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets the maximum number of records and of bytes per request.
    #[must_use]
    pub fn with_batch_limits(mut self, records: usize, bytes: usize) -> Self {
        (self.max_batch_records, self.max_batch_bytes) = (records, bytes);
        self
    }

    fn with_credential(endpoint: String, credential: Credential) -> Self {
        Self {
            endpoint,
            credential,
            semantic_configuration: None,
            ignored_mean_lengths: false,
            http: HttpSettings::default().with_max_body_bytes(MAX_BODY_BYTES),
            max_batch_records: MAX_RECORDS,
            max_batch_bytes: MAX_BYTES,
        }
    }

    /// Checks the settings, and returns the endpoint without a path.
    pub(crate) fn checked(&self) -> Result<Url> {
        if !(1..=MAX_RECORDS).contains(&self.max_batch_records) {
            let allowed = format!("1 to {MAX_RECORDS}");
            return Err(refused("max_batch_records", self.max_batch_records, &allowed));
        }
        if !(1..=MAX_BYTES).contains(&self.max_batch_bytes) {
            let allowed = format!("1 to {MAX_BYTES}");
            return Err(refused("max_batch_bytes", self.max_batch_bytes, &allowed));
        }
        if let Some(name) = &self.semantic_configuration
            && !is_name(name)
        {
            let allowed = "1 to 128 letters, digits and `_`, beginning with a letter";
            return Err(refused("semantic_configuration", format_args!("`{name}`"), allowed));
        }
        let expected = "an address such as https://contoso.search.windows.net, without path, user and \
                        query; http only for this machine";
        let url = Url::parse(&self.endpoint).ok().filter(is_endpoint);
        url.ok_or_else(|| refused("endpoint", "not the address of a service", expected))
    }
}

/// A key must not cross a network in clear text.
fn is_endpoint(url: &Url) -> bool {
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    is_bare && is_anonymous && (url.scheme() == "https" || url.scheme() == "http" && is_local)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(endpoint: &str) -> AzureSearchConfig {
        AzureSearchConfig::new(endpoint, "open sesame")
    }

    #[test]
    fn keys_only_go_to_encrypted_or_local_addresses() {
        for endpoint in
            ["https://contoso.search.windows.net", "http://127.0.0.1:8080", "http://localhost/"]
        {
            assert!(config(endpoint).checked().is_ok(), "{endpoint}");
        }
        for endpoint in [
            "http://contoso.search.windows.net",
            "contoso",
            "https://contoso.search.windows.net/indexes",
            "https://me:sesame@contoso.search.windows.net",
            "ftp://localhost",
        ] {
            let error = config(endpoint).checked().unwrap_err();
            assert!(error.message().contains("`endpoint`"), "{endpoint}: {error}");
            assert!(!error.message().contains("sesame"), "{error}");
        }
    }

    #[test]
    fn settings_beyond_the_service_limits_are_refused() {
        let base = || config("https://contoso.search.windows.net");
        let cases = [
            (base().with_batch_limits(1_001, 1), "max_batch_records"),
            (base().with_batch_limits(0, 1), "max_batch_records"),
            (base().with_batch_limits(1, 16_000_001), "max_batch_bytes"),
            (base().with_semantic_configuration("a b"), "semantic_configuration"),
        ];
        for (config, option) in cases {
            let error = config.checked().unwrap_err();
            assert!(error.message().contains(option), "{error}");
        }
    }

    #[test]
    fn debug_shows_no_key() {
        assert!(!format!("{:?}", config("https://localhost")).contains("sesame"));
    }
}
