//! Settings of a walk through a site.

use std::time::Duration;

use textsearch_core::{
    Error, Result,
    http::{AddressPolicy, HttpSettings},
};

pub(super) const CONNECTOR: &str = "site";

/// Limits and politeness of a [`SiteWalker`](super::SiteWalker).
///
/// ```
/// use textsearch_documents::ingest::SiteSettings;
///
/// let mut settings = SiteSettings::default().with_max_pages(200);
/// settings.max_depth = 4;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SiteSettings {
    /// Maximum pages to request. Default: 1,000.
    pub max_pages: usize,
    /// Maximum clicks from the start, or from a page of a sitemap. Default: 16.
    pub max_depth: usize,
    /// Maximum bytes of a page. Default: 64 MiB.
    pub max_page_bytes: usize,
    /// Maximum bytes of all pages. Default: 512 MiB.
    pub max_bytes: u64,
    /// Maximum time of a walk. Default: 1 hour.
    pub timeout: Duration,
    /// Shortest time between the beginnings of two requests. A longer `Crawl-delay` of the site counts, up to
    /// 10 s. Default: 250 ms.
    pub request_interval: Duration,
    /// Maximum number of concurrent requests. Default: 4.
    pub concurrent_requests: usize,
    /// Addresses that the walker may connect to. Default: public addresses.
    pub addresses: AddressPolicy,
    /// Timeouts, retries and the `User-Agent`.
    pub http: HttpSettings,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self {
            max_pages: 1000,
            max_depth: 16,
            max_page_bytes: 64 << 20,
            max_bytes: 512 << 20,
            timeout: Duration::from_secs(60 * 60),
            request_interval: Duration::from_millis(250),
            concurrent_requests: 4,
            addresses: AddressPolicy::public_only(),
            http: HttpSettings::default(),
        }
    }
}

impl SiteSettings {
    /// Sets the maximum number of pages to request. Default: 1,000.
    #[must_use]
    pub fn with_max_pages(mut self, pages: usize) -> Self {
        self.max_pages = pages;
        self
    }

    /// Allows a host of your own network, as [`AddressPolicy::with_allowed_host`] does.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if `host` isn't a host with or
    /// without a port.
    pub fn with_allowed_host(mut self, host: impl Into<String>) -> Result<Self> {
        self.addresses = self.addresses.with_allowed_host(host)?;
        Ok(self)
    }

    /// Sets timeouts, retries and the `User-Agent`.
    #[must_use]
    pub fn with_http_settings(mut self, http: HttpSettings) -> Self {
        self.http = http;
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        let counts = [
            ("max_pages", self.max_pages),
            ("max_page_bytes", self.max_page_bytes),
            ("concurrent_requests", self.concurrent_requests),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((option, _)) => Err(Error::invalid_options(CONNECTOR, option, 0, "at least 1")),
            None => Ok(()),
        }
    }
}
