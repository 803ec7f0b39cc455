//! The settings of a store.

use std::{fmt, time::Duration};

use textsearch_core::{
    Error, Result,
    secret::{Secret, required_variable, variable},
};

use crate::CONNECTOR;

/// Environment variable with the node addresses, separated by commas.
pub const QDRANT_URL: &str = "QDRANT_URL";

/// Environment variable with the API key.
pub const QDRANT_API_KEY: &str = "QDRANT_API_KEY";

const TOTAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Qdrant accepts 32 MiB; 1 MiB is room for the data around the points.
const LARGEST_MESSAGE: usize = 31 * 1024 * 1024;

/// Addresses, API key and settings of a [Qdrant](https://qdrant.tech) server or cluster.
///
/// ```
/// use textsearch_qdrant::QdrantConfig;
///
/// let config = QdrantConfig::new("http://localhost:6334").with_api_key("sesame");
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct QdrantConfig {
    /// Addresses of the gRPC interface, usually on port 6334. The client fails over to the next
    /// node when one is unreachable or doesn't respond. `https` encrypts, and trusts the system's
    /// root certificates.
    pub nodes: Vec<String>,
    /// The API key, if the server requires one.
    pub api_key: Option<Secret>,
    /// Timeout of one attempt; 30 seconds by default. With several nodes, each attempt gets at most
    /// its share of the total time.
    pub timeout: Duration,
    /// Timeout of a request, including all attempts and pauses. The default is 60 seconds or
    /// `timeout` times the number of nodes, whichever is longer.
    pub total_timeout: Option<Duration>,
    /// Timeout for opening a connection; 5 seconds by default.
    pub connect_timeout: Duration,
    /// Maximum number of attempts per request. The default is 3, but unlimited until the total
    /// timeout while replicas of a cluster are unavailable.
    pub max_attempts: Option<u32>,
    /// The first pause between attempts; half a second by default. Pauses double, with jitter.
    pub backoff_base: Duration,
    /// The longest pause, unless the server asks for a longer one; 8 seconds by default. The error
    /// is returned at once if the server asks for more than a minute, or if the total time doesn't
    /// allow the pause and another attempt. An attempt needs `connect_timeout` for each node, or a
    /// quarter of a short total time. The error's [`retry_after`](crate::Error::retry_after) has
    /// the pause that the server asked for.
    pub backoff_max: Duration,
    /// Connections to each node; 3 by default.
    pub connections: usize,
    /// Whether writes wait until their records are searchable; true by default.
    pub wait_for_writes: bool,
    /// Maximum number of records per request; 1,000 by default.
    pub max_batch_records: usize,
    /// Maximum bytes of the records in one request; 16 MiB by default, at most 31 MiB.
    pub max_batch_bytes: usize,
}

