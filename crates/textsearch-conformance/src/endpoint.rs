//! The address and settings of a case's server.

use std::time::Duration;

use textsearch_core::http::{HttpClient, HttpSettings, Url};

/// The address of a case's server, and the settings for requests.
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: Url,
    settings: HttpSettings,
}

impl Endpoint {
    /// The key that the connector sends. Errors, `Debug`, metadata and logs must not contain it,
    /// even if a response does. A result's text keeps it.
    pub const KEY: &'static str = "conformance/sesame+1";

    pub(crate) fn new(url: Url, settings: HttpSettings) -> Self {
        Self { url, settings }
    }

    /// Returns the server's root, such as `http://127.0.0.1:4711/`. It accepts any path.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the root as text, without the final slash.
    pub fn base(&self) -> String {
        self.url.as_str().trim_end_matches('/').to_owned()
    }

    /// Returns [`KEY`](Self::KEY), for the connector's configuration.
    pub fn key(&self) -> &'static str {
        Self::KEY
    }

    /// Returns a client for the named connector, with the settings of the case.
    ///
    /// # Panics
    /// If the machine cannot build an HTTP client.
    pub fn http_client(&self, connector: &str) -> HttpClient {
        HttpClient::new(connector, self.settings.clone()).expect("a client can be built")
    }

    /// Returns the case's settings: short pauses, and in some cases short timeouts.
    pub fn http_settings(&self) -> &HttpSettings {
        &self.settings
    }
}

/// Three attempts, minimal pauses, and enough time for a busy machine.
pub(crate) fn patient() -> HttpSettings {
    HttpSettings::default()
        .with_proxy(false)
        .with_max_body_bytes(1024 * 1024)
        .with_backoff(Duration::from_millis(2), Duration::from_millis(5))
}

/// With short timeouts, for cases without a response.
pub(crate) fn impatient() -> HttpSettings {
    let mut settings = patient();
    settings.attempt_timeout = Duration::from_secs(1);
    settings.idle_timeout = Duration::from_millis(500);
    settings
}
