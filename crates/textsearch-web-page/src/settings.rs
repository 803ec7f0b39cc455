//! Settings of a reader.

use std::time::Duration;

use textsearch_core::{
    Result,
    http::{AddressPolicy, HttpSettings},
};

/// Settings of a [`WebPageReader`](crate::WebPageReader): allowed addresses, timeouts and limits.
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
    /// Allowed addresses. Default: public ones only.
    pub addresses: AddressPolicy,
    /// Timeouts, retries and limits.
    ///
    /// Defaults differ from those for providers: two attempts, and a `total_timeout` of 20 s that
    /// covers attempts, body and parsing. `max_body_bytes` is 4 MiB after decompression. A proxy is
    /// never used.
    pub http: HttpSettings,
}

impl Default for WebPageSettings {
    fn default() -> Self {
        let mut http = HttpSettings::default()
            .with_total_timeout(Duration::from_secs(20))
            .with_max_attempts(2)
            .with_proxy(false);
        http.connect_timeout = Duration::from_secs(5);
        http.attempt_timeout = Duration::from_secs(10);
        http.idle_timeout = Duration::from_secs(10);
        Self { addresses: AddressPolicy::public_only(), http }
    }
}

impl WebPageSettings {
    /// Sets the allowed addresses.
    #[must_use]
    pub fn with_addresses(mut self, addresses: AddressPolicy) -> Self {
        self.addresses = addresses;
        self
    }

    /// Also allows this host, such as `wiki.internal:8080`. Without a port, all its ports are
    /// allowed.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if `host` isn't a
    /// host with an optional port.
    pub fn with_allowed_host(mut self, host: impl Into<String>) -> Result<Self> {
        self.addresses = self.addresses.with_allowed_host(host)?;
        Ok(self)
    }

    /// Sets timeouts, retries and limits.
    #[must_use]
    pub fn with_http_settings(mut self, http: HttpSettings) -> Self {
        self.http = http;
        self
    }

    /// Sets the total time for one page. Default: 20 s.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.http.total_timeout = timeout;
        self
    }

    /// Sets the maximum size of a page in bytes, after decompression. Default: 4 MiB.
    #[must_use]
    pub fn with_max_body_bytes(mut self, bytes: usize) -> Self {
        self.http.max_body_bytes = bytes;
        self
    }
}
