//! The settings of a client.

use std::{fmt::Display, time::Duration};

use ::http::HeaderValue;

use crate::{Error, Result};

/// The timeouts, retries and limits of a client.
///
/// ```
/// use std::time::Duration;
/// use textsearch_core::http::HttpSettings;
///
/// let mut settings = HttpSettings::default().with_max_attempts(1);
/// settings.attempt_timeout = Duration::from_secs(5);
/// assert_eq!(settings.total_timeout, Duration::from_secs(60));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpSettings {
    /// Timeout for connecting, TLS included: 10 s.
    pub connect_timeout: Duration,
    /// Timeout for one attempt, from connecting to the last byte of the body: 30 s.
    pub attempt_timeout: Duration,
    /// Longest pause between two pieces of a body: 15 s.
    pub idle_timeout: Duration,
    /// Timeout for a body read as it arrives, counted from its headers: 30 minutes.
    pub stream_timeout: Duration,
    /// Timeout for all attempts and the pauses between them: 60 s.
    pub total_timeout: Duration,
    /// Maximum number of attempts, including the first: 3.
    pub max_attempts: u32,
    /// Shortest pause after the first attempt: 500 ms. It doubles with each further attempt, and up
    /// to as much again is added at random.
    pub backoff_base: Duration,
    /// Upper bound of the doubling pause: 8 s.
    pub backoff_max: Duration,
    /// Maximum size of a body in bytes, after decompression: 4 MiB.
    pub max_body_bytes: usize,
    /// The `User-Agent`: `textsearch/` and the version.
    pub user_agent: String,
    /// Whether to use the proxy from the environment (`HTTPS_PROXY`, `NO_PROXY`, …): yes. Clients
    /// for untrusted URLs never use one, which would resolve names past the address rules.
    pub proxy: bool,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            attempt_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(15),
            stream_timeout: Duration::from_secs(30 * 60),
            total_timeout: Duration::from_secs(60),
            max_attempts: 3,
            backoff_base: Duration::from_millis(500),
            backoff_max: Duration::from_secs(8),
            max_body_bytes: 4 * 1024 * 1024,
            user_agent: concat!("textsearch/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy: true,
        }
    }
}

impl HttpSettings {
    /// Sets the [timeout of all attempts](Self::total_timeout). Default: 60 s.
    #[must_use]
    pub fn with_total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = timeout;
        self
    }

    /// Sets the maximum number of attempts; 1 turns retries off. Default: 3.
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the [shortest pause](Self::backoff_base) between attempts and its [upper
    /// bound](Self::backoff_max). Default: 500 ms and 8 s.
    #[must_use]
    pub fn with_backoff(mut self, base: Duration, max: Duration) -> Self {
        (self.backoff_base, self.backoff_max) = (base, max);
        self
    }

    /// Sets the maximum size of a decompressed body in bytes. Default: 4 MiB.
    #[must_use]
    pub fn with_max_body_bytes(mut self, bytes: usize) -> Self {
        self.max_body_bytes = bytes;
        self
    }

    /// Sets whether to use the proxy from the environment. Default: true.
    #[must_use]
    pub fn with_proxy(mut self, enabled: bool) -> Self {
        self.proxy = enabled;
        self
    }

    pub(super) fn check(&self, connector: &str) -> Result<()> {
        let durations = [
            ("connect_timeout", self.connect_timeout),
            ("attempt_timeout", self.attempt_timeout),
            ("idle_timeout", self.idle_timeout),
            ("stream_timeout", self.stream_timeout),
            ("total_timeout", self.total_timeout),
        ];
        let refused = |option, value: &dyn Display, allowed| {
            Err(Error::invalid_options(connector, option, value, allowed))
        };
        if let Some((option, _)) = durations.into_iter().find(|(_, duration)| duration.is_zero()) {
            return refused(option, &"0 s", "more than nothing");
        }
        if self.max_attempts == 0 {
            return refused("max_attempts", &0, "at least 1");
        }
        if self.max_body_bytes == 0 {
            return refused("max_body_bytes", &0, "at least 1 byte");
        }
        if self.backoff_base > self.backoff_max {
            let value = format!("{:?}", self.backoff_base);
            return refused("backoff_base", &value, "at most `backoff_max`");
        }
        self.user_agent_header(connector).map(|_| ())
    }

    pub(super) fn user_agent_header(&self, connector: &str) -> Result<HeaderValue> {
        HeaderValue::from_str(&self.user_agent).map_err(|_| {
            let allowed = "visible ASCII characters and spaces";
            Error::invalid_options(connector, "user_agent", "not a header value", allowed)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn refused(settings: HttpSettings) -> String {
        match settings.check("brave").unwrap_err().kind() {
            ErrorKind::InvalidOptions { option, .. } => option.clone(),
            kind => panic!("{kind:?}"),
        }
    }

    #[test]
    fn the_defaults_are_valid() {
        HttpSettings::default().check("brave").unwrap();
    }

    #[test]
    fn invalid_settings_are_refused_by_name() {
        let none = Duration::ZERO;
        let settings = HttpSettings::default;
        let changed = |change: fn(&mut HttpSettings)| {
            let mut settings = settings();
            change(&mut settings);
            refused(settings)
        };
        assert_eq!(
            changed(|settings| settings.connect_timeout = Duration::ZERO),
            "connect_timeout"
        );
        assert_eq!(
            changed(|settings| settings.attempt_timeout = Duration::ZERO),
            "attempt_timeout"
        );
        assert_eq!(changed(|settings| settings.idle_timeout = Duration::ZERO), "idle_timeout");
        assert_eq!(changed(|settings| settings.stream_timeout = Duration::ZERO), "stream_timeout");
        assert_eq!(refused(settings().with_total_timeout(none)), "total_timeout");
        assert_eq!(refused(settings().with_max_attempts(0)), "max_attempts");
        assert_eq!(refused(settings().with_max_body_bytes(0)), "max_body_bytes");
        assert_eq!(changed(|settings| settings.user_agent = "a\nb".to_owned()), "user_agent");
        let second = Duration::from_secs(1);
        let minute = Duration::from_secs(60);
        assert_eq!(refused(settings().with_backoff(minute, second)), "backoff_base");
        settings().with_backoff(none, none).check("brave").unwrap();
    }
}
