//! Configuration.

use textsearch_core::{
    Result,
    http::{Endpoint, Secret, parsed_variable, required_variable, variable},
    web::{Connection, SafeSearch, TimeRange, settings, valid},
};

use crate::NAME;

/// Environment variable for the instance's URL, such as `http://127.0.0.1:8080`. Required.
pub const SEARXNG_ENDPOINT: &str = "SEARXNG_ENDPOINT";
/// Environment variable for the value of the `Authorization` header, for protected instances.
pub const SEARXNG_AUTHORIZATION: &str = "SEARXNG_AUTHORIZATION";
/// Environment variable for the engines to ask, separated by commas.
pub const SEARXNG_ENGINES: &str = "SEARXNG_ENGINES";
/// Environment variable for the categories to search, separated by commas.
pub const SEARXNG_CATEGORIES: &str = "SEARXNG_CATEGORIES";
/// Environment variable for the language of the results, such as `en` or `de-CH`.
pub const SEARXNG_LANGUAGE: &str = "SEARXNG_LANGUAGE";
/// Environment variable for the time range: `day`, `week`, `month` or `year`.
pub const SEARXNG_TIME_RANGE: &str = "SEARXNG_TIME_RANGE";
/// Environment variable for the safe search level: `off`, `moderate` or `strict`.
pub const SEARXNG_SAFE_SEARCH: &str = "SEARXNG_SAFE_SEARCH";

/// In SearXNG's default settings.
const CATEGORIES: &str = "general,images,videos,news,map,music,it,science,files,social media";

/// Configuration of [`SearxngTextSearch`](crate::SearxngTextSearch).
///
/// Engines, categories, language, time range and safe search are defaults: a filter on the same
/// field overrides them for one search. The instance decides anything left unset.
/// `SearxngTextSearch::new` validates all values.
///
/// ```
/// use textsearch_searxng::{SafeSearch, SearxngConfig};
///
/// let config = SearxngConfig::new("http://127.0.0.1:8080")
///     .with_language("en")
///     .with_safe_search(SafeSearch::Moderate);
/// assert_eq!(config.language.as_deref(), Some("en"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearxngConfig {
    /// URL of the instance, with or without `/search` at its end, and HTTP settings. A user and
    /// password in the URL are sent as basic authentication. The API key is the value of the
    /// `Authorization` header, such as `Bearer …`.
    pub connection: Connection,
    /// Engines to ask, by their names on the instance.
    pub engines: Vec<String>,
    /// Categories to search. SearXNG asks their engines in addition to [`engines`](Self::engines).
    pub categories: Vec<String>,
    /// Categories that a filter may name. Default: those in SearXNG's own settings. Others are
    /// rejected because SearXNG would silently ignore them.
    pub known_categories: Vec<String>,
    /// Language of the results: a code such as `en` or `de-CH`, `auto` or `all`.
    pub language: Option<String>,
    /// Maximum age of results.
    pub time_range: Option<TimeRange>,
    /// How strictly adult content is filtered.
    pub safe_search: Option<SafeSearch>,
    /// Whether queries are sent by `POST`, which keeps them out of server logs. Default: false.
    pub post: bool,
    /// Whether titles and texts keep HTML highlights and entities. Default: false.
    pub markup_kept: bool,
    /// Maximum number of pages that one search reads. Default: 50. Results end after the last page.
    pub max_pages: usize,
}

settings!(impl SearxngConfig {
    [engines] => with_engines;
    [categories] => with_categories;
    [known_categories] => with_known_categories;
    language => with_language(language: impl Into<String>) = Some(language.into());
    time_range => with_time_range(range: TimeRange) = Some(range);
    safe_search => with_safe_search(level: SafeSearch) = Some(level);
    post => with_post(enabled: bool) = enabled;
    markup_kept => with_markup_kept(enabled: bool) = enabled;
    max_pages => with_max_pages(pages: usize) = pages;
});

impl SearxngConfig {
    /// Creates a configuration for the instance at `endpoint`, with default settings.
    pub fn new(endpoint: impl Into<Endpoint>) -> Self {
        let config = Self {
            connection: Connection::new::<Self>(""),
            engines: Vec::new(),
            categories: Vec::new(),
            known_categories: listed(CATEGORIES),
            language: None,
            time_range: None,
            safe_search: None,
            post: false,
            markup_kept: false,
            max_pages: 50,
        };
        config.with_endpoint(endpoint)
    }

    /// Reads the configuration from environment variables: one for each `SEARXNG_…` constant of
    /// this crate.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions), naming
    /// the variable, if the endpoint is missing or a value is invalid.
    pub fn from_env() -> Result<Self> {
        Self::from_env_at(required_variable(NAME, SEARXNG_ENDPOINT)?)
    }

    /// Reads the configuration for the instance at `endpoint` from the other environment variables.
    ///
    /// # Errors
    /// Same as [`from_env`](Self::from_env), without the endpoint.
    pub fn from_env_at(endpoint: impl Into<String>) -> Result<Self> {
        let mut config = Self::new(endpoint);
        if let Some(value) = variable(NAME, SEARXNG_AUTHORIZATION)? {
            config = config.with_authorization(value);
        }
        config.engines = listed(&variable(NAME, SEARXNG_ENGINES)?.unwrap_or_default());
        config.categories = listed(&variable(NAME, SEARXNG_CATEGORIES)?.unwrap_or_default());
        config.language = variable(NAME, SEARXNG_LANGUAGE)?;
        config.time_range = parsed_variable(NAME, SEARXNG_TIME_RANGE)?;
        config.safe_search = parsed_variable(NAME, SEARXNG_SAFE_SEARCH)?;
        Ok(config)
    }

    /// Sets the value of the `Authorization` header.
    #[must_use]
    pub fn with_authorization(mut self, value: impl Into<Secret>) -> Self {
        self.connection.api_key = value.into();
        self
    }
}

fn listed(names: &str) -> Vec<String> {
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// A comma would split a name in two.
pub(crate) fn check_name(option: &str, name: &str) -> Result<()> {
    let is_name =
        !name.trim().is_empty() && !name.contains(',') && !name.contains(char::is_control);
    valid(NAME, option, name, is_name, "a name without commas")
}

pub(crate) fn check_language(language: &str) -> Result<()> {
    let mut parts = language.split('-');
    let is_code = parts.next().is_some_and(|code| matches!(code.len(), 2 | 3))
        && parts.all(|part| matches!(part.len(), 2..=4))
        && language.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let allowed = "a code such as `en` or `de-CH`, `auto` or `all`";
    valid(NAME, "language", language, is_code || language == "auto", allowed)
}
