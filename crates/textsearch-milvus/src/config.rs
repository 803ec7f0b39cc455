//! The settings of a store.

use std::{fmt, time::Duration};

use textsearch_core::{
    Result,
    secret::{Secret, parsed_variable, required_variable, variable},
};

use crate::{CONNECTOR, ConsistencyLevel, error::refused};

/// Environment variable with the server's address.
pub const MILVUS_URL: &str = "MILVUS_URL";

/// Environment variable with the token: `USER:PASSWORD`, or an API key.
pub const MILVUS_TOKEN: &str = "MILVUS_TOKEN";

/// Environment variable with the database.
pub const MILVUS_DATABASE: &str = "MILVUS_DATABASE";

/// Environment variable with the [consistency level](ConsistencyLevel).
pub const MILVUS_CONSISTENCY_LEVEL: &str = "MILVUS_CONSISTENCY_LEVEL";

/// A server accepts requests of 64 MiB; 1 MiB is room for the data around the records.
const LARGEST_BATCH: usize = 63 * 1024 * 1024;

/// Address, credentials and settings of a [Milvus](https://milvus.io) server.
///
/// ```
/// use textsearch_milvus::{ConsistencyLevel, MilvusConfig};
///
/// let config = MilvusConfig::new("http://localhost:19530")
///     .with_token("root:sesame")
///     .with_consistency_level(ConsistencyLevel::Bounded);
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct MilvusConfig {
    /// The address of the gRPC interface, usually on port 19530. `https` encrypts, and trusts the
    /// system's root certificates.
    pub url: String,
    /// The token, if the server requires one: `USER:PASSWORD`, or the API key of a cloud service.
    pub token: Option<Secret>,
    /// The database; the server's default database if unset.
    pub database: Option<String>,
    /// Which writes a read sees; [`Strong`](ConsistencyLevel::Strong) by default.
    pub consistency_level: ConsistencyLevel,
    /// Timeout of one attempt; 30 seconds by default.
    pub timeout: Duration,
    /// Timeout for opening a connection; 5 seconds by default.
    pub connect_timeout: Duration,
    /// Timeout for loading a collection into memory; 5 minutes by default.
    pub load_timeout: Duration,
    /// Maximum number of attempts per request; 3 by default.
    pub max_attempts: u32,
    /// The first pause between attempts; half a second by default. Pauses double, with jitter.
    pub backoff_base: Duration,
    /// The longest pause between attempts; 8 seconds by default.
    pub backoff_max: Duration,
    /// Maximum number of records per request; 1,000 by default.
    pub max_batch_records: usize,
    /// Maximum bytes of the records in one request; 16 MiB by default, at most 63 MiB.
    pub max_batch_bytes: usize,
}

impl MilvusConfig {
    /// Creates the settings for the server at `url`, with defaults for the rest.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            token: None,
            database: None,
            consistency_level: ConsistencyLevel::default(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            load_timeout: Duration::from_secs(300),
            max_attempts: 3,
            backoff_base: Duration::from_millis(500),
            backoff_max: Duration::from_secs(8),
            max_batch_records: 1_000,
            max_batch_bytes: 16 * 1024 * 1024,
        }
    }

    /// Reads the address from [`MILVUS_URL`] and, if set, [`MILVUS_TOKEN`], [`MILVUS_DATABASE`] and
    /// [`MILVUS_CONSISTENCY_LEVEL`].
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the variable, if
    /// there is no address, a value isn't Unicode, or the consistency level is unknown.
    pub fn from_env() -> Result<Self> {
        Self::from_env_with_url(required_variable(CONNECTOR, MILVUS_URL)?)
    }

    /// Like [`from_env`](Self::from_env), with `url` instead of the variable.
    ///
    /// # Errors
    /// Returns the same errors as [`from_env`](Self::from_env), except those about the address.
    pub fn from_env_with_url(url: impl Into<String>) -> Result<Self> {
        let mut config = Self::new(url);
        config.token = variable(CONNECTOR, MILVUS_TOKEN)?.map(Secret::from);
        config.database = variable(CONNECTOR, MILVUS_DATABASE)?;
        if let Some(level) = parsed_variable(CONNECTOR, MILVUS_CONSISTENCY_LEVEL)? {
            config.consistency_level = level;
        }
        Ok(config)
    }

    /// Sets the token: `USER:PASSWORD`, or an API key.
    #[must_use]
    pub fn with_token(mut self, token: impl Into<Secret>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Sets the database. It must exist.
    #[must_use]
    pub fn with_database(mut self, database: impl Into<String>) -> Self {
        self.database = Some(database.into());
        self
    }

    /// Sets which writes a read sees.
    #[must_use]
    pub fn with_consistency_level(mut self, level: ConsistencyLevel) -> Self {
        self.consistency_level = level;
        self
    }

    /// Sets the timeout of one attempt.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the timeout for opening a connection.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the timeout for loading a collection into the server's memory.
    #[must_use]
    pub fn with_load_timeout(mut self, timeout: Duration) -> Self {
        self.load_timeout = timeout;
        self
    }

    /// Sets the maximum number of attempts per request.
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the first and the longest pause between attempts.
    #[must_use]
    pub fn with_backoff(mut self, base: Duration, max: Duration) -> Self {
        (self.backoff_base, self.backoff_max) = (base, max);
        self
    }

    /// Sets the maximum number of records and of their bytes in one request.
    #[must_use]
    pub fn with_batch_limits(mut self, records: usize, bytes: usize) -> Self {
        (self.max_batch_records, self.max_batch_bytes) = (records, bytes);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        check_url(&self.url)?;
        if self.token.as_ref().is_some_and(Secret::is_empty) {
            return Err(refused("token", "empty", "USER:PASSWORD or an API key"));
        }
        if self.database.as_deref().is_some_and(|name| !is_visible(name)) {
            let value = format_args!("{:?}", self.database);
            return Err(refused("database", value, "a name of visible ASCII characters"));
        }
        let times = [
            ("timeout", self.timeout),
            ("connect_timeout", self.connect_timeout),
            ("load_timeout", self.load_timeout),
        ];
        if let Some((option, _)) = times.into_iter().find(|(_, time)| time.is_zero()) {
            return Err(refused(option, "0 s", "more than nothing"));
        }
        if self.max_attempts == 0 {
            return Err(refused("max_attempts", 0, "at least 1"));
        }
        if self.max_batch_records == 0 {
            return Err(refused("max_batch_records", 0, "at least 1"));
        }
        if self.max_batch_bytes == 0 || self.max_batch_bytes > LARGEST_BATCH {
            let allowed = format!("1 to {LARGEST_BATCH}, since a server accepts 64 MiB");
            return Err(refused("max_batch_bytes", self.max_batch_bytes, &allowed));
        }
        Ok(())
    }
}

