//! Which instance to search, and how: plain data.

use textsearch_core::{
    Error, Result,
    http::{HttpSettings, Secret, Url, parsed_variable, required_variable, variable},
    web::{Endpoint, SafeSearch, TimeRange},
};

use crate::NAME;

/// The environment variable with the address of the instance, such as `http://127.0.0.1:8080`. Required.
pub const ENDPOINT_VARIABLE: &str = "SEARXNG_ENDPOINT";
/// The environment variable with the value of the header `Authorization`, for instances that are not open to all.
pub const AUTHORIZATION_VARIABLE: &str = "SEARXNG_AUTHORIZATION";
/// The environment variable with the engines to ask, separated by commas.
pub const ENGINES_VARIABLE: &str = "SEARXNG_ENGINES";
/// The environment variable with the categories to search, separated by commas.
pub const CATEGORIES_VARIABLE: &str = "SEARXNG_CATEGORIES";
/// The environment variable with the language of the results, such as `en` or `de-CH`.
pub const LANGUAGE_VARIABLE: &str = "SEARXNG_LANGUAGE";
/// The environment variable with the time range: `day`, `week`, `month` or `year`.
pub const TIME_RANGE_VARIABLE: &str = "SEARXNG_TIME_RANGE";
/// The environment variable with the safe search level: 0, 1 or 2.
pub const SAFE_SEARCH_VARIABLE: &str = "SEARXNG_SAFE_SEARCH";

/// The categories of an instance with the settings that SearXNG comes with.
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

/// The time ranges, from the narrowest on.
pub(crate) const TIME_RANGES: [&str; 4] = ["day", "week", "month", "year"];

/// What [`SearxngTextSearch`](crate::SearxngTextSearch) needs to know.
///
/// Engines, categories, language, time range and safe search are what is searched where a filter does not say
/// otherwise; what is left out is up to the instance. `SearxngTextSearch::new` checks all values.
///
/// ```
/// use textsearch_searxng::{SafeSearch, SearxngConfig};
///
/// let config = SearxngConfig::new("http://127.0.0.1:8080").with_language("en").with_safe_search(SafeSearch::Moderate);
/// assert_eq!(config.language.as_deref(), Some("en"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearxngConfig {
    /// The address of the instance, with or without `/search` at its end. User and password in it are sent as basic
    /// authentication.
    pub endpoint: Endpoint,
    /// The value of the header `Authorization`, such as `Bearer …`, where the instance wants one.
    pub authorization: Option<Secret>,
    /// The engines to ask, by the names they have on the instance.
    pub engines: Vec<String>,
    /// The categories to search. SearXNG asks their engines in addition to [`engines`](Self::engines).
    pub categories: Vec<String>,
    /// The categories that a filter may name: those of SearXNG's own settings. An instance takes no notice of a
    /// category that it does not have, so the connector refuses it.
    pub known_categories: Vec<String>,
    /// The language of the results: a code such as `en` or `de-CH`, `auto` or `all`.
    pub language: Option<String>,
    /// How old results may be.
    pub time_range: Option<TimeRange>,
    /// How much adult content is left out.
    pub safe_search: Option<SafeSearch>,
    /// Whether queries are sent by `POST`, which keeps them out of the logs of servers: no.
    pub post: bool,
    /// Whether highlights and entities of HTML stay in titles and texts: no.
    pub markup_kept: bool,
    /// How many pages one search reads at most: 50. Behind the last one the results end.
    pub max_pages: usize,
    /// Timeouts, attempts and limits.
    pub http: HttpSettings,
}

impl SearxngConfig {
    /// The configuration for the instance at `endpoint`.
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

    /// Reads the configuration from the environment: one variable for each of the constants of this crate.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) that names the variable, where the
    /// endpoint is missing or a value cannot be read.
    pub fn from_env() -> Result<Self> {
        Self::from_env_at(required_variable(NAME, ENDPOINT_VARIABLE)?)
    }

    /// The same for the instance at `endpoint`, whichever one the environment names.
    ///
    /// # Errors
    /// As [`from_env`](Self::from_env), but for the endpoint.
    pub fn from_env_at(endpoint: impl Into<String>) -> Result<Self> {
        let mut config = Self::new(endpoint);
        config.authorization = variable(NAME, AUTHORIZATION_VARIABLE)?.map(Secret::from);
        config.engines = listed(variable(NAME, ENGINES_VARIABLE)?);
        config.categories = listed(variable(NAME, CATEGORIES_VARIABLE)?);
        config.language = variable(NAME, LANGUAGE_VARIABLE)?;
        config.time_range = parsed_variable(NAME, TIME_RANGE_VARIABLE)?;
        config.safe_search = parsed_variable(NAME, SAFE_SEARCH_VARIABLE)?;
        Ok(config)
    }

    /// Changes the address of the instance.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Sends the header `Authorization` with this value.
    #[must_use]
    pub fn with_authorization(mut self, value: impl Into<Secret>) -> Self {
        self.authorization = Some(value.into());
        self
    }

    /// Asks these engines.
    #[must_use]
    pub fn with_engines<E: Into<String>>(mut self, engines: impl IntoIterator<Item = E>) -> Self {
        self.engines = engines.into_iter().map(Into::into).collect();
        self
    }

    /// Searches in these categories.
    #[must_use]
    pub fn with_categories<C: Into<String>>(
        mut self,
        categories: impl IntoIterator<Item = C>,
    ) -> Self {
        self.categories = categories.into_iter().map(Into::into).collect();
        self
    }

    /// Says which categories the instance has, where they are not those of SearXNG's own settings.
    #[must_use]
    pub fn with_known_categories<C: Into<String>>(
        mut self,
        categories: impl IntoIterator<Item = C>,
    ) -> Self {
        self.known_categories = categories.into_iter().map(Into::into).collect();
        self
    }

    /// Changes the language of the results.
    #[must_use]
    pub fn with_language(mut self, language: impl Into<String>) -> Self {
        self.language = Some(language.into());
        self
    }

    /// Changes how old results may be.
    #[must_use]
    pub fn with_time_range(mut self, range: TimeRange) -> Self {
        self.time_range = Some(range);
        self
    }

    /// Changes how much adult content is left out.
    #[must_use]
    pub fn with_safe_search(mut self, level: SafeSearch) -> Self {
        self.safe_search = Some(level);
        self
    }

    /// Sets whether queries are sent by `POST`, which keeps them out of the logs of servers; false by default.
    #[must_use]
    pub fn with_post(mut self, enabled: bool) -> Self {
        self.post = enabled;
        self
    }

    /// Sets whether highlights and entities of HTML stay in titles and texts; false by default.
    #[must_use]
    pub fn with_markup_kept(mut self, enabled: bool) -> Self {
        self.markup_kept = enabled;
        self
    }

    /// Changes how many pages one search reads at most.
    #[must_use]
    pub fn with_max_pages(mut self, pages: usize) -> Self {
        self.max_pages = pages;
        self
    }

    /// Changes timeouts, attempts and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Refuses what SearXNG would not understand.
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

    /// The address of the search below that of the instance.
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

/// Engines and categories are sent with commas between them: one in a name would make two.
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
