//! The settings of a store.

use std::{collections::BTreeMap, fmt, time::Duration};

use textsearch_core::{
    Result,
    secret::{Secret, required_variable},
    serde::{Deserialize, Serialize},
};
use tokio_postgres::config::Host;

use crate::{CONNECTOR, PgVectorTable, error::refused};

/// Environment variable with the database's URL.
pub const POSTGRES_URL: &str = "POSTGRES_URL";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a request may stay unacknowledged.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a server may be silent before it is probed, and how often it is probed.
const KEEPALIVES_IDLE: Duration = Duration::from_secs(30);
const KEEPALIVES_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVES_RETRIES: u32 = 3;

const EXPECTED_URL: &str = "postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ in the \
                            password, and no options beyond those of tokio-postgres";

/// How full-text search splits texts into words and ranks records. Each collection is written for
/// one ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(crate = "textsearch_core::serde", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FullTextRanking {
    /// BM25 over the terms of the core's analysis: the same words and the same ranking as in other
    /// stores. This is the default.
    #[default]
    Terms,
    /// Postgres's own full text: a [`tsvector`](https://www.postgresql.org/docs/current/textsearch-intro.html)
    /// for each field, in the text search configuration of its language, ranked by `ts_rank` with
    /// normalization 1 times the field's weight. Words count alike however rare they are, and mean
    /// lengths of fields are not used. A language without a configuration is rejected.
    TsRank,
}

/// URL and settings of a Postgres database.
///
/// ```
/// use textsearch_pgvector::PgVectorConfig;
///
/// let config = PgVectorConfig::new("postgres://me:sesame@localhost/app?sslmode=require").with_schema("search");
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct PgVectorConfig {
    /// The URL of the database. Its `sslmode` is `disable`, `prefer` (the default), `require`,
    /// `verify-ca` or `verify-full`. Each encrypted connection verifies the server's certificate
    /// and host name against the system's root certificates. On Linux, the file in `SSL_CERT_FILE`
    /// replaces these. `prefer` connects without encryption if the server offers none: use `require`
    /// unless the server runs on the same machine.
    ///
    /// If the URL sets none, `connect_timeout` is 5 seconds: the limit for connecting to an address,
    /// and half of the limit for connecting and logging in. 0 means no limit. A lost network is
    /// noticed by `tcp_user_timeout`, `keepalives_idle` (30 seconds each), `keepalives_interval` (10
    /// seconds) and `keepalives_retries` (3), unless the URL sets them. On Linux, calls then fail
    /// within 40 seconds. `options=-c%20statement_timeout%3D30s` limits each statement. Without it,
    /// calls wait as long as the server works.
    pub url: Secret,
    /// The schema of the tables; `public` by default.
    pub schema: String,
    /// How full-text search ranks; [`FullTextRanking::Terms`] by default.
    pub full_text_ranking: FullTextRanking,
    /// Maximum number of connections; 8 by default.
    pub max_connections: usize,
    /// How long a call waits while all connections are busy; 30 seconds by default. Then it fails as
    /// [`Unavailable`](crate::ErrorKind::Unavailable).
    pub wait_timeout: Duration,
    /// Settings for the tables of collections, by the name of the collection.
    pub tables: BTreeMap<String, PgVectorTable>,
}

impl PgVectorConfig {
    /// Creates the settings for the database at `url`, with defaults for the rest.
    pub fn new(url: impl Into<Secret>) -> Self {
        Self {
            url: url.into(),
            schema: "public".to_owned(),
            full_text_ranking: FullTextRanking::default(),
            max_connections: 8,
            wait_timeout: Duration::from_secs(30),
            tables: BTreeMap::new(),
        }
    }