fn is_visible(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Errors show the address, so credentials belong in the token.
fn check_url(url: &str) -> Result<()> {
    let allowed = "an address such as http://localhost:19530, with the token by `with_token`";
    if url.contains(['@', '?', '#']) {
        return Err(refused("url", "an address with credentials, a query or a fragment", allowed));
    }
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let authority = rest.map(|rest| rest.trim_end_matches('/'));
    match authority {
        Some(authority) if is_visible(authority) && !authority.contains('/') => Ok(()),
        _ => Err(refused("url", format_args!("`{url}`"), allowed)),
    }
}

/// Returns the address without credentials, because settings are printed before they are checked.
pub(crate) fn shown(url: &str) -> &str {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (url, _) = url.split_at(end);
    url.rsplit_once('@').map_or(url, |(_, host)| host)
}

impl fmt::Debug for MilvusConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            url,
            token,
            database,
            consistency_level,
            timeout,
            connect_timeout,
            load_timeout,
            max_attempts,
            backoff_base,
            backoff_max,
            max_batch_records,
            max_batch_bytes,
        } = self;
        formatter
            .debug_struct("MilvusConfig")
            .field("url", &shown(url))
            .field("token", token)
            .field("database", database)
            .field("consistency_level", consistency_level)
            .field("timeout", timeout)
            .field("connect_timeout", connect_timeout)
            .field("load_timeout", load_timeout)
            .field("max_attempts", max_attempts)
            .field("backoff_base", backoff_base)
            .field("backoff_max", backoff_max)
            .field("max_batch_records", max_batch_records)
            .field("max_batch_bytes", max_batch_bytes)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(config: MilvusConfig) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn impossible_settings_are_refused_with_allowed_values() {
        let config = || MilvusConfig::new("http://localhost:19530");
        assert!(config().check().is_ok());
        assert!(MilvusConfig::new("https://in01.example.com/").check().is_ok());
        let cases = [
            (MilvusConfig::new("localhost:19530"), "http://localhost:19530"),
            (MilvusConfig::new("http://localhost/collection"), "http://localhost:19530"),
            (config().with_token(""), "USER:PASSWORD"),
            (config().with_database("a b"), "visible ASCII"),
            (config().with_timeout(Duration::ZERO), "`timeout`"),
            (config().with_max_attempts(0), "at least 1"),
            (config().with_batch_limits(0, 1), "at least 1"),
            (config().with_batch_limits(1, 64 << 20), "64 MiB"),
        ];
        for (config, expected) in cases {
            let refusal = refusal(config);
            assert!(refusal.contains(expected), "{refusal}");
        }
    }

    #[test]
    fn credentials_are_never_shown() {
        let config = MilvusConfig::new("http://root:sesame@localhost:19530?token=sesame");
        let shown = format!("{:?} {}", config.clone().with_token("sesame"), refusal(config));
        assert!(!shown.contains("sesame"), "{shown}");
    }
}
