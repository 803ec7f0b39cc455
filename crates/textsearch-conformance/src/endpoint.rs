//! What a connector is pointed at.

use std::time::Duration;

use textsearch_core::http::{HttpClient, HttpSettings, Url};

/// Where the server of a case listens, and what to send requests with.
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: Url,
    settings: HttpSettings,
}

impl Endpoint {
    /// The key that a connector under test sends: it must appear nowhere else.
    pub const KEY: &'static str = "conformance/sesame+1";

    pub(crate) fn new(url: Url, settings: HttpSettings) -> Self {
        Self { url, settings }
    }

    /// The root of the server, such as `http://127.0.0.1:4711/`; any path below it is served.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The same as text, without the slash at the end.
    pub fn base(&self) -> String {
        self.url.as_str().trim_end_matches('/').to_owned()
    }

    /// The key to configure the connector with, where it needs one.
    pub fn key(&self) -> &'static str {
        Self::KEY
    }

    /// A client with the settings of the case, for the connector of that name.
    ///
    /// # Panics
    /// Where the machine cannot build an HTTP client.
    pub fn http_client(&self, connector: &str) -> HttpClient {
        HttpClient::new(connector, self.settings.clone()).expect("a client can be built")
    }

    /// The settings of the case: short pauses, and in some cases short times.
    pub fn http_settings(&self) -> &HttpSettings {
        &self.settings
    }
}

/// Three attempts with hardly a pause, and time enough for a machine that is busy.
pub(crate) fn patient() -> HttpSettings {
    HttpSettings::default()
        .with_proxy(false)
        .with_max_body_bytes(1024 * 1024)
        .with_backoff(Duration::from_millis(2), Duration::from_millis(5))
}

/// The same, for cases in which no answer comes.
pub(crate) fn impatient() -> HttpSettings {
    patient()
        .with_attempt_timeout(Duration::from_millis(400))
        .with_idle_timeout(Duration::from_millis(200))
}