    /// Reads the URL from [`POSTGRES_URL`].
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](crate::ErrorKind::InvalidOptions), which names the variable, if it
    /// is missing, empty or not Unicode.
    pub fn from_env() -> Result<Self> {
        Ok(Self::new(required_variable(CONNECTOR, POSTGRES_URL)?))
    }

    /// Sets the schema of the tables. The store creates it with the first collection.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// Sets how full-text search ranks.
    #[must_use]
    pub fn with_full_text_ranking(mut self, ranking: FullTextRanking) -> Self {
        self.full_text_ranking = ranking;
        self
    }

    /// Sets the maximum number of connections.
    #[must_use]
    pub fn with_max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Sets how long a call waits while all connections are busy.
    #[must_use]
    pub fn with_wait_timeout(mut self, timeout: Duration) -> Self {
        self.wait_timeout = timeout;
        self
    }

    /// Sets the table of the collection `name`.
    #[must_use]
    pub fn with_table(mut self, name: impl Into<String>, table: PgVectorTable) -> Self {
        self.tables.insert(name.into(), table);
        self
    }

    /// Checks the settings and converts them to the client's.
    pub(crate) fn client(&self) -> Result<tokio_postgres::Config> {
        if self.max_connections == 0 {
            return Err(refused("max_connections", 0, "at least 1"));
        }
        crate::definition::check_name("schema", &self.schema)?;
        let mut client = self.parsed().ok_or_else(|| {
            // The parser's message may contain a part of the password.
            refused("url", "not a URL of a database", EXPECTED_URL)
        })?;
        self.limit(&mut client);
        Ok(client)
    }

    /// Sets the timeouts that the URL doesn't set.
    fn limit(&self, client: &mut tokio_postgres::Config) {
        let is_missing = |option: &str| !self.url.expose().contains(&format!("{option}="));
        if is_missing("connect_timeout") {
            client.connect_timeout(CONNECT_TIMEOUT);
        }
        if is_missing("tcp_user_timeout") {
            client.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        if is_missing("keepalives_idle") {
            client.keepalives_idle(KEEPALIVES_IDLE);
        }
        if is_missing("keepalives_interval") {
            client.keepalives_interval(KEEPALIVES_INTERVAL);
        }
        if is_missing("keepalives_retries") {
            client.keepalives_retries(KEEPALIVES_RETRIES);
        }
    }

    fn parsed(&self) -> Option<tokio_postgres::Config> {
        let url = self.url.expose();
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return None;
        }
        // Certificates are always verified in full.
        let url = ["sslmode=verify-full", "sslmode=verify-ca"]
            .iter()
            .fold(url.to_owned(), |url, mode| url.replace(mode, "sslmode=require"));
        let client: tokio_postgres::Config = url.parse().ok()?;
        // A bare `@` in a password ends it, and the rest becomes the host.
        let is_host = |host: &Host| !shown(host).contains('@');
        let hosts = client.get_hosts();
        (!hosts.is_empty() && hosts.iter().all(is_host)).then_some(client)
    }
}

fn shown(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

impl fmt::Debug for PgVectorConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client = self.parsed();
        let hosts = client.iter().flat_map(|client| client.get_hosts()).map(shown);
        formatter
            .debug_struct("PgVectorConfig")
            .field("hosts", &hosts.collect::<Vec<_>>())
            .field("database", &client.as_ref().and_then(|client| client.get_dbname()))
            .field("schema", &self.schema)
            .field("full_text_ranking", &self.full_text_ranking)
            .field("max_connections", &self.max_connections)
            .field("wait_timeout", &self.wait_timeout)
            .field("tables", &self.tables)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::SslMode;

    use super::*;

    fn refusal(config: &PgVectorConfig) -> String {
        config.client().unwrap_err().to_string()
    }

    #[test]
    fn refusal_names_the_setting() {
        let config = || PgVectorConfig::new("postgres://localhost/app");
        assert!(config().client().is_ok());
        assert_eq!(
            refusal(&config().with_max_connections(0)),
            "pgvector: `max_connections` is 0; expected at least 1"
        );
        assert!(refusal(&config().with_schema("")).starts_with("pgvector: `schema` is empty"));
    }

    #[test]
    fn timeouts_of_the_url_win() {
        let timeouts = |options: &str| {
            let url = format!("postgres://localhost/app{options}");
            let client = PgVectorConfig::new(url).client().unwrap();
            let seconds = |timeout: Option<&Duration>| timeout.map(Duration::as_secs);
            (
                seconds(client.get_connect_timeout()),
                seconds(client.get_tcp_user_timeout()),
                client.get_keepalives_idle().as_secs(),
                client.get_keepalives_interval().map(|interval| interval.as_secs()),
                client.get_keepalives_retries(),
            )
        };
        assert_eq!(timeouts(""), (Some(5), Some(30), 30, Some(10), Some(3)));
        let set = "?connect_timeout=9&tcp_user_timeout=8&keepalives_idle=7200&keepalives_interval=6\
                   &keepalives_retries=5";
        assert_eq!(timeouts(set), (Some(9), Some(8), 7_200, Some(6), Some(5)));
        let unlimited = timeouts("?connect_timeout=0&tcp_user_timeout=0");
        assert_eq!((unlimited.0, unlimited.1), (None, None));
    }

    #[test]
    fn modes_that_verify_require_encryption() {
        for mode in ["require", "verify-ca", "verify-full"] {
            let url = format!("postgres://localhost/app?sslmode={mode}");
            let client = PgVectorConfig::new(url).client().unwrap();
            assert_eq!(client.get_ssl_mode(), SslMode::Require, "{mode}");
        }
    }

    #[test]
    fn no_output_shows_the_password() {
        let urls = [
            "postgres://me:sesame@localhost/app",
            "postgres://me:ses@ame@localhost/app",
            "postgres://me:ses?ame=ame@localhost/app?sesame=1",
            "host=localhost password=sesame",
            "https://me:sesame@localhost",
        ];
        for url in urls {
            let config = PgVectorConfig::new(url);
            let refusal = config
                .client()
                .map_or_else(|error| format!("{error} {error:?}"), |_| String::new());
            let printed = format!("{config:?} {refusal}");
            assert!(!printed.contains("ame@") && !printed.contains("sesame"), "{printed}");
        }
    }
}
