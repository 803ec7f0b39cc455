//! The settings of a store.

use std::fmt;

use textsearch_core::{
    Result,
    http::{HttpSettings, Url, displayable},
    secret::{Secret, variable},
};

use crate::{CONNECTOR, error::refused};

/// Environment variable with the server's URL.
pub const CHROMA_URL: &str = "CHROMA_URL";
/// Environment variable with the key that the server expects in `x-chroma-token`.
pub const CHROMA_API_KEY: &str = "CHROMA_API_KEY";
/// Environment variable with the tenant.
pub const CHROMA_TENANT: &str = "CHROMA_TENANT";
/// Environment variable with the database.
pub const CHROMA_DATABASE: &str = "CHROMA_DATABASE";

/// Where `chroma run` listens.
pub const DEFAULT_URL: &str = "http://localhost:8000";

/// The server's own limit is 40 MiB.
const BATCH_BYTES: usize = 32 * 1024 * 1024;

/// A response holds all keys of a scan.
const BODY_BYTES: usize = 256 * 1024 * 1024;

/// URL and settings of a Chroma server.
///
/// ```
/// use textsearch_chroma::{ChromaConfig, DEFAULT_URL};
///
/// let config = ChromaConfig::new(DEFAULT_URL).with_api_key("sesame").with_database("manuals");
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ChromaConfig {
    /// The URL of the server, without `/api/v2`.
    pub url: String,
    /// The tenant; `default_tenant` by default.
    pub tenant: String,
    /// The database; `default_database` by default.
    pub database: String,
    /// The key for the header `x-chroma-token`; none by default.
    pub api_key: Option<Secret>,
    /// The token for the header `Authorization: Bearer`; none by default.
    pub bearer_token: Option<Secret>,
    /// Maximum number of records in one request. Default: the server's limit.
    pub max_batch_records: Option<usize>,
    /// Maximum size of the records in one request, in bytes; 32 MiB by default.
    pub max_batch_bytes: usize,
    /// Retries, timeouts and limits of requests. A response may have 256 MiB by default.
    pub http: HttpSettings,
}

impl ChromaConfig {
    /// Creates the settings for the server at `url`, such as [`DEFAULT_URL`], with defaults for the
    /// rest.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            tenant: "default_tenant".to_owned(),
            database: "default_database".to_owned(),
            api_key: None,
            bearer_token: None,
            max_batch_records: None,
            max_batch_bytes: BATCH_BYTES,
            http: HttpSettings::default().with_max_body_bytes(BODY_BYTES),
        }
    }

    /// Reads the settings from [`CHROMA_URL`], [`CHROMA_API_KEY`], [`CHROMA_TENANT`] and
    /// [`CHROMA_DATABASE`]. Each may be missing.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the variable, if
    /// one is not Unicode.
    pub fn from_env() -> Result<Self> {
        let variable_of = |name| variable(CONNECTOR, name);
        let mut config =
            Self::new(variable_of(CHROMA_URL)?.unwrap_or_else(|| DEFAULT_URL.to_owned()));
        config.api_key = variable_of(CHROMA_API_KEY)?.map(Secret::from);
        config.tenant = variable_of(CHROMA_TENANT)?.unwrap_or(config.tenant);
        config.database = variable_of(CHROMA_DATABASE)?.unwrap_or(config.database);
        Ok(config)
    }

    /// Sets the tenant. It must exist.
    #[must_use]
    pub fn with_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = tenant.into();
        self
    }

    /// Sets the database. It must exist.
    #[must_use]
    pub fn with_database(mut self, database: impl Into<String>) -> Self {
        self.database = database.into();
        self
    }

    /// Sets the key for the header `x-chroma-token`.
    #[must_use]
    pub fn with_api_key(mut self, key: impl Into<Secret>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Sets the token for the header `Authorization: Bearer`, which proxies check.
    #[must_use]
    pub fn with_bearer_token(mut self, token: impl Into<Secret>) -> Self {
        self.bearer_token = Some(token.into());
        self
    }

    /// Sets the maximum number of records in one request, and their maximum size in bytes. The
    /// server stores each request's records together or not at all.
    #[must_use]
    pub fn with_batch_limits(mut self, records: usize, bytes: usize) -> Self {
        (self.max_batch_records, self.max_batch_bytes) = (Some(records), bytes);
        self
    }

    /// Sets retries, timeouts and limits of requests.
    #[must_use]
    pub fn with_http_settings(mut self, http: HttpSettings) -> Self {
        self.http = http;
        self
    }

    /// Checks the settings, and returns the URL of the database.
    pub(crate) fn base(&self) -> Result<Url> {
        if self.max_batch_records == Some(0) {
            return Err(refused("max_batch_records", 0, "at least 1"));
        }
        if self.max_batch_bytes == 0 {
            return Err(refused("max_batch_bytes", 0, "at least 1"));
        }
        for (option, name) in [("tenant", &self.tenant), ("database", &self.database)] {
            // A URL has no such segments.
            if ["", ".", ".."].contains(&name.as_str()) {
                return Err(refused(option, format_args!("`{name}`"), "the name of one"));
            }
        }
        let mut url = self.parsed().ok_or_else(|| {
            // The text may contain a password.
            refused("url", "not the URL of a server", "http://HOST:PORT or https://HOST")
        })?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["api", "v2"]);
        }
        Ok(url)
    }

    fn parsed(&self) -> Option<Url> {
        let url = Url::parse(&self.url).ok()?;
        let is_plain = url.query().is_none() && url.fragment().is_none();
        (["http", "https"].contains(&url.scheme()) && is_plain).then_some(url)
    }
}

impl fmt::Debug for ChromaConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChromaConfig")
            .field("url", &self.parsed().as_ref().map(displayable))
            .field("tenant", &self.tenant)
            .field("database", &self.database)
            .field("api_key", &self.api_key)
            .field("bearer_token", &self.bearer_token)
            .field("max_batch_records", &self.max_batch_records)
            .field("max_batch_bytes", &self.max_batch_bytes)
            .field("http", &self.http)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(config: &ChromaConfig) -> String {
        config.base().unwrap_err().to_string()
    }

    #[test]
    fn refusal_names_the_setting() {
        let config = || ChromaConfig::new(DEFAULT_URL);
        assert_eq!(config().base().unwrap().as_str(), "http://localhost:8000/api/v2");
        assert_eq!(
            refusal(&config().with_tenant("..")),
            "chroma: `tenant` is `..`; expected the name of one"
        );
        assert!(refusal(&config().with_database("")).starts_with("chroma: `database` is"));
        assert!(refusal(&config().with_batch_limits(0, 1)).contains("`max_batch_records`"));
        assert!(refusal(&config().with_batch_limits(1, 0)).contains("`max_batch_bytes`"));
    }

    #[test]
    fn url_may_have_a_path() {
        let config = ChromaConfig::new("https://example.com/chroma/");
        assert_eq!(config.base().unwrap().as_str(), "https://example.com/chroma/api/v2");
    }

    #[test]
    fn no_output_shows_a_secret() {
        let urls =
            ["http://me:sesame@localhost", "http://localhost?token=sesame", "chroma://sesame@x"];
        for url in urls {
            let config = ChromaConfig::new(url).with_api_key("sesame").with_bearer_token("sesame");
            let refusal =
                config.base().map_or_else(|error| format!("{error:?}"), |_| String::new());
            let printed = format!("{config:?} {refusal}");
            assert!(!printed.contains("sesame"), "{printed}");
        }
    }
}
