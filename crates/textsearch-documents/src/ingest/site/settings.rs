//! Settings of a walk through a site.

use std::time::Duration;

use textsearch_core::{
    Error, Result,
    http::{AddressPolicy, HttpSettings},
};

pub(super) const CONNECTOR: &str = "site";

/// Limits and politeness of a [`SiteWalker`](super::SiteWalker).
///
/// Fixed are 16 clicks from the start or from a page of a sitemap, 64 MiB a page, 512 MiB and one hour in all, and
/// four concurrent requests.
///
/// ```
/// use std::time::Duration;
///
/// use textsearch_documents::ingest::SiteSettings;
///
/// let mut settings = SiteSettings::default().with_max_pages(200);
/// settings.request_interval = Duration::from_secs(1);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SiteSettings {
    /// Maximum pages to request. Default: 1,000.
    pub max_pages: usize,
    /// Shortest time between the beginnings of two requests. A longer `Crawl-delay` of the site counts, up to
    /// 10 s. Default: 250 ms.
    pub request_interval: Duration,
    /// Addresses that the walker may connect to. Default: public addresses.
    pub addresses: AddressPolicy,
    /// Timeouts, retries and the `User-Agent`.
    pub http: HttpSettings,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self {
            max_pages: 1000,
            request_interval: Duration::from_millis(250),
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
        if self.max_pages == 0 {
            return Err(Error::invalid_options(CONNECTOR, "max_pages", 0, "at least 1"));
        }
        Ok(())
    }
}
