//! Configuration.

use textsearch_core::{
    Error, Result,
    http::{HttpSettings, Secret, Url, parsed_variable, required_variable, variable},
    web::{Endpoint, SafeSearch, TimeRange},
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
const CATEGORIES: [&str; 10] = [
    "general",
    "images",
    "videos",
    "news",
    "map",
    "music",
    "it",
    "science",
    "files",
    "social media",
];

/// Narrowest first.
pub(crate) const TIME_RANGES: [&str; 4] = ["day", "week", "month", "year"];

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
    /// URL of the instance, with or without `/search` at its end. A user and password in the URL
    /// are sent as basic authentication.
    pub endpoint: Endpoint,
    /// Value of the `Authorization` header, such as `Bearer …`.
    pub authorization: Option<Secret>,
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
    /// Timeouts, retries and limits.
    pub http: HttpSettings,
}

impl SearxngConfig {
    /// Creates a configuration for the instance at `endpoint`, with default settings.
    pub fn new(endpoint: impl Into<Endpoint>) -> Self {
        Self {
            endpoint: endpoint.into(),
            authorization: None,
            engines: Vec::new(),
            categories: Vec::new(),
            known_categories: CATEGORIES.map(str::to_owned).to_vec(),
            language: None,
            time_range: None,
            safe_search: None,
            post: false,
            markup_kept: false,
            max_pages: 50,
            http: HttpSettings::default(),
        }
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
        config.authorization = variable(NAME, SEARXNG_AUTHORIZATION)?.map(Secret::from);
        config.engines = listed(variable(NAME, SEARXNG_ENGINES)?);
        config.categories = listed(variable(NAME, SEARXNG_CATEGORIES)?);
        config.language = variable(NAME, SEARXNG_LANGUAGE)?;
        config.time_range = parsed_variable(NAME, SEARXNG_TIME_RANGE)?;
        config.safe_search = parsed_variable(NAME, SEARXNG_SAFE_SEARCH)?;
        Ok(config)
    }

    /// Sets the endpoint URL.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Sets the value of the `Authorization` header.
    #[must_use]
    pub fn with_authorization(mut self, value: impl Into<Secret>) -> Self {
        self.authorization = Some(value.into());
        self
    }

    /// Sets the engines to ask.
    #[must_use]
    pub fn with_engines<E: Into<String>>(mut self, engines: impl IntoIterator<Item = E>) -> Self {
        self.engines = engines.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the categories to search.
    #[must_use]
    pub fn with_categories<C: Into<String>>(
        mut self,
        categories: impl IntoIterator<Item = C>,
    ) -> Self {
        self.categories = categories.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the categories that the instance has, if they differ from SearXNG's default settings.
    #[must_use]
    pub fn with_known_categories<C: Into<String>>(
        mut self,
        categories: impl IntoIterator<Item = C>,
    ) -> Self {
        self.known_categories = categories.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the language of the results.
    #[must_use]
    pub fn with_language(mut self, language: impl Into<String>) -> Self {
        self.language = Some(language.into());
        self
    }

    /// Sets the maximum age of results.
    #[must_use]
    pub fn with_time_range(mut self, range: TimeRange) -> Self {
        self.time_range = Some(range);
        self
    }

    /// Sets how strictly adult content is filtered.
    #[must_use]
    pub fn with_safe_search(mut self, level: SafeSearch) -> Self {
        self.safe_search = Some(level);
        self
    }

    /// Sets whether queries are sent by `POST`. Default: false.
    #[must_use]
    pub fn with_post(mut self, enabled: bool) -> Self {
        self.post = enabled;
        self
    }

    /// Sets whether titles and texts keep HTML highlights and entities. Default: false.
    #[must_use]
    pub fn with_markup_kept(mut self, enabled: bool) -> Self {
        self.markup_kept = enabled;
        self
    }

    /// Sets the maximum number of pages that one search reads. Default: 50.
    #[must_use]
    pub fn with_max_pages(mut self, pages: usize) -> Self {
        self.max_pages = pages;
        self
    }

    /// Sets timeouts, retries and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.engines.iter().try_for_each(|name| check_name("engines", name))?;
        self.categories.iter().try_for_each(|name| check_name("categories", name))?;
        if let Some(language) = &self.language {
            check_language(language)?;
        }
        if self.max_pages == 0 {
            return Err(Error::invalid_options(NAME, "max_pages", 0, "at least 1"));
        }
        self.url().map(drop)
    }

    pub(crate) fn url(&self) -> Result<Url> {
        let mut url = self.endpoint.url(NAME, "http://127.0.0.1:8080")?;
        let path = url.path().trim_end_matches('/');
        let path =
            if path.ends_with("/search") { path.to_owned() } else { format!("{path}/search") };
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        Ok(url)
    }
}

fn listed(value: Option<String>) -> Vec<String> {
    let value = value.unwrap_or_default();
    let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// A comma would split a name in two.
pub(crate) fn check_name(option: &str, name: &str) -> Result<()> {
    if name.trim().is_empty() || name.contains(',') || name.chars().any(char::is_control) {
        let value = format!("{name:?}");
        return Err(Error::invalid_options(NAME, option, value, "a name without commas"));
    }
    Ok(())
}

pub(crate) fn check_language(language: &str) -> Result<()> {
    let mut parts = language.split('-');
    let is_code = parts.next().is_some_and(|code| matches!(code.len(), 2 | 3))
        && parts.all(|part| matches!(part.len(), 2..=4))
        && language.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    if is_code || language == "auto" {
        return Ok(());
    }
    let allowed = "a code such as `en` or `de-CH`, `auto` or `all`";
    Err(Error::invalid_options(NAME, "language", format!("{language:?}"), allowed))
}

pub(crate) fn check_safe_search(level: i64) -> Result<()> {
    if (0..=2).contains(&level) {
        return Ok(());
    }
    Err(Error::invalid_options(NAME, "safesearch", level, "0, 1 or 2"))
}