impl QdrantConfig {
    /// Creates the settings for one node, with defaults for the rest.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            nodes: vec![url.into()],
            api_key: None,
            timeout: Duration::from_secs(30),
            total_timeout: None,
            connect_timeout: Duration::from_secs(5),
            max_attempts: None,
            backoff_base: Duration::from_millis(500),
            backoff_max: Duration::from_secs(8),
            connections: 3,
            wait_for_writes: true,
            max_batch_records: 1_000,
            max_batch_bytes: 16 * 1024 * 1024,
        }
    }

    /// Reads the addresses from [`QDRANT_URL`], and the API key from [`QDRANT_API_KEY`] if it is
    /// set.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the variable, if
    /// there is no address or a value isn't Unicode.
    pub fn from_env() -> Result<Self> {
        let urls = required_variable(CONNECTOR, QDRANT_URL)?;
        let mut config = Self::new("");
        config.nodes = urls.split(',').map(|url| url.trim().to_owned()).collect();
        config.api_key = variable(CONNECTOR, QDRANT_API_KEY)?.map(Secret::from);
        Ok(config)
    }

    /// Adds a node to fail over to.
    #[must_use]
    pub fn with_node(mut self, url: impl Into<String>) -> Self {
        self.nodes.push(url.into());
        self
    }

    /// Sets the API key.
    #[must_use]
    pub fn with_api_key(mut self, key: impl Into<Secret>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Sets the timeout of one attempt. It can't exceed the total timeout if that is set.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets [`total_timeout`](Self::total_timeout).
    #[must_use]
    pub fn with_total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = Some(timeout);
        self
    }

    /// Sets [`connect_timeout`](Self::connect_timeout).
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the maximum number of attempts per request, whatever the error.
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = Some(attempts);
        self
    }

    /// Sets the first and the longest pause between attempts.
    #[must_use]
    pub fn with_backoff(mut self, base: Duration, max: Duration) -> Self {
        (self.backoff_base, self.backoff_max) = (base, max);
        self
    }

    /// Sets the number of connections to each node.
    #[must_use]
    pub fn with_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets whether a write returns only once searches find its records; true by default. With
    /// `false` it returns once the records are durable, and searches find them a little later.
    #[must_use]
    pub fn with_wait_for_writes(mut self, enabled: bool) -> Self {
        self.wait_for_writes = enabled;
        self
    }

    /// Sets the maximum number of records and of their bytes in one request.
    #[must_use]
    pub fn with_batch_limits(mut self, records: usize, bytes: usize) -> Self {
        (self.max_batch_records, self.max_batch_bytes) = (records, bytes);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.nodes.is_empty() {
            return Err(refused("nodes", "empty", "the address of at least one node"));
        }
        self.nodes.iter().try_for_each(|url| check_url(url))?;
        self.check_key()?;
        self.check_times()?;
        if self.max_attempts == Some(0) {
            return Err(refused("max_attempts", "0", "at least 1"));
        }
        if self.max_batch_records == 0 {
            return Err(refused("max_batch_records", "0", "at least 1"));
        }
        if self.max_batch_bytes == 0 || self.max_batch_bytes > LARGEST_MESSAGE {
            let allowed = format!("1 to {LARGEST_MESSAGE}, since a server takes 32 MiB");
            return Err(refused("max_batch_bytes", &self.max_batch_bytes.to_string(), &allowed));
        }
        Ok(())
    }

    pub(crate) fn longest(&self) -> Duration {
        let enough = || self.for_all_nodes(self.timeout).max(TOTAL_TIMEOUT);
        self.total_timeout.unwrap_or_else(enough)
    }

    pub(crate) fn for_all_nodes(&self, time: Duration) -> Duration {
        time.saturating_mul(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX))
    }

    /// Checks the times here so that they don't fail request by request.
    fn check_times(&self) -> Result<()> {
        let times = [
            ("timeout", self.timeout),
            ("total_timeout", self.longest()),
            ("connect_timeout", self.connect_timeout),
        ];
        if let Some((option, _)) = times.into_iter().find(|(_, time)| time.is_zero()) {
            return Err(refused(option, "0 s", "more than nothing"));
        }
        if self.timeout > self.longest() {
            let allowed = format!("at most `total_timeout`, which is {:?}", self.longest());
            return Err(refused("timeout", &format!("{:?}", self.timeout), &allowed));
        }
        Ok(())
    }

    /// Rejects an API key that isn't a valid header: the client's own error would print it.
    fn check_key(&self) -> Result<()> {
        let is_header = |key: &Secret| {
            !key.is_empty() && key.expose().bytes().all(|byte| byte.is_ascii_graphic())
        };
        match &self.api_key {
            Some(key) if !is_header(key) => {
                Err(refused("api_key", "empty or no valid header", "visible ASCII characters"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for QdrantConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            nodes,
            api_key,
            timeout,
            total_timeout,
            connect_timeout,
            max_attempts,
            backoff_base,
            backoff_max,
            connections,
            wait_for_writes,
            max_batch_records,
            max_batch_bytes,
        } = self;
        formatter
            .debug_struct("QdrantConfig")
            .field("nodes", &shown(nodes))
            .field("api_key", api_key)
            .field("timeout", timeout)
            .field("total_timeout", total_timeout)
            .field("connect_timeout", connect_timeout)
            .field("max_attempts", max_attempts)
            .field("backoff_base", backoff_base)
            .field("backoff_max", backoff_max)
            .field("connections", connections)
            .field("wait_for_writes", wait_for_writes)
            .field("max_batch_records", max_batch_records)
            .field("max_batch_bytes", max_batch_bytes)
            .finish()
    }
}

/// Removes possible credentials, because settings are printed before they are validated.
pub(crate) fn shown(nodes: &[String]) -> Vec<String> {
    let without = |url: &String| {
        // A password may contain characters that look like the end of an address.
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let rest = rest.rsplit('@').next().unwrap_or_default();
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        if scheme.is_empty() { rest.to_owned() } else { format!("{scheme}://{rest}") }
    };
    nodes.iter().map(without).collect()
}

fn check_url(url: &str) -> Result<()> {
    // Errors show addresses, so credentials belong in the API key. This error doesn't show the
    // address.
    if url.contains('@') {
        return Err(refused("nodes", "an address with credentials", "the key by `with_api_key`"));
    }
    if url.contains(['?', '#']) {
        let allowed = "an address without `?` and `#`, the key by `with_api_key`";
        return Err(refused("nodes", "an address with a query or a fragment", allowed));
    }
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let authority = rest.map(|rest| rest.split('/').next().unwrap_or_default());
    match authority {
        Some(authority) if !authority.is_empty() && !url.contains(char::is_whitespace) => Ok(()),
        _ => {
            let allowed = "an address such as http://localhost:6334";
            Err(refused("nodes", &format!("`{url}`"), allowed))
        }
    }
}

fn refused(option: &str, value: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(config: QdrantConfig) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn refusal_says_what_is_allowed() {
        let config = || QdrantConfig::new("http://localhost:6334");
        assert!(config().check().is_ok());
        assert_eq!(
            refusal(QdrantConfig::new("localhost")),
            "qdrant: `nodes` is `localhost`; expected an address such as http://localhost:6334"
        );
        assert!(refusal(config().with_batch_limits(1, 64 << 20)).contains("32 MiB"));
        assert!(refusal(config().with_max_attempts(0)).contains("at least 1"));
    }

    #[test]
    fn timeout_is_positive_and_within_total_timeout() {
        let config = || QdrantConfig::new("http://localhost:6334");
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(
            refusal(config().with_timeout(minutes(2)).with_total_timeout(minutes(1))),
            "qdrant: `timeout` is 120s; expected at most `total_timeout`, which is 60s"
        );
        assert!(config().with_timeout(minutes(2)).with_total_timeout(minutes(5)).check().is_ok());
        assert_eq!(
            refusal(config().with_timeout(Duration::ZERO)),
            "qdrant: `timeout` is 0 s; expected more than nothing"
        );
    }

    #[test]
    fn default_total_timeout_allows_an_attempt_per_node() {
        let config = || QdrantConfig::new("http://localhost:6334");
        let seconds = Duration::from_secs;
        assert_eq!(config().longest(), seconds(60));
        let three = config().with_node("http://localhost:6335").with_node("http://localhost:6336");
        assert_eq!(three.longest(), seconds(90));
        let long = config().with_timeout(seconds(90));
        assert!(long.check().is_ok());
        assert_eq!(long.longest(), seconds(90));
        assert_eq!(three.with_total_timeout(seconds(45)).longest(), seconds(45));
        let endless = config().with_node("http://localhost:6335").with_timeout(Duration::MAX);
        assert!(endless.check().is_ok());
    }

    #[test]
    fn no_refusal_shows_a_secret() {
        let key = QdrantConfig::new("http://localhost:6334").with_api_key("sesame\nopen");
        assert!(!refusal(key).contains("sesame"));
        let addresses = [
            "http://me:sesame@localhost",
            "me:sesame@localhost:6334",
            "grpc://me:sesame@localhost",
            "http://me:ses/ame@localhost",
            "http://localhost:6334?api-key=sesame",
            "localhost/#sesame",
        ];
        for address in addresses {
            let config = QdrantConfig::new(address);
            let printed = format!("{config:?} {}", refusal(config.clone()));
            assert!(!printed.contains("ses"), "{printed}");
            assert!(printed.contains("localhost"), "{printed}");
        }
    }
}
