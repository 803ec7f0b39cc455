//! The settings of a store as plain data; what they may be is checked by `QdrantStore::new`.

use std::{fmt, time::Duration};

use textsearch_core::{
    Error, Result,
    secret::{Secret, required_variable, variable},
};

use crate::CONNECTOR;

/// The environment variable with the addresses of the nodes, separated by commas, required by
/// [`QdrantConfig::from_env`].
pub const QDRANT_URL: &str = "QDRANT_URL";

/// The environment variable with the key; see [`QdrantConfig::with_api_key`].
pub const QDRANT_API_KEY: &str = "QDRANT_API_KEY";

/// How long a request may take in all, unless the nodes may take longer for one attempt.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(60);

/// The largest message that a server takes, less some room for what is around the points.
const LARGEST_MESSAGE: usize = 31 * 1024 * 1024;

/// Addresses, key and settings of a [Qdrant](https://qdrant.tech) server or cluster.
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
    /// The addresses of the gRPC interface, usually on port 6334: the next one is tried where one cannot be reached or
    /// does not answer.
    /// With `https` the connection is encrypted, and the roots of the system are trusted.
    pub nodes: Vec<String>,
    /// The key, where the server wants one.
    pub api_key: Option<Secret>,
    /// How long one attempt at a request may take; 30 seconds by default. With several nodes none gets more than its share
    /// of the total time, so that all of them can be asked.
    pub timeout: Duration,
    /// How long a request may take in all, with all of its attempts and pauses. By default 60 seconds, or as long as all
    /// nodes together may take for one attempt (`timeout` times their number) where that is more.
    pub total_timeout: Option<Duration>,
    /// How long a connection may take; 5 seconds by default.
    pub connect_timeout: Duration,
    /// How often a request is tried in all. By default 4 times, and until the total time is up while replicas of a
    /// cluster are unavailable.
    pub max_attempts: Option<u32>,
    /// The first pause between attempts, which doubles, with a random part; half a second by default.
    pub backoff_base: Duration,
    /// The longest pause, unless the server asks for a longer one; 8 seconds by default. Where it asks for more than a
    /// minute, or for so much that the total time would not be enough for a pause and another attempt (which needs
    /// `connect_timeout` for each node, or a quarter of a short total time), the error is returned at once, with that time
    /// in [`retry_after`](crate::Error::retry_after).
    pub backoff_max: Duration,
    /// The number of connections to each node; 3 by default.
    pub connections: usize,
    /// Whether writes wait until they are searchable; true by default.
    pub wait_for_writes: bool,
    /// The largest number of records in one request; 1,000 by default.
    pub max_batch_records: usize,
    /// The largest size of the records in one request in bytes; 16 MiB by default, at most 31 MiB.
    pub max_batch_bytes: usize,
}

impl QdrantConfig {
    /// The settings for one node, the rest by default.
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

    /// The addresses from [`QDRANT_URL`] and, where it is set, the key from [`QDRANT_API_KEY`].
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) that names the variable where there is no address, or where
    /// one of them is not Unicode.
    pub fn from_env() -> Result<Self> {
        let urls = required_variable(CONNECTOR, QDRANT_URL)?;
        let mut config = Self::new("");
        config.nodes = urls.split(',').map(|url| url.trim().to_owned()).collect();
        config.api_key = variable(CONNECTOR, QDRANT_API_KEY)?.map(Secret::from);
        Ok(config)
    }

    /// Adds a node, which is tried where those before it cannot be reached or do not answer.
    #[must_use]
    pub fn with_node(mut self, url: impl Into<String>) -> Self {
        self.nodes.push(url.into());
        self
    }

    /// Sets the key.
    #[must_use]
    pub fn with_api_key(mut self, key: impl Into<Secret>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Sets how long one attempt at a request may take, at most the total time where that is set.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long a request may take in all.
    #[must_use]
    pub fn with_total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = Some(timeout);
        self
    }

    /// Sets how long a connection may take.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets how often a request is tried in all, whatever it fails with.
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

    /// Sets whether a write returns only once a search finds its records; true by default. With `false` it returns once
    /// the records are durable, and a search finds them a little later.
    #[must_use]
    pub fn with_wait_for_writes(mut self, enabled: bool) -> Self {
        self.wait_for_writes = enabled;
        self
    }

    /// Sets the largest number and the largest size of the records in one request.
    #[must_use]
    pub fn with_batch_limits(mut self, records: usize, bytes: usize) -> Self {
        (self.max_batch_records, self.max_batch_bytes) = (records, bytes);
        self
    }

    /// Refuses what the client would not understand, or would print.
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

    /// The total time: the one that is set, or one that is enough for each node.
    pub(crate) fn longest(&self) -> Duration {
        let enough = || self.of_all_nodes(self.timeout).max(TOTAL_TIMEOUT);
        self.total_timeout.unwrap_or_else(enough)
    }

    /// So much time for each node.
    pub(crate) fn of_all_nodes(&self, time: Duration) -> Duration {
        time.saturating_mul(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX))
    }

    /// What is asked for in vain is said at once, and not found out request by request.
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

    /// The client repeats a key that is no header in its error, so such a key never reaches it.
    fn check_key(&self) -> Result<()> {
        let is_header = |key: &Secret| {
            !key.is_empty() && key.expose().bytes().all(|byte| byte.is_ascii_graphic())
        };
        match &self.api_key {
            Some(key) if !is_header(key) => {
                Err(refused("api_key", "empty or no header", "visible ASCII characters"))
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

/// The addresses without what may be credentials: settings are printed before they are checked.
pub(crate) fn shown(nodes: &[String]) -> Vec<String> {
    let without = |url: &String| {
        // What a password holds may look like the end of an address.
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let rest = rest.rsplit('@').next().unwrap_or_default();
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        if scheme.is_empty() { rest.to_owned() } else { format!("{scheme}://{rest}") }
    };
    nodes.iter().map(without).collect()
}

fn check_url(url: &str) -> Result<()> {
    // Credentials belong into the key: an address enters errors, though not those about what may be credentials.
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

fn refused(option: &str, found: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, found, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(config: QdrantConfig) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn settings_are_checked_and_the_error_says_what_is_allowed() {
        let config = || QdrantConfig::new("http://localhost:6334");
        assert!(config().check().is_ok());
        assert_eq!(
            refusal(QdrantConfig::new("localhost")),
            "qdrant: `nodes` is `localhost`: allowed is an address such as http://localhost:6334"
        );
        assert!(refusal(config().with_batch_limits(1, 64 << 20)).contains("32 MiB"));
        assert!(refusal(config().with_max_attempts(0)).contains("at least 1"));
    }

    #[test]
    fn an_attempt_may_take_some_time_and_no_more_than_all_of_them() {
        let config = || QdrantConfig::new("http://localhost:6334");
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(
            refusal(config().with_timeout(minutes(2)).with_total_timeout(minutes(1))),
            "qdrant: `timeout` is 120s: allowed is at most `total_timeout`, which is 60s"
        );
        assert!(config().with_timeout(minutes(2)).with_total_timeout(minutes(5)).check().is_ok());
        assert_eq!(
            refusal(config().with_timeout(Duration::ZERO)),
            "qdrant: `timeout` is 0 s: allowed is more than nothing"
        );
    }

    #[test]
    fn the_total_time_is_enough_for_an_attempt_at_each_node_unless_it_is_set() {
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
