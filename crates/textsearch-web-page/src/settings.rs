//! What a reader of pages may do, as plain data.

use std::time::Duration;

use textsearch_core::{
    Result,
    http::{AddressPolicy, HttpSettings},
};

/// Which pages are read, for how long, and how much of them.
///
/// ```
/// use std::time::Duration;
/// use textsearch_web_page::WebPageSettings;
///
/// let settings = WebPageSettings::default()
///     .with_allowed_host("wiki.internal:8080")?
///     .with_timeout(Duration::from_secs(5))
///     .with_max_body_bytes(1024 * 1024);
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebPageSettings {
    /// Where pages may be: public addresses only.
    pub addresses: AddressPolicy,
    /// Timeouts, attempts and limits. Other than for a provider, two attempts are made, and `total_timeout` (20 s) is for
    /// everything: attempts, body and reading. `max_body_bytes` is 4 MiB after decompression; a proxy is never used.
    pub http: HttpSettings,
}

impl Default for WebPageSettings {
    fn default() -> Self {
        let http = HttpSettings::default()
            .with_connect_timeout(Duration::from_secs(5))
            .with_attempt_timeout(Duration::from_secs(10))
            .with_idle_timeout(Duration::from_secs(10))
            .with_total_timeout(Duration::from_secs(20))
            .with_max_attempts(2)
            .with_proxy(false);
        Self { addresses: AddressPolicy::public_only(), http }
    }
}

impl WebPageSettings {
    /// Changes where pages may be.
    #[must_use]
    pub fn with_addresses(mut self, addresses: AddressPolicy) -> Self {
        self.addresses = addresses;
        self
    }

    /// Allows a host of one's own besides, such as `wiki.internal:8080`; without a port, every port of it.
    ///
    /// # Errors
    /// [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) where `host` is not a host with or without a port.
    pub fn with_allowed_host(mut self, host: impl Into<String>) -> Result<Self> {
        self.addresses = self.addresses.with_allowed_host(host)?;
        Ok(self)
    }

    /// Changes timeouts, attempts and limits.
    #[must_use]
    pub fn with_http_settings(mut self, http: HttpSettings) -> Self {
        self.http = http;
        self
    }

    /// Changes how long one page may take, everything included.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.http.total_timeout = timeout;
        self
    }

    /// Changes how many bytes a page may have, after decompression.
    #[must_use]
    pub fn with_max_body_bytes(mut self, bytes: usize) -> Self {
        self.http.max_body_bytes = bytes;
        self
    }
}
